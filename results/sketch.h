/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of any number of times in bounded memory. Up to LAG_SKETCH_EXACT values are kept as
 * they are; more are counted in buckets whose bounds grow geometrically, so that each quantile is
 * true to 0.05 % of its value. Sketches merge, and the result depends only on what was added, not
 * on the order or the grouping. Masson, Rim, Lee: DDSketch, VLDB 2019. */
#ifndef LAGGARD_RESULTS_SKETCH_H
#define LAGGARD_RESULTS_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#define LAG_SKETCH_EXACT 65536
#define LAG_SKETCH_ERROR 5e-4 /* relative, of a quantile beyond that */

struct lag_sketch {
    uint64_t n, n_zero; /* values; of them, 0 or too small for a bucket */
    double min, max;
    GArray *values;   /* of double, while n <= LAG_SKETCH_EXACT; then NULL */
    uint64_t *counts; /* values in bucket first .. first + n_buckets - 1 */
    int32_t first;
    uint32_t n_buckets;
};
void lag_sketch_init(struct lag_sketch *sketch);
void lag_sketch_clear(struct lag_sketch *sketch);

/* Adds a value >= 0. */
void lag_sketch_add(struct lag_sketch *sketch, double value);
void lag_sketch_merge(struct lag_sketch *sketch, const struct lag_sketch *other);

/* False where quantiles are true to LAG_SKETCH_ERROR only. */
bool lag_sketch_is_exact(const struct lag_sketch *sketch);

/* Quantiles for 0 <= q[i] <= 1, ascending; linear between order statistics where exact. NAN where
 * there is no value. */
void lag_sketch_quantiles(const struct lag_sketch *sketch, const double *q, double *ret, size_t n);

#endif
