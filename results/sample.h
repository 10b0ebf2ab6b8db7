/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured values in order, few enough to evaluate a likelihood a thousand times: of a large
 * sample the ends stay as they are, and what lies between becomes blocks of neighbours. */
#ifndef LAGGARD_RESULTS_SAMPLE_H
#define LAGGARD_RESULTS_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#define LAG_SAMPLE_NODES 1024 /* most that a sample has */

/* The moments are of all values. Those of logarithms need values above 0; else they are NAN. */
typedef struct lag_sample {
    size_t n;
    double mean, sd; /* sd divides by n - 1; of one value it is 0 */
    double min, max;
    double log_mean, log_sd; /* log_sd divides by n */
    uint32_t n_nodes;
    struct lag_node_of_sample {
        double value;  /* rising: the mean of its values */
        double weight; /* how many these are */
    } * nodes;
} lag_sample;

/* Sorts values[n], n > 0, none below 0, in place. They are borrowed for the call only. */
lag_sample *lag_sample_new(double *values, size_t n);
void lag_sample_free(lag_sample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_sample, lag_sample_free)

/* What people quote of a sample. Quantiles interpolate linearly between order statistics. All NAN
 * where there are no values; sd divides by n - 1, and is NAN of one value. */
struct lag_quantiles {
    size_t n;
    double mean, sd, min, p10, p25, p50, p75, p90, max;
};
/* Sorts values[n], none below 0, in place. */
struct lag_quantiles lag_quantiles_of(double *values, size_t n);

#endif
