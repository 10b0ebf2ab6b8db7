/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute or network, warm-up, and gaps in the numbers of steps. */
#include <math.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "results/trace-stats.h"

#define LEAST_STEPS  8 /* to know what is usual */
#define BOUND        8 /* deviations from the median */
#define LEAST_SHARE  0.5
#define LEAST_SQUARE 0.1

struct lag_measured lag_measured_after(const struct lag_measured *trace, uint32_t n_skipped)
{
    size_t skipped = (size_t)n_skipped * trace->n_ranks;

    return (struct lag_measured){
        .n_steps = trace->n_steps - n_skipped,
        .n_ranks = trace->n_ranks,
        .step = trace->step + n_skipped,
        .arrival = trace->arrival + skipped,
        .duration = trace->duration != NULL ? trace->duration + skipped : NULL,
    };
}

/* The largest value that is not unlike the others. */
static double find_bound(const double *value, size_t n)
{
    g_autofree double *sorted = g_memdup2(value, n * sizeof *value);
    g_autofree double *work = g_new(double, n);

    gsl_sort(sorted, 1, n);
    double median = gsl_stats_median_from_sorted_data(sorted, 1, n);
    double deviation = gsl_stats_mad0(value, 1, n, work);
    if (deviation <= 0)
        deviation = gsl_stats_absdev_m(value, 1, n, median);
    return median + BOUND * deviation;
}

uint32_t lag_trace_warm_up(const struct lag_measured *trace)
{
    size_t n = trace->n_steps;
    g_autofree double *spread = g_new(double, n), *longest = g_new0(double, n);
    double most_spread, most_longest;
    uint32_t n_first = 0;

    if (n < LEAST_STEPS)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        spread[i] = lag_trace_last(trace, i).spread;
        if (trace->duration != NULL)
            longest[i] =
                gsl_stats_max(trace->duration + (size_t)i * trace->n_ranks, 1, trace->n_ranks);
    }
    most_spread = find_bound(spread, n);
    most_longest = find_bound(longest, n);
    while (n_first < n / 4 && (spread[n_first] > most_spread || longest[n_first] > most_longest))
        n_first++;
    return n_first;
}

uint64_t lag_trace_missing_steps(const struct lag_measured *trace)
{
    uint64_t stride = UINT64_MAX, n_missing = 0;

    for (uint32_t i = 1; i < trace->n_steps; i++)
        stride = MIN(stride, trace->step[i] - trace->step[i - 1]);
    for (uint32_t i = 1; i < trace->n_steps; i++)
        n_missing += (trace->step[i] - trace->step[i - 1] - 1) / stride;
    return n_missing;
}

/* Lateness of all steps, each about its own mean; then about each rank's mean too. */
static double *centred(const struct lag_measured *trace)
{
    size_t n_ranks = trace->n_ranks;
    double *value = g_new(double, trace->n_steps *n_ranks);

    for (uint32_t i = 0; i < trace->n_steps; i++) {
        double *of_step = value + i * n_ranks;
        lag_trace_lateness(trace, i, of_step);
        double mean = gsl_stats_mean(of_step, 1, n_ranks);
        for (size_t rank = 0; rank < n_ranks; rank++)
            of_step[rank] -= mean;
    }
    return value;
}

static void take_rank_means(double *value, size_t n_steps, size_t n_ranks)
{
    for (size_t rank = 0; rank < n_ranks; rank++) {
        double mean = gsl_stats_mean(value + rank, n_ranks, n_steps);
        for (size_t i = 0; i < n_steps; i++)
            value[i * n_ranks + rank] -= mean;
    }
}

static double sum_of_products(const double *x, const double *y, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static double correlate(const double *x, const double *y, size_t n)
{
    double xx = sum_of_products(x, x, n), yy = sum_of_products(y, y, n);

    return xx > 0 && yy > 0 ? sum_of_products(x, y, n) / sqrt(xx * yy) : NAN;
}

static enum lag_cause find_cause(const struct lag_comparison *comparison)
{
    if (isnan(comparison->explained))
        return LAG_CAUSE_NONE;
    if (comparison->explained >= LEAST_SHARE)
        return LAG_CAUSE_COMPUTE;
    bool related = comparison->correlation * comparison->correlation >= LEAST_SQUARE;
    return related ? LAG_CAUSE_MIXED : LAG_CAUSE_NETWORK;
}

struct lag_comparison lag_trace_compare(const struct lag_measured *late,
                                        const struct lag_measured *compute)
{
    size_t n = (size_t)late->n_steps * late->n_ranks;
    struct lag_comparison ret = {.n_steps = late->n_steps};
    g_autofree double *x = centred(late), *y = centred(compute);
    double total = sum_of_products(x, x, n), left = 0;

    for (size_t i = 0; i < n; i++)
        left += (x[i] - y[i]) * (x[i] - y[i]);
    ret.explained = total > 0 ? 1 - left / total : NAN;
    ret.correlation = correlate(x, y, n);
    take_rank_means(x, late->n_steps, late->n_ranks);
    take_rank_means(y, late->n_steps, late->n_ranks);
    ret.within_correlation = correlate(x, y, n);
    for (uint32_t i = 0; i < late->n_steps; i++) {
        struct lag_last one = lag_trace_last(late, i), other = lag_trace_last(compute, i);
        ret.n_agree += !one.tied && !other.tied && one.rank == other.rank;
        ret.mean_gap += other.gap / late->n_steps;
    }
    ret.cause = find_cause(&ret);
    return ret;
}
