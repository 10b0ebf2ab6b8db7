/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least squares: parameters are the weights of the features, without a constant. */
#include "sim/learner/model.h"

static uint32_t n_parameters(const struct lag_model *model)
{
    return model->dataset->n_features;
}

static uint32_t n_scratch(const struct lag_model *model)
{
    (void)model;
    return 0;
}

static double residual(const struct lag_model *model, const double *x, const double *row,
                       double target)
{
    double sum = 0;

    for (uint32_t i = 0; i < model->n_parameters; i++)
        sum += row[i] * x[i];
    return sum - target;
}

static void add_gradient(const struct lag_model *model, const double *x,
                         const struct lag_rows *rows, double *sum, double *scratch)
{
    (void)scratch;
    for (uint32_t k = 0; k < rows->n; k++) {
        const double *row = rows->features[k];
        double factor = rows->weights[k] * residual(model, x, row, rows->targets[k]);
        for (uint32_t i = 0; i < model->n_parameters; i++)
            sum[i] += factor * row[i];
    }
}

/* Halves are exact, so that the mean of these is sum / (2 n) to the last bit. */
static void losses(const struct lag_model *model, const double *x, const struct lag_rows *rows,
                   double *loss, bool *right, double *scratch)
{
    (void)scratch;
    for (uint32_t k = 0; k < rows->n; k++) {
        double error = residual(model, x, rows->features[k], rows->targets[k]);
        loss[k] = error * error / 2;
        right[k] = false;
    }
}

const struct lag_model_kind lag_model_kind_least_squares = {
    .name = "least-squares",
    .summary = "a weighted sum of the features, against a number",
    .formula = "(w . features - target)^2 / 2",
    .n_parameters = n_parameters,
    .n_scratch = n_scratch,
    .add_gradient = add_gradient,
    .losses = losses,
};
