/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of a long sample, against those of the sample kept whole. */
#include <gsl/gsl_randist.h>

#include "results/series.h"
#include "tests/helpers.h"

#define N (2 * LAG_SKETCH_EXACT)

static void check(const struct lag_series *series, const double *values, uint32_t n_each)
{
    struct lag_statistics a = lag_series_statistics(series);
    struct lag_statistics b = lag_statistics_of_blocks(values, N, n_each);

    assert_near(a.mean, b.mean, 1e-12);
    assert_near(a.stddev, b.stddev, 1e-9);
    assert_near(a.ci95_low, b.ci95_low, 1e-9);
    assert_near(a.ci95_high, b.ci95_high, 1e-9);
    g_assert_cmpfloat(a.min, ==, b.min);
    g_assert_cmpfloat(a.max, ==, b.max);
    assert_near(a.p50, b.p50, 2 * LAG_SKETCH_ERROR);
    assert_near(a.p95, b.p95, 2 * LAG_SKETCH_ERROR);
    assert_near(a.p99, b.p99, 2 * LAG_SKETCH_ERROR);
}

/* Whole, and merged of three parts, with single values and with blocks of 8 as independent. */
static void against_whole(void)
{
    g_autoptr(gsl_rng) rng = test_rng(26);
    g_autofree double *values = g_new(double, N);

    for (size_t i = 0; i < N; i++)
        values[i] = gsl_ran_gamma(rng, 2, 1e-3);
    for (uint32_t n_each = 1; n_each <= 8; n_each += 7) {
        struct lag_series whole, parts[3];
        lag_series_init(&whole, n_each);
        for (int p = 0; p < 3; p++)
            lag_series_init(&parts[p], n_each);
        for (size_t i = 0; i < N; i++) {
            lag_series_add(&whole, values[i]);
            lag_series_add(&parts[i < 800 ? 0 : i < 8000 ? 1 : 2], values[i]);
        }
        lag_series_merge(&parts[0], &parts[1]);
        lag_series_merge(&parts[0], &parts[2]);
        check(&whole, values, n_each);
        check(&parts[0], values, n_each);
        lag_series_clear(&whole);
        for (int p = 0; p < 3; p++)
            lag_series_clear(&parts[p]);
    }
}

static void nothing(void)
{
    struct lag_series series;

    lag_series_init(&series, 1);
    g_assert_true(isnan(lag_series_statistics(&series).mean));
    lag_series_add(&series, 3);
    g_assert_cmpfloat(lag_series_statistics(&series).mean, ==, 3);
    g_assert_cmpfloat(lag_series_statistics(&series).stddev, ==, 0);
    g_assert_true(isnan(lag_series_statistics(&series).ci95_low));
    lag_series_clear(&series);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/series/against-whole", against_whole);
    g_test_add_func("/series/nothing", nothing);
    return g_test_run();
}
