/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/learner/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void lag_dense_forward(struct lag_dense layer, const double *w, const double *in, double *out)
{
    uint32_t n_out = layer.n_out;

    memcpy(out, &w[(size_t)layer.n_in * n_out], n_out * sizeof *out);
    for (uint32_t i = 0; i < layer.n_in; i++) {
        const double *row = &w[(size_t)i * n_out];
        double value = in[i];
        if (value == 0)
            continue;
        for (uint32_t j = 0; j < n_out; j++)
            out[j] += value * row[j];
    }
}

void lag_dense_add(struct lag_dense layer, const double *const *in, const double *slopes,
                   uint32_t n, double *sum)
{
    uint32_t n_out = layer.n_out;
    double *constants = &sum[(size_t)layer.n_in * n_out];

    for (uint32_t i = 0; i < layer.n_in; i++) {
        double *row = &sum[(size_t)i * n_out];
        for (uint32_t k = 0; k < n; k++) {
            const double *slope = &slopes[(size_t)k * n_out];
            double value = in[k][i];
            if (value == 0)
                continue;
            for (uint32_t j = 0; j < n_out; j++)
                row[j] += value * slope[j];
        }
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < n_out; j++)
            constants[j] += slopes[(size_t)k * n_out + j];
}

void lag_dense_backward(struct lag_dense layer, const double *w, const double *slopes, double *back)
{
    for (uint32_t i = 0; i < layer.n_in; i++) {
        const double *row = &w[(size_t)i * layer.n_out];
        double sum = 0;
        for (uint32_t j = 0; j < layer.n_out; j++)
            sum += row[j] * slopes[j];
        back[i] = sum;
    }
}

double lag_cross_entropy(double *scores, uint32_t n, uint32_t target, bool *right)
{
    uint32_t best = 0;
    double own = scores[target], sum = 0;

    for (uint32_t j = 1; j < n; j++)
        if (scores[j] > scores[best])
            best = j;
    double highest = scores[best];
    for (uint32_t j = 0; j < n; j++) {
        scores[j] = exp(scores[j] - highest);
        sum += scores[j];
    }
    for (uint32_t j = 0; j < n; j++)
        scores[j] /= sum;
    scores[target] -= 1;
    *right = best == target;
    return log(sum) - (own - highest);
}
