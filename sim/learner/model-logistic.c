/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logistic regression: parameters are the weights of the features, then a constant. */
#include <math.h>

#include "sim/learner/model.h"

static uint32_t n_parameters(const struct lag_model *model)
{
    return model->dataset->n_features + 1;
}

static uint32_t n_scratch(const struct lag_model *model)
{
    (void)model;
    return 0;
}

static double margin(const struct lag_model *model, const double *x, const double *row)
{
    uint32_t n = model->dataset->n_features;
    double sum = x[n];

    for (uint32_t i = 0; i < n; i++)
        sum += row[i] * x[i];
    return sum;
}

static void add_gradient(const struct lag_model *model, const double *x,
                         const struct lag_rows *rows, double *sum, double *scratch)
{
    uint32_t n = model->dataset->n_features;

    (void)scratch;
    for (uint32_t k = 0; k < rows->n; k++) {
        const double *row = rows->features[k];
        double probability = 1 / (1 + exp(-margin(model, x, row)));
        double factor = rows->weights[k] * (probability - rows->targets[k]);
        for (uint32_t i = 0; i < n; i++)
            sum[i] += factor * row[i];
        sum[n] += factor;
    }
}

/* log(1 + e^m) - target m, without overflow. */
static void losses(const struct lag_model *model, const double *x, const struct lag_rows *rows,
                   double *loss, bool *right, double *scratch)
{
    (void)scratch;
    for (uint32_t k = 0; k < rows->n; k++) {
        double m = margin(model, x, rows->features[k]);
        loss[k] = fmax(m, 0) + log1p(exp(-fabs(m))) - rows->targets[k] * m;
        right[k] = (m > 0) == (rows->targets[k] > 0);
    }
}

const struct lag_model_kind lag_model_kind_logistic = {
    .name = "logistic",
    .summary = "logistic regression: one of two classes",
    .formula = "log(1 + e^m) - target m, m = w . features + w0",
    .min_classes = 2,
    .max_classes = 2,
    .n_parameters = n_parameters,
    .n_scratch = n_scratch,
    .add_gradient = add_gradient,
    .losses = losses,
};
