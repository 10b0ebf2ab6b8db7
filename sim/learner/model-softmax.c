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
    return LAG_BLOCK * model->dataset->n_classes;
}

static void losses(const struct lag_model *model, const double *x, const struct lag_block *block,
                   double *loss, bool *right, double *scratch)
{
    struct lag_dense layer = layer_of(model);

    for (uint32_t k = 0; k < block->n; k++) {
        double *scores = &scratch[k * layer.n_out];
        lag_dense_forward(layer, x, block->rows[k], scores);
        loss[k] = lag_cross_entropy(scores, layer.n_out, (uint32_t)block->targets[k], &right[k]);
    }
}

static void add_gradient(const struct lag_model *model, const double *x,
                         const struct lag_block *block, double *sum, double *scratch)
{
    struct lag_dense layer = layer_of(model);
    double loss[LAG_BLOCK];
    bool right[LAG_BLOCK];

    losses(model, x, block, loss, right, scratch);
    for (uint32_t k = 0; k < block->n; k++)
        for (uint32_t j = 0; j < layer.n_out; j++)
            scratch[k * layer.n_out + j] *= block->weights[k];
    lag_dense_add(layer, block->rows, scratch, block->n, sum);
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
