/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A factor or 1, in stationarity and while it moves. Seeds are fixed, bounds four standard errors. */
#include "sim/law-two-point.h"
#include "sim/straggler.h"
#include "tests/helpers.h"

#define N_CHAINS 20000.0

#define assert_within(got, want, standard_error)                                                   \
    g_assert_cmpfloat(fabs((got) - (want)), <=, 4 * (standard_error))

/* A chain with enter a = 0.01 and leave b = 0.1 that starts in stationarity stays there: in step
 * 0 and in step 50 a share of pi = a / (a + b) = 1/11 is slow. Neighbouring steps of one chain
 * have the correlation 1 - a - b = 0.89; slow runs last 1 / b = 10 steps on average. The standard
 * errors are those of independent chains. */
static void markov(void)
{
    const double pi = 1.0 / 11, n = N_CHAINS;
    const struct lag_law law = {
        .type = lag_law_type_find("markov"), .p = {2, 0.01, 0.1}
    };
    double slow_first = 0, slow_last = 0, both = 0, left = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct lag_stream stream;
        double value, last = 0;
        lag_stream_init(&stream, 5, i, LAG_PURPOSE_STRAGGLER, 0, 0);
        value = lag_law_draw(&law, &stream.rng);
        slow_first += value == 2;
        for (int step = 0; step < 50; step++) {
            last = value;
            value = lag_law_move(&law, value, &stream.rng);
        }
        slow_last += value == 2;
        both += last == 2 && value == 2;
        left += last == 2 && value == 1;
    }
    assert_within(slow_first / n, pi, sqrt(pi * (1 - pi) / n));
    assert_within(slow_last / n, pi, sqrt(pi * (1 - pi) / n));
    /* E[x y] = pi (1 - b); the correlation is (pi (1 - b) - pi^2) / (pi (1 - pi)) */
    assert_within(both / n, pi * 0.9, sqrt(pi * 0.9 * (1 - pi * 0.9) / n));
    assert_near((pi * 0.9 - pi * pi) / (pi * (1 - pi)), 0.89, 1e-12);
    assert_within((both / n - pi * pi) / (pi * (1 - pi)), 0.89,
                  sqrt(pi * 0.9 * (1 - pi * 0.9) / n) / (pi * (1 - pi)));
    assert_within(left / (left + both), 0.1, sqrt(0.1 * 0.9 / (left + both)));
}

/* A chain that changes in every step alternates; one that never leaves stays. */
static void certain(void)
{
    const struct lag_law alternates = {
        .type = &lag_markov_law, .p = {3, 1, 1}
    };
    const struct lag_law stays = {
        .type = &lag_markov_law, .p = {3, 1, 0}
    };
    struct lag_stream stream;

    lag_stream_init(&stream, 1, 0, LAG_PURPOSE_STRAGGLER, 0, 0);
    for (int i = 0; i < 100; i++) {
        g_assert_cmpfloat(lag_law_move(&alternates, 1, &stream.rng), ==, 3);
        g_assert_cmpfloat(lag_law_move(&alternates, 3, &stream.rng), ==, 1);
        g_assert_cmpfloat(lag_law_draw(&stays, &stream.rng), ==, 3);
        g_assert_cmpfloat(lag_law_move(&stays, 3, &stream.rng), ==, 3);
    }
}

static struct lag_straggler slow_by(const struct lag_law_type *type, double a, double b, double c)
{
    static uint32_t rank = 0;

    return (struct lag_straggler){
        .effect = LAG_SLOWDOWN,
        .law = {.type = type, .p = {a, b, c}},
        .n_ranks = 1,
        .ranks = &rank
    };
}

/* What is drawn for a job stays: two-speed with a share of 1/2 is the same factor in all steps,
 * and over 4,000 jobs half of them are slow (within 4 standard errors of 1 / (2 sqrt(4000))). */
static void once_a_job(void)
{
    const struct lag_straggler straggler = slow_by(&lag_two_speed_law, 0.5, 3, 0);
    const struct lag_lateness lateness = {
        .n_ranks = 1, .compute = 2, .n_stragglers = 1, .stragglers = &straggler};
    uint32_t n_slow = 0;

    for (uint32_t job = 0; job < 4000; job++) {
        g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, 1, job);
        lag_seconds first, arrival, compute;
        lag_arrivals_next(arrivals, &first, &compute);
        for (int step = 0; step < 5; step++) {
            lag_arrivals_next(arrivals, &arrival, &compute);
            g_assert_cmpfloat(arrival, ==, first);
        }
        g_assert_true(first == 2 || first == 6);
        n_slow += first == 6;
    }
    g_assert_cmpfloat(fabs(n_slow / 4000.0 - 0.5), <, 4 * 0.5 / sqrt(4000));
}

/* A chain moves once a step: with enter 0.01 and leave 0.1 a share of 1/11 of the steps of 16 jobs
 * of 50,000 steps is slow, and neighbours have the correlation 0.89. A sum of n steps has the
 * variance n pi (1 - pi) (1 + 0.89) / (1 - 0.89), and so the share's standard error follows; that
 * of the correlation is bounded by the same inflation of 1 / sqrt(n). */
static void chain(void)
{
    enum {
        JOBS = 16,
        STEPS = 50000
    };
    const double pi = 1.0 / 11, n = (double)JOBS * STEPS, inflation = 1.89 / 0.11;
    const struct lag_straggler straggler = slow_by(&lag_markov_law, 2, 0.01, 0.1);
    const struct lag_lateness lateness = {
        .n_ranks = 1, .compute = 1, .n_stragglers = 1, .stragglers = &straggler};
    double slow = 0, both = 0;

    for (uint32_t job = 0; job < JOBS; job++) {
        g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, 7, job);
        lag_seconds arrival, compute, last = 1;
        for (int step = 0; step < STEPS; step++) {
            lag_arrivals_next(arrivals, &arrival, &compute);
            slow += arrival == 2;
            both += arrival == 2 && last == 2;
            last = arrival;
        }
    }
    double share = slow / n, correlation = (both / n - share * share) / (share * (1 - share));
    g_assert_cmpfloat(fabs(share - pi), <, 4 * sqrt(pi * (1 - pi) * inflation / n));
    g_assert_cmpfloat(fabs(correlation - 0.89), <, 4 * sqrt(inflation / n));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/law-two-point/markov", markov);
    g_test_add_func("/law-two-point/certain", certain);
    g_test_add_func("/law-two-point/once-a-job", once_a_job);
    g_test_add_func("/law-two-point/chain", chain);
    return g_test_run();
}
