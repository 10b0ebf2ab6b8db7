/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A perceptron with one hidden layer of rectified units. Parameters are the two layers, each as
 * dense.h has it: w[feature][hidden], b[hidden], then w[hidden][class], b[class]. */
#include <math.h>

#include "sim/learner/dense.h"
#include "sim/learner/model.h"
#include "sim/learner/splitmix.h"

struct layers {
    struct lag_dense lower, upper;
};

static struct layers layers_of(const struct lag_model *model)
{
    return (struct layers){
        {model->dataset->n_features, model->n_hidden          },
        {model->n_hidden,            model->dataset->n_classes}
    };
}

static uint32_t n_parameters(const struct lag_model *model)
{
    struct layers layers = layers_of(model);

    return lag_dense_n_parameters(layers.lower) + lag_dense_n_parameters(layers.upper);
}

/* Of each sample: its hidden units, its scores, and the slopes of its hidden units. */
static uint32_t n_scratch(const struct lag_model *model)
{
    return LAG_MOST_ROWS * (2 * model->n_hidden + model->dataset->n_classes);
}

/* Weights uniform with variance 2 / inputs (He et al. 2015, arXiv 1502.01852), constants 0. */
static void start_layer(struct lag_dense layer, uint64_t *rng, double *w)
{
    double limit = sqrt(6.0 / layer.n_in);

    for (size_t i = 0; i < (size_t)layer.n_in * layer.n_out; i++)
        w[i] = limit * (2.0 * lag_splitmix_uniform(rng) - 1.0);
}

static void start(const struct lag_model *model, uint64_t seed, double *x)
{
    struct layers layers = layers_of(model);
    uint64_t rng = seed;

    start_layer(layers.lower, &rng, x);
    start_layer(layers.upper, &rng, x + lag_dense_n_parameters(layers.lower));
}

static double *scores_in(struct layers layers, double *scratch)
{
    return scratch + LAG_MOST_ROWS * layers.lower.n_out;
}

/* Leaves hidden units, and slopes of scores, in scratch. */
static void losses(const struct lag_model *model, const double *x, const struct lag_rows *rows,
                   double *loss, bool *right, double *scratch)
{
    struct layers layers = layers_of(model);
    const double *upper = x + lag_dense_n_parameters(layers.lower), *hidden[LAG_MOST_ROWS];
    double *scores = scores_in(layers, scratch);
    uint32_t n_hidden = layers.lower.n_out, n_classes = layers.upper.n_out;

    lag_dense_forward(layers.lower, x, rows->features, rows->n, scratch);
    for (uint32_t j = 0; j < rows->n * n_hidden; j++)
        scratch[j] = scratch[j] > 0 ? scratch[j] : 0;
    for (uint32_t k = 0; k < rows->n; k++)
        hidden[k] = &scratch[k * n_hidden];
    lag_dense_forward(layers.upper, upper, hidden, rows->n, scores);
    for (uint32_t k = 0; k < rows->n; k++)
        loss[k] = lag_cross_entropy(&scores[k * n_classes], n_classes, (uint32_t)rows->targets[k],
                                    &right[k]);
}

static void add_gradient(const struct lag_model *model, const double *x,
                         const struct lag_rows *rows, double *sum, double *scratch)
{
    struct layers layers = layers_of(model);
    uint32_t n_lower = lag_dense_n_parameters(layers.lower);
    uint32_t n_hidden = layers.lower.n_out, n_classes = layers.upper.n_out;
    double *slopes = scores_in(layers, scratch), *back = slopes + LAG_MOST_ROWS * n_classes;
    const double *hidden[LAG_MOST_ROWS];
    double loss[LAG_MOST_ROWS];
    bool right[LAG_MOST_ROWS];

    losses(model, x, rows, loss, right, scratch);
    for (uint32_t k = 0; k < rows->n; k++) {
        double *own = &slopes[k * n_classes], *below = &back[k * n_hidden];
        hidden[k] = &scratch[k * n_hidden];
        for (uint32_t j = 0; j < n_classes; j++)
            own[j] *= rows->weights[k];
        lag_dense_backward(layers.upper, x + n_lower, own, below);
        for (uint32_t j = 0; j < n_hidden; j++)
            below[j] = hidden[k][j] > 0 ? below[j] : 0;
    }
    lag_dense_add(layers.lower, rows->features, back, rows->n, sum);
    lag_dense_add(layers.upper, hidden, slopes, rows->n, sum + n_lower);
}

const struct lag_model_kind lag_model_kind_mlp = {
    .name = "mlp",
    .summary = "one hidden layer of rectified units: one of several classes",
    .formula = "-log softmax(V max(W features + b, 0) + c)[target]",
    .min_classes = 2,
    .max_classes = UINT32_MAX,
    .has_hidden = true,
    .n_parameters = n_parameters,
    .n_scratch = n_scratch,
    .start = start,
    .add_gradient = add_gradient,
    .losses = losses,
};
