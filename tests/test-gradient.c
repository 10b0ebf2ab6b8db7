/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The law of compute times of a gradient workload, as arrivals: spec/coded-gradients.md section 3,
 * and 3.2 for the laws. */
#include <string.h>

#include "sim/gradient/gradient.h"
#include "tests/helpers.h"

#define N 4

static const double loads[N] = {10, 20, 0, 5};

static struct lag_gradient plain(void)
{
    struct lag_gradient gradient;

    lag_gradient_init(&gradient);
    gradient.points = 40;
    gradient.parameters = 5000;
    gradient.bytes_per_parameter = 8;
    gradient.compute.point = 0.5;
    return gradient;
}

static void expect_next(lag_gradient_work *work, const double want[N])
{
    lag_seconds arrival[N];

    lag_gradient_work_next(work, arrival);
    for (uint32_t w = 0; w < N; w++)
        assert_near(arrival[w], want[w], 1e-14);
}

/* a d: 5, 10, 0, 2.5 s, in each iteration; 5000 numbers of 8 B are a message. */
static void without_chance(void)
{
    struct lag_gradient gradient = plain();
    struct lag_lateness lateness = {.n_ranks = N};
    g_autoptr(lag_gradient_work) work = lag_gradient_work_new(&gradient, &lateness, N, loads, 1, 0);
    g_autoptr(lag_gradient_work) equal = lag_gradient_work_new_equal(&gradient, &lateness, N, 1, 0);

    for (int i = 0; i < 3; i++)
        expect_next(work, (double[N]){5, 10, 0, 2.5});
    expect_next(equal, (double[N]){5, 5, 5, 5});
    g_assert_cmpuint(lag_gradient_bytes(&gradient), ==, 40000);
    g_assert_null(lag_gradient_work_death(work));
}

/* On top of it: speeds 1, 2, 1, 0; rank 1 delayed by 0.25 s, and three times as slow:
 * 10 x 3 / 2 + 0.25. Who has nothing to do is there at once, but for a delay; speed 0 never comes.
 * Rank 0 dies after 6 s: the second iteration starts after 3, and it would need 5. */
static void with_lateness(void)
{
    uint32_t one = 1, zero = 0;
    struct lag_straggler stragglers[] = {
        {.effect = LAG_DELAY,
         .law = {.type = lag_law_type_find("constant"), .p = {0.25}},
         .n_ranks = 1,
         .ranks = &one },
        {.effect = LAG_SLOWDOWN,
         .law = {.type = lag_law_type_find("constant"), .p = {3}},
         .n_ranks = 1,
         .ranks = &one },
        {.effect = LAG_DEATH,
         .law = {.type = lag_law_type_find("constant"), .p = {6}},
         .n_ranks = 1,
         .ranks = &zero},
    };
    double speed[] = {1, 2, 1, 0};
    struct lag_gradient gradient = plain();
    struct lag_lateness lateness = {
        .n_ranks = N, .speed = speed, .n_stragglers = 3, .stragglers = stragglers};
    g_autoptr(lag_gradient_work) work = lag_gradient_work_new(&gradient, &lateness, N, loads, 1, 0);

    expect_next(work, (double[N]){5, 15.25, 0, INFINITY});
    lag_gradient_work_elapse(work, 3);
    g_assert_cmpfloat(lag_gradient_work_death(work)[0], ==, 3);
    expect_next(work, (double[N]){INFINITY, 15.25, 0, INFINITY});
}

/* A measured part is added, step after step, and begins again. */
static void with_a_trace(void)
{
    lag_seconds measured[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct lag_trace trace = {.n_steps = 2, .n_ranks = N, .arrival = measured};
    struct lag_gradient gradient = plain();
    struct lag_lateness lateness = {.n_ranks = N};

    gradient.compute.trace = &trace;
    g_autoptr(lag_gradient_work) work = lag_gradient_work_new(&gradient, &lateness, N, loads, 1, 0);
    for (int i = 0; i < 2; i++) {
        expect_next(work, (double[N]){6, 12, 0, 6.5});
        expect_next(work, (double[N]){10, 16, 0, 10.5});
    }
}

/* Mean and least of many draws of worker 1, 20 points. */
static void measure(const struct lag_gradient *gradient, uint32_t n, double *ret_mean,
                    double *ret_least)
{
    struct lag_lateness lateness = {.n_ranks = N};
    g_autoptr(lag_gradient_work) work = lag_gradient_work_new(gradient, &lateness, N, loads, 3, 1);
    lag_seconds arrival[N];

    *ret_mean = 0;
    *ret_least = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        lag_gradient_work_next(work, arrival);
        *ret_mean += arrival[1] / n;
        *ret_least = fmin(*ret_least, arrival[1]);
        g_assert_cmpfloat(arrival[2], ==, 0);
    }
}

/* Proportional: a d + Exp(mean d / mu) = 10 + Exp(mean 40); additive: 10 + Exp(mean 3). Within 4
 * standard errors of 40000 draws, the least within 20 means of the least of as many. */
static void random_parts(void)
{
    struct lag_gradient gradient = plain();
    double mean, least;
    const uint32_t n = 40000;

    gradient.compute.rate = 0.5;
    measure(&gradient, n, &mean, &least);
    g_assert_cmpfloat(fabs(mean - 50), <, 4 * 40 / sqrt(n));
    g_assert_cmpfloat(least, >=, 10);
    g_assert_cmpfloat(least, <, 10 + 20.0 * 40 / n);

    gradient.compute.rate = INFINITY;
    gradient.compute.extra = 3;
    measure(&gradient, n, &mean, &least);
    g_assert_cmpfloat(fabs(mean - 13), <, 4 * 3 / sqrt(n));
    g_assert_cmpfloat(least, >=, 10);
    g_assert_cmpfloat(least, <, 10 + 20.0 * 3 / n);
}

/* Two speeds: a worker is slow for the whole job or never; 25 % of 4 x 1000 jobs' workers, within 4
 * standard errors. */
static void two_speeds(void)
{
    struct lag_gradient gradient = plain();
    struct lag_lateness lateness = {.n_ranks = N};
    uint32_t n_slow = 0;

    gradient.compute.share = 0.25;
    gradient.compute.factor = 8;
    for (uint32_t job = 0; job < 1000; job++) {
        g_autoptr(lag_gradient_work) work =
            lag_gradient_work_new_equal(&gradient, &lateness, N, 1, job);
        lag_seconds first[N], next[N];
        lag_gradient_work_next(work, first);
        lag_gradient_work_next(work, next);
        for (uint32_t w = 0; w < N; w++) {
            g_assert_true(first[w] == 5 || first[w] == 40);
            g_assert_cmpfloat(next[w], ==, first[w]);
            n_slow += first[w] == 40;
        }
    }
    g_assert_cmpfloat(fabs(n_slow - 1000.0), <, 4 * sqrt(4000 * 0.25 * 0.75));
}

/* More workers, and more ranks in the cluster, change nobody's times; other replications do. */
static void streams(void)
{
    struct lag_gradient gradient = plain();
    struct lag_lateness few = {.n_ranks = 2}, many = {.n_ranks = 7};
    lag_seconds a[2], b[7];

    gradient.compute.rate = 2;
    gradient.compute.extra = 1;
    g_autoptr(lag_gradient_work) first = lag_gradient_work_new(&gradient, &few, 2, loads, 1, 0);
    g_autoptr(lag_gradient_work) second = lag_gradient_work_new(&gradient, &many, 4, loads, 1, 0);
    g_autoptr(lag_gradient_work) other = lag_gradient_work_new(&gradient, &many, 4, loads, 1, 1);
    for (int i = 0; i < 5; i++) {
        lag_gradient_work_next(first, a);
        lag_gradient_work_next(second, b);
        g_assert_true(a[0] == b[0] && a[1] == b[1]);
        g_assert_true(b[4] == 0 && b[6] == 0);
        lag_gradient_work_next(other, b);
        g_assert_true(a[0] != b[0] && a[1] != b[1]);
    }
}

int main(int argc, char *argv[])
{
    gsl_set_error_handler_off();
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gradient/without-chance", without_chance);
    g_test_add_func("/gradient/with-lateness", with_lateness);
    g_test_add_func("/gradient/with-a-trace", with_a_trace);
    g_test_add_func("/gradient/random-parts", random_parts);
    g_test_add_func("/gradient/two-speeds", two_speeds);
    g_test_add_func("/gradient/streams", streams);
    return g_test_run();
}
