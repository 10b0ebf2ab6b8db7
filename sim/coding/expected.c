/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/coding/expected.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>

double lag_harmonic(uint32_t m)
{
    double sum = 0;

    /* Smallest first; beyond a million Euler and Maclaurin are exact to rounding. */
    if (m > 1000000)
        return log(m) + 0.57721566490153286061 + 0.5 / m - 1 / (12.0 * m * m);
    for (uint32_t k = m; k > 0; k--)
        sum += 1.0 / k;
    return sum;
}

lag_seconds lag_work_kth(const struct lag_work *work, uint32_t k, uint32_t n)
{
    return work->shift + work->tail * (lag_harmonic(n) - lag_harmonic(n - k));
}

lag_seconds lag_work_groups(const struct lag_work *work, uint32_t n, uint32_t group)
{
    return work->shift + work->tail * lag_harmonic(n / group) / group;
}

/* What the integrand needs, times counted in tails from the earliest end that is possible. */
struct recursion {
    const struct lag_tree *tree;
    double message; /* in tails */
};

/* P(not done at u), of the root, u >= 0 after shift + depth messages. A node of layer l waits for
 * depth - l messages less: its own clock is (depth - l) messages ahead of the leaves'. */
static double root_survival(double u, void *data)
{
    const struct recursion *recursion = data;
    const struct lag_tree *tree = recursion->tree;
    double late = exp(-u); /* of a leaf */

    for (uint32_t layer = tree->depth - 1; layer > 0; layer--) {
        double parent = exp(-u - recursion->message * (tree->depth - layer));
        double enough = gsl_cdf_binomial_P(tree->stragglers, late, tree->degree);
        late = 1 - (1 - parent) * enough;
    }
    return gsl_cdf_binomial_Q(tree->stragglers, late, tree->degree);
}

lag_seconds lag_tree_time_parallel(const struct lag_tree *tree, const struct lag_work *work,
                                   lag_seconds message)
{
    lag_seconds earliest = work->shift + tree->depth * message;
    struct recursion recursion = {tree, work->tail > 0 ? message / work->tail : 0};
    gsl_function integrand = {root_survival, &recursion};
    double integral = 0, error = 0;

    if (!(work->tail > 0))
        return earliest;
    /* The bulk is where ln(workers) tails have passed; from there on it falls as an exponential. */
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(2000);
    double middle = log(lag_tree_workers(tree)) + 1, tail = 0;
    gsl_integration_qag(&integrand, 0, middle, 0, 1e-11, 2000, GSL_INTEG_GAUSS31, space, &integral,
                        &error);
    gsl_integration_qagiu(&integrand, middle, 1e-12, 1e-9, 2000, space, &tail, &error);
    gsl_integration_workspace_free(space);
    return earliest + work->tail * (integral + tail);
}

struct lag_time_bounds lag_tree_time_serial(const struct lag_tree *tree,
                                            const struct lag_work *work, lag_seconds message)
{
    lag_seconds receive = tree->depth * (double)(tree->degree - tree->stragglers) * message;
    lag_seconds first = work->shift + work->tail / lag_tree_layer(tree, tree->depth);

    return (struct lag_time_bounds){
        .low = fmax(lag_tree_time_parallel(tree, work, message), first + receive),
        .high = lag_tree_time_parallel(tree, work, 0) + receive,
    };
}

lag_seconds lag_ring_time(uint32_t n, const struct lag_work *work, lag_seconds message,
                          lag_seconds step)
{
    return lag_work_kth(work, n, n) + 2.0 * (n - 1) * (message / n + step);
}
