/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of repeated measurements: of order, for a few of them are disturbed. */
#ifndef LAGGARD_KERNELS_SAMPLES_H
#define LAGGARD_KERNELS_SAMPLES_H

#include <stdint.h>

struct lag_samples_summary {
    double median, min, p05, p25, p75, p95, max;
    double interval;   /* half of the median's 95 % interval, over the median; below 6 values, half
                        * of their range */
    uint32_t outliers; /* more than 3 times the quartiles' distance away from them */
};

/* Sorts the values; n >= 1. Quantiles are linear between values (Hyndman and Fan's type 7); the
 * interval's ends are values, by the binomial law's normal approximation. */
struct lag_samples_summary lag_samples_summarise(double *values, uint32_t n);

#endif
