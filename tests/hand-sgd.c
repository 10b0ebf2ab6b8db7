/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/hand-sgd.h"

#include <math.h>
#include <string.h>

void hand_sgd_init(hand_sgd *sgd, lag_learner *learner, uint32_t n_workers, uint32_t most_samples,
                   uint64_t seed)
{
    uint32_t n = lag_learner_n_parameters(learner);

    *sgd = (hand_sgd){.learner = learner, .n_workers = n_workers, .n = n};
    sgd->x = g_new(double, n);
    lag_learner_start(learner, seed, 0, sgd->x);
    sgd->before = g_memdup2(sgd->x, n * sizeof *sgd->x);
    sgd->own = g_new(double, n);
    sgd->sum = g_new(double, n);
    sgd->piece = g_new(double, n);
    sgd->sums = g_new0(double, (size_t)n_workers *n);
    sgd->last = g_new0(uint32_t, n_workers);
    sgd->indices = g_new(uint32_t, most_samples);
}

void hand_sgd_clear(hand_sgd *sgd)
{
    g_free(sgd->x);
    g_free(sgd->before);
    g_free(sgd->own);
    g_free(sgd->sum);
    g_free(sgd->piece);
    g_free(sgd->sums);
    g_free(sgd->last);
    g_free(sgd->indices);
    *sgd = (hand_sgd){0};
}

static void add(double *sum, double factor, const double *part, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        sum[i] += factor * part[i];
}

/* The sum of a worker's gradients, micro-batch after micro-batch. */
static void compute(hand_sgd *sgd, uint32_t worker, uint32_t batch)
{
    double *sum = &sgd->sums[(size_t)worker * sgd->n];
    uint32_t micro = sgd->micro > 0 ? sgd->micro : batch;

    memcpy(sgd->own, sgd->delay > 0 ? sgd->before : sgd->x, sgd->n * sizeof *sum);
    if (sgd->own_rate > 0 && sgd->last[worker] > 0)
        add(sgd->own, -sgd->own_rate / sgd->last[worker], sum, sgd->n);
    memset(sum, 0, sgd->n * sizeof *sum);
    for (uint32_t done = 0; done < batch; done += micro) {
        memset(sgd->piece, 0, sgd->n * sizeof *sum);
        lag_learner_draw(sgd->learner, worker, micro, sgd->indices);
        lag_learner_add_gradient(sgd->learner, sgd->own, sgd->indices, micro, sgd->piece);
        add(sum, 1, sgd->piece, sgd->n);
    }
    sgd->last[worker] = batch;
}

bool hand_sgd_update(hand_sgd *sgd, const uint32_t *batches)
{
    double n_samples = 0;

    memset(sgd->sum, 0, sgd->n * sizeof *sgd->sum);
    for (uint32_t worker = 0; worker < sgd->n_workers; worker++) {
        compute(sgd, worker, batches[worker]);
        add(sgd->sum, 1, &sgd->sums[(size_t)worker * sgd->n], sgd->n);
        n_samples += batches[worker];
    }
    memcpy(sgd->before, sgd->x, sgd->n * sizeof *sgd->x);
    return lag_learner_step(sgd->learner, sgd->x, sgd->sum, n_samples, 1);
}

void abs_recursion_next(abs_recursion *recursion, uint32_t *counts)
{
    double start = 0;

    for (uint32_t i = 0; i < recursion->n; i++) {
        double tau = recursion->tau[i], before = recursion->ends_at[i];
        recursion->ends_at[i] = fmax(before + 1, ceil(recursion->end / tau));
        counts[i] = (uint32_t)(recursion->ends_at[i] - before);
        start = fmax(start, recursion->ends_at[i] * tau);
    }
    recursion->end = start + recursion->collective;
}
