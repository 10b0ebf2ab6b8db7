/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planted lines come back, whatever a few timings say. */
#include <math.h>

#include "results/calibration-fit.h"
#include "tests/helpers.h"

#define N 42 /* 1 KiB to 1.4 GB, four in a factor of four */

static void grid(double x[N])
{
    for (int i = 0; i < N; i++)
        x[i] = round(1024 * pow(2, i * 0.5));
}

/* Three levels of cache: 2 us + x / 100 GB/s to 1 MiB, then 40 GB/s, from 64 MiB on 10 GB/s; the
 * lines meet there, so that t0 falls by 2^20 (1 / 40 - 1 / 100) ns and so on. */
static double three_levels(double x)
{
    const double a = 2e-6, r1 = 100e9, r2 = 40e9, r3 = 10e9, b1 = 0x1p20, b2 = 0x1p26;

    if (x <= b1)
        return a + x / r1;
    if (x <= b2)
        return a + b1 / r1 + (x - b1) / r2;
    return a + b1 / r1 + (b2 - b1) / r2 + (x - b2) / r3;
}

static void assert_close(double a, double b, double relative)
{
    g_assert_cmpfloat(fabs(a / b - 1), <=, relative);
}

static void assert_three_levels(const struct lag_segment *s, uint32_t n, double tolerance,
                                double place)
{
    g_assert_cmpuint(n, ==, 3);
    assert_close(s[0].t0, 2e-6, tolerance);
    assert_close(s[0].slope, 1 / 100e9, tolerance);
    assert_close(s[1].slope, 1 / 40e9, tolerance);
    assert_close(s[2].slope, 1 / 10e9, tolerance);
    g_assert_cmpfloat(fabs(log2(s[0].to / 0x1p20)), <=, place);
    g_assert_cmpfloat(fabs(log2(s[1].to / 0x1p26)), <=, place);
    g_assert_true(s[0].to == s[1].from && s[1].to == s[2].from);
    g_assert_cmpuint(s[0].n + s[1].n + s[2].n, ==, N);
}

static void test_exact(void)
{
    double x[N], t[N];
    struct lag_segment s[LAG_MAX_SEGMENTS];

    grid(x);
    for (int i = 0; i < N; i++)
        t[i] = three_levels(x[i]);
    assert_three_levels(s, lag_calibration_fit(x, t, N, s), 1e-9, 1e-8);
    for (int k = 0; k < 3; k++)
        g_assert_cmpfloat(s[k].residual_max, <, 1e-9);
}

/* 1 % of noise, and every seventh timing 1.5 to 20 times too long: 6 of 42, two next to a break.
 * They are named, and move nothing beyond what the noise does (a break: two timings, a factor of 2;
 * next to one there is one that says nothing). */
static void test_outliers(void)
{
    struct lag_segment s[LAG_MAX_SEGMENTS];

    for (unsigned long seed = 1; seed <= 10; seed++) {
        g_autoptr(gsl_rng) rng = test_rng(seed);
        double x[N], t[N];
        uint32_t n_outliers = 0;
        grid(x);
        for (int i = 0; i < N; i++) {
            t[i] = three_levels(x[i]) * (1 + 0.02 * (gsl_rng_uniform(rng) - 0.5));
            if (i % 7 == 5)
                t[i] *= 1.5 + 18.5 * gsl_rng_uniform(rng);
        }
        uint32_t n = lag_calibration_fit(x, t, N, s);
        assert_three_levels(s, n, 0.06, 1);
        for (uint32_t k = 0; k < n; k++) {
            n_outliers += s[k].n_outliers;
            g_assert_cmpfloat(s[k].residual_median, <, 0.02);
        }
        g_assert_cmpuint(n_outliers, ==, 6);
    }
}

/* One line stays one, with noise too: no segment is made of chance. */
static void test_one_line(void)
{
    struct lag_segment s[LAG_MAX_SEGMENTS];

    for (unsigned long seed = 1; seed <= 20; seed++) {
        g_autoptr(gsl_rng) rng = test_rng(seed);
        double x[N], t[N];
        grid(x);
        for (int i = 0; i < N; i++)
            t[i] = (5e-6 + x[i] / 20e9) * (1 + 0.06 * (gsl_rng_uniform(rng) - 0.5));
        g_assert_cmpuint(lag_calibration_fit(x, t, N, s), ==, 1);
        assert_close(s[0].t0, 5e-6, 0.03);
        assert_close(s[0].slope, 1 / 20e9, 0.03);
        g_assert_true(s[0].from == x[0] && s[0].to == x[N - 1]);
    }
}

/* What a line may not be: a falling one is flat, and one that starts below 0 starts at 0. */
static void test_limits(void)
{
    const double x[] = {1, 2, 3, 4, 5}, falling[] = {5, 4.9, 4.8, 4.7, 4.6};
    const double below[] = {1, 2.5, 4, 5.5, 7};
    struct lag_segment s[LAG_MAX_SEGMENTS];

    g_assert_cmpuint(lag_calibration_fit(x, falling, 5, s), ==, 1);
    g_assert_true(s[0].slope >= 0 && s[0].slope <= 0);
    g_assert_true(s[0].t0 > 4.6 && s[0].t0 < 5);
    lag_calibration_fit(x, below, 5, s);
    g_assert_true(s[0].t0 >= 0 && s[0].slope > 0);
}

static void test_few(void)
{
    const double x[] = {1, 2, 3}, t[] = {3, 5, 7};
    struct lag_segment s[LAG_MAX_SEGMENTS];

    for (uint32_t n = 1; n <= 3; n++) {
        g_assert_cmpuint(lag_calibration_fit(x, t, n, s), ==, 1);
        g_assert_cmpfloat(s[0].residual_max, <, 1e-12);
        g_assert_cmpuint(s[0].n, ==, n);
    }
    assert_close(s[0].slope, 2, 1e-12);
    assert_close(s[0].t0, 1, 1e-12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/calibration-fit/exact", test_exact);
    g_test_add_func("/calibration-fit/outliers", test_outliers);
    g_test_add_func("/calibration-fit/one-line", test_one_line);
    g_test_add_func("/calibration-fit/limits", test_limits);
    g_test_add_func("/calibration-fit/few", test_few);
    return g_test_run();
}
