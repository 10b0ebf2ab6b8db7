/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/samples.h"

#include <math.h>
#include <stdlib.h>

#define FEW 6

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(const double *sorted, uint32_t n, double p)
{
    double place = p * (n - 1);
    uint32_t i = (uint32_t)place;

    return i + 1 < n ? sorted[i] + (sorted[i + 1] - sorted[i]) * (place - i) : sorted[n - 1];
}

/* Ranks n / 2 -+ 0.98 sqrt(n), outwards. */
static double interval(const double *sorted, uint32_t n, double median)
{
    double reach = 0.98 * sqrt(n), low = floor(0.5 * n - reach), high = ceil(0.5 * n + reach);
    uint32_t first = low > 0 ? (uint32_t)low : 0;
    uint32_t last = high < n - 1 ? (uint32_t)high : n - 1;

    if (n < FEW) {
        first = 0;
        last = n - 1;
    }
    return (sorted[last] - sorted[first]) / 2 / median;
}

struct lag_samples_summary lag_samples_summarise(double *values, uint32_t n)
{
    qsort(values, n, sizeof *values, compare);
    struct lag_samples_summary summary = {
        .median = quantile(values, n, 0.5),
        .min = values[0],
        .p05 = quantile(values, n, 0.05),
        .p25 = quantile(values, n, 0.25),
        .p75 = quantile(values, n, 0.75),
        .p95 = quantile(values, n, 0.95),
        .max = values[n - 1],
    };
    double reach = 3 * (summary.p75 - summary.p25);

    summary.interval = interval(values, n, summary.median);
    for (uint32_t i = 0; i < n; i++)
        summary.outliers += values[i] < summary.p25 - reach || values[i] > summary.p75 + reach;
    return summary;
}
