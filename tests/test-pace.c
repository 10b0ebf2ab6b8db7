/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "sim/training/pace.h"
#include "tests/helpers.h"

#define N 4

static const uint32_t all[N] = {0, 1, 2, 3};

static struct lag_straggler entry(enum lag_effect effect, const char *law, double a, double b,
                                  uint32_t first, uint32_t n)
{
    return (struct lag_straggler){
        .effect = effect,
        .law = {.type = lag_law_type_find(law), .p = {a, b}},
        .n_ranks = n,
        .ranks = (uint32_t *)(uintptr_t)&all[first],
    };
}

/* A sample takes 2 s at speed 1; speeds 1, 2, 0.5, 0; 0.25 s of overhead a piece. 4 samples:
 * 8.25, 4.25, 16.25 s, and never. No samples take no time, also for who stands still. */
static void without_chance(void)
{
    double speed[N] = {1, 2, 0.5, 0};
    struct lag_lateness lateness = {.n_ranks = N, .compute = 2, .speed = speed};
    g_autoptr(lag_pace) pace = lag_pace_new(&lateness, N, 0.25, 1, 0);
    double want[N] = {8.25, 4.25, 16.25, INFINITY};

    for (uint32_t w = 0; w < N; w++) {
        g_assert_cmpfloat(lag_pace_next(pace, w, 4, 0), ==, want[w]);
        g_assert_cmpfloat(lag_pace_alone(pace, w, 4), ==, want[w]);
        g_assert_cmpfloat(lag_pace_next(pace, w, 0, 0), ==, 0);
        g_assert_cmpfloat(lag_pace_speed(pace, w), ==, speed[w] / 2);
        g_assert_true(isinf(lag_pace_death(pace, w)));
    }
}

/* 4 s of work three times as slow, and 0.5 s: 12.5. From 10 s on a throttle doubles what is left; at
 * 8 s that is all but 2 s of the 12: 2 + 2 x 10 + 0.5; a second one, from 9 s on, before: 1 + 2 x 11
 * = 23 of which all but 2 take twice as long: 44 + 0.5. Rank 0 isn't concerned. Death at 7 s or 6 s. */
static void with_lateness(void)
{
    struct lag_straggler stragglers[] = {
        entry(LAG_SLOWDOWN, "constant", 3, 0, 1, 3), entry(LAG_DELAY, "constant", 0.5, 0, 1, 3),
        entry(LAG_THROTTLE, "constant", 2, 0, 1, 2), entry(LAG_THROTTLE, "constant", 2, 0, 2, 1),
        entry(LAG_DEATH, "constant", 7, 0, 2, 2),    entry(LAG_DEATH, "constant", 6, 0, 3, 1),
    };
    struct lag_lateness lateness = {
        .n_ranks = N, .compute = 1, .n_stragglers = 6, .stragglers = stragglers};

    stragglers[2].at = 10;
    stragglers[3].at = 9;
    g_autoptr(lag_pace) pace = lag_pace_new(&lateness, N, 0, 1, 0);
    g_assert_cmpfloat(lag_pace_next(pace, 0, 4, 0), ==, 4);
    g_assert_cmpfloat(lag_pace_next(pace, 3, 4, 0), ==, 12.5);
    g_assert_cmpfloat(lag_pace_next(pace, 1, 4, 8), ==, 22.5);
    g_assert_cmpfloat(lag_pace_next(pace, 2, 4, 8), ==, 44.5);
    g_assert_cmpfloat(lag_pace_next(pace, 1, 4, 10), ==, 24.5);
    g_assert_true(isinf(lag_pace_death(pace, 1)));
    g_assert_cmpfloat(lag_pace_death(pace, 2), ==, 7);
    g_assert_cmpfloat(lag_pace_death(pace, 3), ==, 6);
}

/* The j-th piece of each worker takes what the j-th step of a collective job would: the same laws,
 * the same streams; whoever draws more often changes nothing for the others. */
static void same_streams(void)
{
    struct lag_straggler stragglers[] = {
        entry(LAG_SLOWDOWN, "markov", 3, 0.3, 0, 4),
        entry(LAG_DELAY, "exponential", 0.5, 0, 1, 3),
        entry(LAG_SLOWDOWN, "two-speed", 0.5, 2, 0, 4),
        entry(LAG_DELAY, "exponential", 1, 0, 0, 4),
    };
    uint32_t node_of[N] = {1, 1, 0, 0};
    struct lag_lateness lateness = {.n_ranks = N,
                                    .compute = 4,
                                    .node_of = node_of,
                                    .n_stragglers = 4,
                                    .stragglers = stragglers};
    lag_seconds arrival[N], compute[N];

    stragglers[0].law.p[2] = 0.3;
    stragglers[3].per_node = true;
    g_autoptr(lag_pace) pace = lag_pace_new(&lateness, N, 0, 5, 2);
    g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, 5, 2);
    for (int extra = 0; extra < 9; extra++)
        lag_pace_next(pace, 0, 4, 0);
    for (int step = 0; step < 50; step++) {
        lag_arrivals_next(arrivals, arrival, compute);
        for (uint32_t w = 1; w < N; w++)
            assert_near(lag_pace_next(pace, w, 1, 0), arrival[w], 1e-12);
    }
}

/* A trace of two steps goes round. */
static void traces_go_round(void)
{
    lag_seconds measured[] = {0, 1, 2, 3};
    struct lag_trace trace = {.n_steps = 2, .n_ranks = 2, .arrival = measured};
    struct lag_lateness lateness = {.n_ranks = 2, .compute = 1, .trace = &trace};
    g_autoptr(lag_pace) pace = lag_pace_new(&lateness, 2, 0, 1, 0);

    for (int round = 0; round < 2; round++) {
        g_assert_cmpfloat(lag_pace_next(pace, 0, 4, 0), ==, 4);
        g_assert_cmpfloat(lag_pace_next(pace, 0, 4, 0), ==, 6);
    }
    g_assert_cmpfloat(lag_pace_next(pace, 1, 4, 0), ==, 5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pace/without-chance", without_chance);
    g_test_add_func("/pace/with-lateness", with_lateness);
    g_test_add_func("/pace/same-streams", same_streams);
    g_test_add_func("/pace/traces-go-round", traces_go_round);
    return g_test_run();
}
