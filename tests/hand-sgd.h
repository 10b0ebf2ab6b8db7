/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Updates of synchronous and delayed SGD by hand, without clock and events: who contributes how many
 * samples to which update is given. What protocols must come to, and how a learner is used. */
#ifndef LAGGARD_TESTS_HAND_SGD_H
#define LAGGARD_TESTS_HAND_SGD_H

#include "sim/learner/learner.h"

typedef struct {
    lag_learner *learner; /* borrowed */
    uint32_t n_workers;
    uint32_t delay; /* 0, or 1: gradients of the version before the newest */
    uint32_t micro; /* samples of a micro-batch; 0: a batch is one */
    double
        own_rate; /* OD-SGD: each worker applies its own last gradient, at this rate / its samples */
    uint32_t n;
    double *x, *before;         /* the newest version, and the one before it */
    double *sums, *sum, *piece; /* sums: [n_workers][n], the last of each */
    double *own;                /* parameters that a worker computes on */
    uint32_t *last, *indices;   /* last: samples of each worker's last batch */
} hand_sgd;

/* Begins at seed and replication 0. Batches have at most most_samples. */
void hand_sgd_init(hand_sgd *sgd, lag_learner *learner, uint32_t n_workers, uint32_t most_samples,
                   uint64_t seed);
void hand_sgd_clear(hand_sgd *sgd);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(hand_sgd, hand_sgd_clear)

/* One update, of batches[worker] samples each; false where it diverged. */
bool hand_sgd_update(hand_sgd *sgd, const uint32_t *batches);

/* How many micro-batches each of n <= 16 workers contributes to update k of ABS-SGD, k = 1, 2, ...
 * in turn, by the recursion of section 2.3: micro-batches take tau[worker], a collective T_c. */
typedef struct {
    uint32_t n;
    const double *tau;
    double collective, end;
    double ends_at[16]; /* micro-batches done at the last join */
} abs_recursion;
void abs_recursion_next(abs_recursion *recursion, uint32_t *counts);

#endif
