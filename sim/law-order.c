/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/law-order.h"

#include <assert.h>
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>

#define MOST_PIECES 2000
#define RELATIVE    1e-12

/* What is integrated: P(maximum or k-th > scale y) over y from 0 on, which is E / scale, as
 * nothing is negative. The scale keeps y near 1, whatever the unit. */
struct tail {
    const struct lag_law *laws;
    uint32_t n_laws; /* 0: the k-th of n of laws[0] */
    uint32_t k, n;
    double scale;
};

double lag_order_survival(double survival, uint32_t k, uint32_t n)
{
    assert(k >= 1 && k <= n);
    if (survival <= 0 || survival >= 1)
        return survival <= 0 ? 0 : 1;
    if (k == n)
        return -expm1(n * log1p(-survival));
    return gsl_cdf_beta_P(survival, n - k + 1, k);
}

static double integrand(double y, void *data)
{
    const struct tail *tail = data;
    double x = tail->scale * y, sum = 0;

    if (tail->n_laws == 0)
        return lag_order_survival(lag_law_survival(tail->laws, x), tail->k, tail->n);
    for (uint32_t i = 0; i < tail->n_laws; i++)
        sum += log1p(-lag_law_survival(&tail->laws[i], x));
    return -expm1(sum);
}

/* Beyond a place y, in its unit, by 1 / t: there a heavy tail is a power of t. */
struct far {
    struct tail *tail;
    double from;
};

static double far_integrand(double t, void *data)
{
    const struct far *far = data;

    return t > 0 ? far->from * integrand(far->from / t, far->tail) / (t * t) : 0;
}

/* A number that what is integrated is above with a probability of about 1 - level. */
static double place(const struct tail *tail, double level)
{
    double largest = 0, u;

    if (tail->n_laws == 0) {
        u = gsl_cdf_beta_Pinv(level, tail->k, tail->n - tail->k + 1);
        return lag_law_quantile(tail->laws, fmin(fmax(u, 0x1p-60), 1 - 0x1p-53));
    }
    u = fmin(pow(level, 1.0 / tail->n_laws), 1 - 0x1p-53);
    for (uint32_t i = 0; i < tail->n_laws; i++)
        largest = fmax(largest, lag_law_quantile(&tail->laws[i], u));
    return largest;
}

/* Pieces between the levels, then the tail. */
static double integrate(struct tail *tail)
{
    static const double levels[] = {1e-9,  1e-3,     0.1,      0.5,      0.9,
                                    0.999, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12};
    gsl_function function = {.function = integrand, .params = tail};
    gsl_integration_workspace *space;
    double from = 0, sum = 0, piece, error;

    tail->scale = place(tail, 0.5);
    if (tail->scale <= 0)
        tail->scale = place(tail, 1 - 1e-12);
    if (tail->scale <= 0)
        return 0;
    space = gsl_integration_workspace_alloc(MOST_PIECES);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        double to = place(tail, levels[i]) / tail->scale;
        if (to <= from)
            continue;
        gsl_integration_qags(&function, from, to, RELATIVE / 100, RELATIVE, MOST_PIECES, space,
                             &piece, &error);
        sum += piece;
        from = to;
    }
    struct far far = {tail, from};
    function = (gsl_function){.function = far_integrand, .params = &far};
    gsl_integration_qags(&function, 0, 1, RELATIVE / 100, RELATIVE, MOST_PIECES, space, &piece,
                         &error);
    gsl_integration_workspace_free(space);
    return tail->scale * (sum + piece);
}

double lag_law_mean_of_kth_by_quadrature(const struct lag_law *law, uint32_t k, uint32_t n)
{
    struct tail tail = {.laws = law, .k = k, .n = n};

    assert(k >= 1 && k <= n);
    /* the tail of the k-th of n falls n - k + 1 times as fast as that of one */
    return (n - k + 1) * lag_law_moments(law) <= 1 ? INFINITY : integrate(&tail);
}

bool lag_law_kth_is_closed(const struct lag_law *law, uint32_t k, uint32_t n)
{
    return law->type->mean_of_kth != NULL && !isnan(law->type->mean_of_kth(law, k, n));
}

double lag_law_mean_of_kth(const struct lag_law *law, uint32_t k, uint32_t n)
{
    double closed;

    assert(k >= 1 && k <= n);
    closed = law->type->mean_of_kth != NULL ? law->type->mean_of_kth(law, k, n) : NAN;
    return isnan(closed) ? lag_law_mean_of_kth_by_quadrature(law, k, n) : closed;
}

double lag_laws_mean_of_max(const struct lag_law *laws, uint32_t n_laws)
{
    struct tail tail = {.laws = laws, .n_laws = n_laws};

    for (uint32_t i = 0; i < n_laws; i++)
        if (isinf(lag_law_mean(&laws[i])))
            return INFINITY;
    return integrate(&tail);
}
