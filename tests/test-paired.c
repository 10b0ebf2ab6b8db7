/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paired comparisons, by hand and by how often their intervals hold the truth. */
#include <gsl/gsl_randist.h>

#include "results/paired.h"
#include "tests/helpers.h"

/* a - b is 10, 11, 12: mean 11, sd 1, t(2 degrees, 0.975) = 4.30265: half = 4.30265 / sqrt(3). */
static void by_hand(void)
{
    const double a[] = {20, 22, 24}, b[] = {10, 11, 12};
    struct lag_paired p = lag_paired_of(a, b, 3, 1);

    g_assert_cmpuint(p.n_independent, ==, 3);
    assert_near(p.difference.value, 11, 1e-15);
    assert_near(p.difference.high - 11, 4.302652729911275 / sqrt(3), 1e-9);
    /* a = 2 b always: the ratio is 2, without doubt. */
    assert_near(p.ratio.value, 2, 1e-15);
    assert_near(p.ratio.low, 2, 1e-6);
    assert_near(p.ratio.high, 2, 1e-6);
    g_assert_cmpfloat(p.wins.value, ==, 0);
    g_assert_cmpfloat(p.ties, ==, 0);
}

/* Two replications of two steps: the interval is over their means, 1 and 3, with one degree of
 * freedom: t = 12.7062, sd sqrt(2). */
static void replications(void)
{
    const double a[] = {5, 7, 10, 12}, b[] = {5, 5, 8, 8};
    struct lag_paired p = lag_paired_of(a, b, 4, 2);

    g_assert_cmpuint(p.n_independent, ==, 2);
    assert_near(p.difference.value, 2, 1e-15);
    assert_near(p.difference.high - 2, 12.706204736174694, 1e-9);
    g_assert_cmpfloat(p.ties, ==, 0.25);
}

/* One run has no interval; none has nothing. */
static void few(void)
{
    const double a[] = {2}, b[] = {1};
    struct lag_paired p = lag_paired_of(a, b, 1, 1);

    g_assert_cmpfloat(p.difference.value, ==, 1);
    g_assert_true(isnan(p.difference.low));
    g_assert_true(isnan(p.ratio.high));
    g_assert_true(isnan(lag_paired_of(NULL, NULL, 0, 1).difference.value));
}

/* Wilson, 8 of 10: (0.4902, 0.9433); 0 of 10: (0, 0.2775). Brown, Cai, DasGupta, Statistical
 * Science 16, 2001, for the formula; values worked out from it. */
static void wilson(void)
{
    struct lag_estimate e = lag_wilson(0.8, 10);

    assert_prints(e.low, 0.4902, 1e-4);
    assert_prints(e.high, 0.9433, 1e-4);
    g_assert_cmpfloat(lag_wilson(0, 10).low, <=, 1e-15);
    assert_prints(lag_wilson(0, 10).high, 0.2775, 1e-4);
}

/* Of 95 % intervals, about 95 % hold the truth: 2,000 pairs of samples of 30, b normal (10, 1),
 * a = b + 1.5 + normal (0, 0.5). Between 93 and 97 % is within 4 standard errors (0.5 %). */
static void coverage(void)
{
    g_autoptr(gsl_rng) rng = test_rng(23);
    int n_difference = 0, n_ratio = 0;

    for (int i = 0; i < 2000; i++) {
        double a[30], b[30];
        for (int k = 0; k < 30; k++) {
            b[k] = gsl_ran_gaussian(rng, 1) + 10;
            a[k] = b[k] + 1.5 + gsl_ran_gaussian(rng, 0.5);
        }
        struct lag_paired p = lag_paired_of(a, b, 30, 1);
        n_difference += p.difference.low <= 1.5 && 1.5 <= p.difference.high;
        n_ratio += p.ratio.low <= 1.15 && 1.15 <= p.ratio.high;
    }
    g_assert_cmpint(n_difference, >, 1860);
    g_assert_cmpint(n_difference, <, 1940);
    g_assert_cmpint(n_ratio, >, 1860);
    g_assert_cmpint(n_ratio, <, 1940);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/paired/by-hand", by_hand);
    g_test_add_func("/paired/replications", replications);
    g_test_add_func("/paired/few", few);
    g_test_add_func("/paired/wilson", wilson);
    g_test_add_func("/paired/coverage", coverage);
    return g_test_run();
}
