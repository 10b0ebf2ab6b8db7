/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute times that change with the time of the job, or last for it. */
#include "sim/straggler.h"
#include "tests/helpers.h"

#define N_RANKS 4

static uint32_t all_ranks[] = {0, 1, 2, 3};

static struct lag_law constant(double value)
{
    return (struct lag_law){.type = lag_law_type_find("constant"), .p = {value}};
}

/* Fills arrival and compute of step `step` of a fresh job. */
static void arrivals_at(const struct lag_lateness *lateness, uint32_t step, lag_seconds *arrival,
                        lag_seconds *compute)
{
    g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(lateness, 1, 0);

    for (uint32_t i = 0; i <= step; i++)
        lag_arrivals_next(arrivals, arrival, compute);
}

static void expect(const lag_seconds *got, const lag_seconds want[N_RANKS])
{
    for (uint32_t rank = 0; rank < N_RANKS; rank++)
        assert_near(got[rank], want[rank], 1e-15);
}

/* compute 3 s; rank 0 throttled to a half from 2 s of the job on and to a third of that from 4 s on
 * (listed the other way round), rank 3 to a half from 10 s on. First step: rank 0 has 1 s left at
 * 2 s, which takes 2 s, until 4 s; the others 3 s. A second step that starts at 8 s: rank 0 takes
 * 3 x 2 x 3 s, rank 3 has 1 s left at 10 s, which takes 2 s: 4 s in all. */
static void throttles(void)
{
    const struct lag_straggler stragglers[] = {
        {.effect = LAG_THROTTLE, .law = constant(3), .n_ranks = 1, .ranks = &all_ranks[0], .at = 4},
        {.effect = LAG_THROTTLE, .law = constant(2), .n_ranks = 1, .ranks = &all_ranks[0], .at = 2},
        {.effect = LAG_THROTTLE,
         .law = constant(2),
         .n_ranks = 1,
         .ranks = &all_ranks[3],
         .at = 10                                                                                 },
    };
    const struct lag_lateness lateness = {
        .n_ranks = N_RANKS, .compute = 3, .n_stragglers = 3, .stragglers = stragglers};
    lag_seconds arrival[N_RANKS], compute[N_RANKS];

    g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, 1, 0);
    g_assert_true(lag_arrivals_need_clock(arrivals));
    lag_arrivals_next(arrivals, arrival, compute);
    expect(arrival, (lag_seconds[]){4, 3, 3, 3});
    expect(compute, (lag_seconds[]){3, 3, 3, 3});
    lag_arrivals_elapse(arrivals, 8);
    lag_arrivals_next(arrivals, arrival, compute);
    expect(arrival, (lag_seconds[]){18, 3, 3, 4});
}

/* What is drawn once a job stays for all its steps; the same law without that moves. Ranks may
 * compute different times. */
static void spread(void)
{
    struct lag_straggler straggler = {
        .effect = LAG_SLOWDOWN,
        .law = {.type = lag_law_type_find("normal"), .p = {1, 0.1}},
        .n_ranks = N_RANKS,
        .ranks = all_ranks,
    };
    const lag_seconds own[N_RANKS] = {1, 2, 3, 4};
    const struct lag_lateness lateness = {
        .n_ranks = N_RANKS, .own_compute = own, .n_stragglers = 1, .stragglers = &straggler};
    lag_seconds first[N_RANKS], second[N_RANKS], compute[N_RANKS];

    straggler.once = true;
    arrivals_at(&lateness, 0, first, compute);
    for (uint32_t rank = 0; rank < N_RANKS; rank++) /* within 6 standard deviations */
        g_assert_cmpfloat(fabs(first[rank] - own[rank]), <, 0.6 * own[rank]);
    arrivals_at(&lateness, 1, second, compute);
    expect(second, first);
    g_assert_cmpfloat(first[0], !=, 1);
    straggler.once = false;
    arrivals_at(&lateness, 1, second, compute);
    g_assert_cmpfloat(second[0], !=, first[0]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/throttle/throttles", throttles);
    g_test_add_func("/throttle/spread", spread);
    return g_test_run();
}
