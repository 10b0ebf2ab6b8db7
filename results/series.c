/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/series.h"

#include <assert.h>
#include <math.h>

#include <gsl/gsl_cdf.h>

/* Welford, Technometrics 4, 1962. */
void lag_moments_add(struct lag_moments *moments, double value)
{
    double off = value - moments->mean;

    moments->n++;
    moments->mean += off / (double)moments->n;
    moments->m2 += off * (value - moments->mean);
}

/* Chan, Golub, LeVeque, COMPSTAT 1982. */
void lag_moments_merge(struct lag_moments *moments, const struct lag_moments *other)
{
    double n = (double)(moments->n + other->n), off = other->mean - moments->mean;

    if (other->n == 0)
        return;
    moments->m2 += other->m2 + off * off * (double)moments->n * (double)other->n / n;
    moments->mean += off * (double)other->n / n;
    moments->n += other->n;
}

void lag_series_init(struct lag_series *series, uint32_t n_each)
{
    *series = (struct lag_series){.n_each = n_each};
    lag_sketch_init(&series->sketch);
}

void lag_series_clear(struct lag_series *series)
{
    if (series != NULL)
        lag_sketch_clear(&series->sketch);
}

void lag_series_add(struct lag_series *series, double value)
{
    lag_sketch_add(&series->sketch, value);
    lag_moments_add(&series->values, value);
    series->block_sum += value;
    if (++series->n_in_block < series->n_each)
        return;
    lag_moments_add(&series->blocks, series->block_sum / series->n_each);
    series->n_in_block = 0;
    series->block_sum = 0;
}

void lag_series_merge(struct lag_series *series, const struct lag_series *later)
{
    assert(series->n_in_block == 0 && later->n_in_block == 0);
    lag_sketch_merge(&series->sketch, &later->sketch);
    lag_moments_merge(&series->values, &later->values);
    lag_moments_merge(&series->blocks, &later->blocks);
}

static double deviation(const struct lag_moments *moments)
{
    return moments->n < 2 ? 0 : sqrt(moments->m2 / (double)(moments->n - 1));
}

struct lag_statistics lag_series_statistics(const struct lag_series *series)
{
    static const double levels[] = {0.50, 0.95, 0.99};
    const struct lag_moments *independent =
        series->blocks.n > 1 ? &series->blocks : &series->values;
    struct lag_statistics s = lag_statistics_of(NULL, 0);
    double quantiles[3];

    if (series->values.n == 0)
        return s;
    lag_sketch_quantiles(&series->sketch, levels, quantiles, 3);
    s.mean = series->values.mean;
    s.stddev = deviation(&series->values);
    s.min = series->sketch.min;
    s.max = series->sketch.max;
    s.p50 = quantiles[0];
    s.p95 = quantiles[1];
    s.p99 = quantiles[2];
    if (independent->n < 2)
        return s;
    double t = gsl_cdf_tdist_Pinv(0.975, (double)(independent->n - 1));
    double half = t * deviation(independent) / sqrt((double)independent->n);
    s.ci95_low = s.mean - half;
    s.ci95_high = s.mean + half;
    return s;
}
