/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Softmax regression: parameters are w[feature][class], then a constant for each class. */
#include "sim/learner/dense.h"
#include "sim/learner/model.h"

static struct lag_dense layer_of(const struct lag_model *model)
{
    return (struct lag_dense){model->dataset->n_features, model->dataset->n_classes};
}

static uint32_t n_parameters(const struct lag_model *model)
{
    return lag_dense_n_parameters(layer_of(model));
}

static uint32_t n_scratch(const struct lag_model *model)
{
    return LAG_MOST_ROWS * model->dataset->n_classes;
}

static void losses(const struct lag_model *model, const double *x, const struct lag_rows *rows,
                   double *loss, bool *right, double *scratch)
{
    struct lag_dense layer = layer_of(model);

    lag_dense_forward(layer, x, rows->features, rows->n, scratch);
    for (uint32_t k = 0; k < rows->n; k++) {
        double *scores = &scratch[k * layer.n_out];
        loss[k] = lag_cross_entropy(scores, layer.n_out, (uint32_t)rows->targets[k], &right[k]);
    }
}

static void add_gradient(const struct lag_model *model, const double *x,
                         const struct lag_rows *rows, double *sum, double *scratch)
{
    struct lag_dense layer = layer_of(model);
    double loss[LAG_MOST_ROWS];
    bool right[LAG_MOST_ROWS];

    losses(model, x, rows, loss, right, scratch);
    for (uint32_t k = 0; k < rows->n; k++)
        for (uint32_t j = 0; j < layer.n_out; j++)
            scratch[k * layer.n_out + j] *= rows->weights[k];
    lag_dense_add(layer, rows->features, scratch, rows->n, sum);
}

const struct lag_model_kind lag_model_kind_softmax = {
    .name = "softmax",
    .summary = "softmax regression: one of several classes",
    .formula = "-log softmax(W features + b)[target]",
    .min_classes = 2,
    .max_classes = UINT32_MAX,
    .n_parameters = n_parameters,
    .n_scratch = n_scratch,
    .add_gradient = add_gradient,
    .losses = losses,
};
