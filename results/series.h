/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sample too long to keep: its statistics in bounded memory, mergeable. */
#ifndef LAGGARD_RESULTS_SERIES_H
#define LAGGARD_RESULTS_SERIES_H

#include "results/sketch.h"
#include "results/summary.h"

/* Number, mean and sum of squared deviations. */
struct lag_moments {
    uint64_t n;
    double mean, m2;
};
void lag_moments_add(struct lag_moments *moments, double value);
void lag_moments_merge(struct lag_moments *moments, const struct lag_moments *other);

struct lag_series {
    struct lag_sketch sketch;
    struct lag_moments values, blocks; /* blocks: of the means of n_each values in a row */
    uint32_t n_each, n_in_block;
    double block_sum;
};
void lag_series_init(struct lag_series *series, uint32_t n_each);
void lag_series_clear(struct lag_series *series);
void lag_series_add(struct lag_series *series, double value);

/* Adds what `later` holds, which begins with a whole block. */
void lag_series_merge(struct lag_series *series, const struct lag_series *later);

/* As lag_statistics_of_blocks, with quantiles to LAG_SKETCH_ERROR and no intervals of them. */
struct lag_statistics lag_series_statistics(const struct lag_series *series);

#endif
