/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/sample.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#define DIGIT_BITS   11
#define DIGIT_VALUES ((size_t)1 << DIGIT_BITS)
#define FEW          4096 /* of which a comparison sort is as fast */
#define KEPT         64   /* values of a large sample that stay single at each end */
#define BLOCKS       (LAG_SAMPLE_NODES - 2 * KEPT)

/* The bits of numbers from 0 on rise as the numbers do: sorted digit by digit, the lowest first. */
static void sort_by_digits(double *values, size_t n)
{
    g_autofree uint64_t *from = g_new(uint64_t, n), *to = g_new(uint64_t, n);
    g_autofree size_t *start = g_new(size_t, DIGIT_VALUES + 1);

    memcpy(from, values, n * sizeof *from);
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        memset(start, 0, (DIGIT_VALUES + 1) * sizeof *start);
        for (size_t i = 0; i < n; i++)
            start[(from[i] >> shift) % DIGIT_VALUES + 1]++;
        for (size_t i = 0; i < DIGIT_VALUES; i++)
            start[i + 1] += start[i];
        for (size_t i = 0; i < n; i++)
            to[start[(from[i] >> shift) % DIGIT_VALUES]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    memcpy(values, from, n * sizeof *from);
}

static void sort_values(double *values, size_t n)
{
    if (n < FEW)
        gsl_sort(values, 1, n);
    else
        sort_by_digits(values, n);
}

static void take_moments(lag_sample *sample, const double *values)
{
    size_t n = sample->n;

    sample->mean = gsl_stats_mean(values, 1, n);
    sample->sd = n > 1 ? gsl_stats_sd_m(values, 1, n, sample->mean) : 0;
    sample->min = values[0];
    sample->max = values[n - 1];
    sample->log_mean = sample->log_sd = NAN;
    if (values[0] <= 0)
        return;
    g_autofree double *logs = g_new(double, n);
    for (size_t i = 0; i < n; i++)
        logs[i] = log(values[i]);
    sample->log_mean = gsl_stats_mean(logs, 1, n);
    sample->log_sd = gsl_stats_sd_with_fixed_mean(logs, 1, n, sample->log_mean);
}

static void add_node(lag_sample *sample, const double *values, size_t n)
{
    sample->nodes[sample->n_nodes++] =
        (struct lag_node_of_sample){gsl_stats_mean(values, 1, n), (double)n};
}

static void take_nodes(lag_sample *sample, const double *values)
{
    size_t n = sample->n, start = KEPT;

    sample->nodes = g_new(struct lag_node_of_sample, MIN(n, LAG_SAMPLE_NODES));
    if (n <= LAG_SAMPLE_NODES) {
        for (size_t i = 0; i < n; i++)
            add_node(sample, values + i, 1);
        return;
    }
    for (size_t i = 0; i < KEPT; i++)
        add_node(sample, values + i, 1);
    for (int i = 1; i <= BLOCKS; i++) { /* the nearer to an end the smaller */
        double share = (1 - cos(M_PI * i / BLOCKS)) / 2;
        size_t end = i < BLOCKS ? KEPT + (size_t)(share * (double)(n - 2 * KEPT)) : n - KEPT;
        if (end > start)
            add_node(sample, values + start, end - start);
        start = end;
    }
    for (size_t i = n - KEPT; i < n; i++)
        add_node(sample, values + i, 1);
}

lag_sample *lag_sample_new(double *values, size_t n)
{
    lag_sample *sample = g_new0(lag_sample, 1);

    assert(n > 0);
    sample->n = n;
    sort_values(values, n);
    take_moments(sample, values);
    take_nodes(sample, values);
    return sample;
}

void lag_sample_free(lag_sample *sample)
{
    if (sample != NULL) {
        g_free(sample->nodes);
        g_free(sample);
    }
}

struct lag_quantiles lag_quantiles_of(double *values, size_t n)
{
    struct lag_quantiles q = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

    if (n == 0)
        return q;
    sort_values(values, n);
    q.mean = gsl_stats_mean(values, 1, n);
    q.sd = n > 1 ? gsl_stats_sd_m(values, 1, n, q.mean) : NAN;
    q.min = values[0];
    q.p10 = gsl_stats_quantile_from_sorted_data(values, 1, n, 0.1);
    q.p25 = gsl_stats_quantile_from_sorted_data(values, 1, n, 0.25);
    q.p50 = gsl_stats_quantile_from_sorted_data(values, 1, n, 0.5);
    q.p75 = gsl_stats_quantile_from_sorted_data(values, 1, n, 0.75);
    q.p90 = gsl_stats_quantile_from_sorted_data(values, 1, n, 0.9);
    q.max = values[n - 1];
    return q;
}
