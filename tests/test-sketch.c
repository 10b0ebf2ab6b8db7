/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles in bounded memory, against sorting everything. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "results/sketch.h"
#include "tests/helpers.h"

static const double levels[] = {0, 0.01, 0.5, 0.95, 0.99, 1};

/* 1, 2, 3, 4: the median is 2.5, the ends are the ends. */
static void by_hand(void)
{
    struct lag_sketch sketch;
    double q[6];

    lag_sketch_init(&sketch);
    lag_sketch_quantiles(&sketch, levels, q, 6);
    g_assert_true(isnan(q[0]));
    for (int i = 4; i >= 1; i--)
        lag_sketch_add(&sketch, i);
    lag_sketch_quantiles(&sketch, levels, q, 6);
    g_assert_true(lag_sketch_is_exact(&sketch));
    g_assert_cmpfloat(q[0], ==, 1);
    g_assert_cmpfloat(q[2], ==, 2.5);
    g_assert_cmpfloat(q[5], ==, 4);
    lag_sketch_clear(&sketch);
    lag_sketch_clear(&sketch);
}

/* A heavy tail with zeros and very different sizes, ten times what is kept exactly. */
static double draw(gsl_rng *rng)
{
    if (below(rng, 50) == 0)
        return 0;
    return 1e-6 * gsl_ran_pareto(rng, 0.7, 1);
}

static void against_sorting(void)
{
    g_autoptr(gsl_rng) rng = test_rng(24);
    size_t n = 10 * LAG_SKETCH_EXACT;
    g_autofree double *all = g_new(double, n);
    struct lag_sketch sketch;
    double q[6];

    lag_sketch_init(&sketch);
    for (size_t i = 0; i < n; i++)
        lag_sketch_add(&sketch, all[i] = draw(rng));
    gsl_sort(all, 1, n);
    lag_sketch_quantiles(&sketch, levels, q, 6);
    g_assert_false(lag_sketch_is_exact(&sketch));
    for (size_t i = 0; i < 6; i++) {
        double truth = all[(size_t)(levels[i] * (double)(n - 1))];
        g_assert_cmpfloat(fabs(q[i] - truth), <=, 1.001 * LAG_SKETCH_ERROR * truth);
    }
    /* Memory: buckets, however many values. */
    g_assert_cmpuint(sketch.n_buckets, <, 70000);
    lag_sketch_clear(&sketch);
}

/* The order and the grouping don't matter. */
static void merging(void)
{
    g_autoptr(gsl_rng) rng = test_rng(25);
    struct lag_sketch whole, parts[3], sum;
    double q[6], q_sum[6];

    lag_sketch_init(&whole);
    lag_sketch_init(&sum);
    for (int p = 0; p < 3; p++)
        lag_sketch_init(&parts[p]);
    for (size_t i = 0; i < 2 * LAG_SKETCH_EXACT; i++) {
        double value = draw(rng);
        lag_sketch_add(&whole, value);
        lag_sketch_add(&parts[i % 7 == 0 ? 0 : i % 7 == 1 ? 1 : 2], value);
    }
    for (int p = 2; p >= 0; p--) {
        lag_sketch_merge(&sum, &parts[p]);
        lag_sketch_clear(&parts[p]);
    }
    lag_sketch_quantiles(&whole, levels, q, 6);
    lag_sketch_quantiles(&sum, levels, q_sum, 6);
    g_assert_cmpuint(sum.n, ==, whole.n);
    for (size_t i = 0; i < 6; i++)
        g_assert_cmpfloat(q[i], ==, q_sum[i]);
    lag_sketch_clear(&whole);
    lag_sketch_clear(&sum);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sketch/by-hand", by_hand);
    g_test_add_func("/sketch/against-sorting", against_sorting);
    g_test_add_func("/sketch/merging", merging);
    return g_test_run();
}
