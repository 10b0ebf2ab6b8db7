/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dense layer, out = features . w + b, for some samples at once. Weights lie feature by feature,
 * w[feature][out], the constants b behind them as one more row, so that the inner loops run over
 * the outputs and vectorise without changing the order of any sum. A feature that is 0 adds
 * nothing and is left out, which halves the work on images. */
#ifndef LAGGARD_SIM_LEARNER_DENSE_H
#define LAGGARD_SIM_LEARNER_DENSE_H

#include <stdbool.h>
#include <stdint.h>

struct lag_dense {
    uint32_t n_in, n_out;
};

static inline uint32_t lag_dense_n_parameters(struct lag_dense layer)
{
    return (layer.n_in + 1) * layer.n_out;
}

/* out[k][n_out] of n samples. */
void lag_dense_forward(struct lag_dense layer, const double *w, const double *const *in, uint32_t n,
                       double *out);

/* Adds the gradients of n samples to sum [n_in + 1][n_out]: slopes[k][n_out] is the derivative of
 * the loss by sample k's outputs. */
void lag_dense_add(struct lag_dense layer, const double *const *in, const double *slopes,
                   uint32_t n, double *sum);

/* back[n_in]: the derivative of the loss by one sample's inputs. */
void lag_dense_backward(struct lag_dense layer, const double *w, const double *slopes,
                        double *back);

/* The loss -log softmax(scores)[target], and whether target has the highest score (the first of
 * equals). Turns scores into the loss's derivative by them. */
double lag_cross_entropy(double *scores, uint32_t n, uint32_t target, bool *right);

#endif
