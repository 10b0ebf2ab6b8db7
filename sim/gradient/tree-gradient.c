/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/gradient/tree-gradient.h"

#include <math.h>
#include <string.h>

void lag_tree_gradient_init(lag_tree_gradient *gradient, const lag_tree_rounds *rounds,
                            const lag_model *model)
{
    uint32_t n = model->dataset->train.n, p = model->n_parameters;

    *gradient = (lag_tree_gradient){
        .rounds = rounds,
        .model = model,
        .all = g_new(uint32_t, n),
        .scratch = g_new(double, lag_model_n_scratch(model)),
        .n_parameters = p,
        .vectors = g_new(double, (size_t)(rounds->setup->tree.depth + 1) * p),
        .exact = g_new(double, p),
    };
    for (uint32_t i = 0; i < n; i++)
        gradient->all[i] = i;
}

void lag_tree_gradient_clear(lag_tree_gradient *gradient)
{
    if (gradient == NULL)
        return;
    g_free(gradient->all);
    g_free(gradient->scratch);
    g_free(gradient->vectors);
    g_free(gradient->exact);
    *gradient = (lag_tree_gradient){0};
}

/* A node's message: its own weighted gradients, and its children's messages combined. At most
 * `depth` deep. */
static double *message(lag_tree_gradient *gradient, const double *x, uint32_t v, uint32_t layer)
{
    const lag_tree_rounds *rounds = gradient->rounds;
    const struct lag_allocation *allocation = rounds->allocation;
    uint32_t p = gradient->n_parameters, at = allocation->first[v];
    uint32_t first = lag_tree_first_child(rounds, v);
    double *sum = gradient->vectors + (size_t)layer * p;

    memset(sum, 0, p * sizeof *sum);
    lag_model_add_gradient(gradient->model, x, allocation->points + at, allocation->weights + at,
                           allocation->first[v + 1] - at, sum, gradient->scratch);
    for (uint32_t i = 0; v < rounds->first_leaf && i < rounds->setup->tree.degree; i++) {
        double weight = rounds->weights[first + i - 1];
        if (weight == 0)
            continue;
        const double *part = message(gradient, x, first + i, layer + 1);
        for (uint32_t k = 0; k < p; k++)
            sum[k] += weight * part[k];
    }
    return sum;
}

const double *lag_tree_gradient_decode(lag_tree_gradient *gradient, const double *x,
                                       double *ret_error)
{
    const double *decoded = message(gradient, x, 0, 0);
    double error = 0, most = 0;

    memset(gradient->exact, 0, gradient->n_parameters * sizeof *gradient->exact);
    lag_model_add_gradient(gradient->model, x, gradient->all, NULL,
                           gradient->model->dataset->train.n, gradient->exact, gradient->scratch);
    for (uint32_t k = 0; k < gradient->n_parameters; k++) {
        error = fmax(error, fabs(decoded[k] - gradient->exact[k]));
        most = fmax(most, fabs(gradient->exact[k]));
    }
    *ret_error = most > 0 ? error / most : error;
    return decoded;
}
