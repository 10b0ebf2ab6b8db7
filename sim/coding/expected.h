/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expected times of coded aggregation, exact or as bounds, where a worker takes shift + Exp(tail) to
 * compute and a message of the model's size takes `message` at its parent's port.
 * Derived here, not a paper's; tests/test-expected.c has an independent program's values. */
#ifndef LAGGARD_SIM_CODING_EXPECTED_H
#define LAGGARD_SIM_CODING_EXPECTED_H

#include "sim/coding/coded-tree.h"
#include "sim/units.h"

/* Time of one worker's part [s]: shift + an exponential of mean tail, both >= 0. */
struct lag_work {
    lag_seconds shift, tail;
};

/* H_m = 1 + 1/2 + ... + 1/m. */
double lag_harmonic(uint32_t m);

/* The mean of the k-th of n workers, 1 <= k <= n: shift + tail (H_n - H_{n-k}). */
lag_seconds lag_work_kth(const struct lag_work *work, uint32_t k, uint32_t n);

/* The mean until one of each group of so many workers is done, group dividing n; nothing is sent. */
lag_seconds lag_work_groups(const struct lag_work *work, uint32_t n, uint32_t group);

/* The mean of an iteration of a tree whose parents receive all at once, each message `message` after it
 * is sent, and wait for any degree - stragglers: exact (relative error below 1e-9). Layer l is done at
 * the later of its own work and what it needs: G_l(t) = F(t) P(Bin(n, G_{l+1}(t - message)) >= n - s). */
lag_seconds lag_tree_time_parallel(const struct lag_tree *tree, const struct lag_work *work,
                                   lag_seconds message);

/* Between these is the mean where parents receive one message at a time, in order of readiness. Where
 * tail is 0 both are exact: shift + depth (degree - stragglers) message. */
struct lag_time_bounds {
    lag_seconds low, high;
};
struct lag_time_bounds lag_tree_time_serial(const struct lag_tree *tree,
                                            const struct lag_work *work, lag_seconds message);

/* The mean of the slowest worker, then a ring: 2 (n - 1) steps of message / n + step each. */
lag_seconds lag_ring_time(uint32_t n, const struct lag_work *work, lag_seconds message,
                          lag_seconds step);

#endif
