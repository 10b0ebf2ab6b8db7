/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "results/summary.h"

static void assert_close(double a, double b)
{
    g_assert_cmpfloat_with_epsilon(a, b, 1e-9 * fabs(b));
}

/* 5, 1, 4, 2, 3: mean 3; squared deviations sum to 10, so the variance is 10 / 4. Quantile p lies
 * at position 4 p of the sorted values: 3.8 is 0.8 of the way from 4 to 5. Student's t for 97.5 %
 * and 4 degrees of freedom is 2.7764451 (any table), the interval 3 +- 2.7764451 sqrt(2.5 / 5). */
static void test_statistics(void)
{
    const double samples[] = {5, 1, 4, 2, 3};
    struct lag_statistics s = lag_statistics_of(samples, G_N_ELEMENTS(samples));

    assert_close(s.mean, 3);
    assert_close(s.stddev, sqrt(2.5));
    assert_close(s.min, 1);
    assert_close(s.p50, 3);
    assert_close(s.p95, 4.8);
    assert_close(s.p99, 4.96);
    assert_close(s.max, 5);
    g_assert_cmpfloat_with_epsilon(s.ci95_low, 3 - 2.7764451 * sqrt(0.5), 1e-6);
    g_assert_cmpfloat_with_epsilon(s.ci95_high, 3 + 2.7764451 * sqrt(0.5), 1e-6);
}

/* One value says nothing of its spread; equal values say that there is none. */
static void test_few_samples(void)
{
    const double samples[] = {0.1, 0.1, 0.1};
    struct lag_statistics one = lag_statistics_of(samples, 1);
    struct lag_statistics three = lag_statistics_of(samples, 3);
    struct lag_statistics none = lag_statistics_of(NULL, 0);

    g_assert_cmpfloat(one.mean, ==, 0.1);
    g_assert_cmpfloat(one.p99, ==, 0.1);
    g_assert_cmpfloat(one.stddev, ==, 0);
    g_assert_true(isnan(one.ci95_low) && isnan(one.ci95_high));
    g_assert_cmpfloat(three.mean, ==, 0.1);
    g_assert_cmpfloat(three.stddev, ==, 0);
    g_assert_cmpfloat(three.ci95_low, ==, 0.1);
    g_assert_true(isnan(none.mean) && isnan(none.max));
}

/* nccl-tests, doc/PERFORMANCE.md. */
static void test_busbw(void)
{
    assert_close(lag_busbw_factor(LAGGARD_ALLREDUCE, 8), 1.75);
    assert_close(lag_busbw_factor(LAGGARD_REDUCE_SCATTER, 8), 0.875);
    assert_close(lag_busbw_factor(LAGGARD_ALL_GATHER, 8), 0.875);
    assert_close(lag_busbw_factor(LAGGARD_BROADCAST, 8), 1);
    g_assert_cmpfloat(lag_busbw_factor(LAGGARD_ALLREDUCE, 1), ==, 0);
}

static void assert_bottleneck(const struct lag_critical_path *path, const char *expected)
{
    g_autofree char *text = lag_bottleneck(path);

    g_assert_cmpstr(text, ==, expected);
}

static void test_bottleneck(void)
{
    struct lag_link_share links[] = {
        {(char[]){"gpu3->switch"}, 0.51, true},
        {(char[]){"gpu4->switch"}, 0.49, true}
    };
    struct lag_critical_path path = {.recorded = true, .first_rank = 7, .last_rank = 2};

    assert_bottleneck(&path, "none");
    path.wait = 5.6;
    path.bandwidth = 4.4;
    path.first_share = 0.5; /* not the same rank in most runs */
    assert_bottleneck(&path, "wait 56 %");
    path.first_share = 0.51;
    assert_bottleneck(&path, "wait for rank 7, 56 %");
    path.bandwidth = 9;
    assert_bottleneck(&path, "bandwidth 62 %");
    path.links = links;
    path.n_links = 2;
    assert_bottleneck(&path, "bandwidth 62 %, gpu3->switch");
    links[0].slow = false; /* as fast as any: its neighbours would do no better */
    assert_bottleneck(&path, "bandwidth 62 %");
    links[0].slow = true;
    links[0].share = 0.5; /* no more than half */
    assert_bottleneck(&path, "bandwidth 62 %");
    path.latency = 20;
    assert_bottleneck(&path, "latency 58 %");
    path.compute = 1000;
    assert_bottleneck(&path, "compute 97 %, wait for rank 7 1 %");
    path.recorded = false;
    assert_bottleneck(&path, "not recorded");
}

/* Two replications of two steps, 1 3 and 5 7: the mean is 4 and the standard deviation that of all
 * four, but the interval is that of the means 2 and 6: sd 2.8284, t(1 degree) = 12.7062. */
static void test_blocks(void)
{
    const double samples[] = {1, 3, 5, 7};
    struct lag_statistics s = lag_statistics_of_blocks(samples, 4, 2);

    g_assert_cmpfloat(s.mean, ==, 4);
    g_assert_cmpfloat_with_epsilon(s.stddev, 2.581988897471611, 1e-12);
    g_assert_cmpfloat_with_epsilon(s.ci95_high - 4, 12.706204736174694 * 2, 1e-9);
    /* One block: its steps are all there is. */
    s = lag_statistics_of_blocks(samples, 4, 4);
    g_assert_cmpfloat_with_epsilon(s.ci95_high, lag_statistics_of(samples, 4).ci95_high, 1e-12);
}

/* The median of 1 .. 100: a binomial (1/2, 100) lies in 40 .. 60 with 96.5 % (its 2.5 % and 97.5 %
 * quantiles), so the 40th and the 61st value bracket it. The 99 % quantile of so few has no upper
 * end. And over 2,000 samples of 200 normal values, 93 to 98 % of the brackets hold the truth
 * (order statistics can't be had at exactly 95 %). */
static void test_quantile_intervals(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    double samples[200];
    int n_held = 0;

    for (int i = 0; i < 100; i++)
        samples[i] = 100 - i;
    struct lag_statistics s = lag_statistics_of(samples, 100);
    g_assert_cmpfloat(s.p50_low, ==, 40);
    g_assert_cmpfloat(s.p50_high, ==, 61);
    g_assert_true(isnan(s.p99_high));
    for (int i = 0; i < 2000; i++) {
        for (int k = 0; k < 200; k++)
            samples[k] = gsl_ran_gaussian(rng, 1);
        s = lag_statistics_of(samples, 200);
        n_held += s.p95_low <= 1.6448536269514722 && 1.6448536269514722 <= s.p95_high;
    }
    g_assert_cmpint(n_held, >, 1860);
    g_assert_cmpint(n_held, <, 1960);
    gsl_rng_free(rng);
}

/* Transfers take 3 of 3 + 5 parts; 3e-7; nothing of nothing; and nobody knows. */
static void test_network_matters(void)
{
    struct lag_critical_path path = {
        .recorded = true, .bandwidth = 1, .latency = 1, .contention = 1, .wait = 3, .compute = 2};

    g_assert_true(lag_network_matters(&path));
    path.wait = 1e7;
    g_assert_false(lag_network_matters(&path));
    path.recorded = false;
    g_assert_true(lag_network_matters(&path));
    g_assert_true(lag_network_matters(&(struct lag_critical_path){.recorded = true}));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/summary/statistics", test_statistics);
    g_test_add_func("/summary/few-samples", test_few_samples);
    g_test_add_func("/summary/busbw", test_busbw);
    g_test_add_func("/summary/bottleneck", test_bottleneck);
    g_test_add_func("/summary/network-matters", test_network_matters);
    g_test_add_func("/summary/blocks", test_blocks);
    g_test_add_func("/summary/quantile-intervals", test_quantile_intervals);
    return g_test_run();
}
