/* SPDX-License-Identifier: GPL-3.0-or-later */
/* StragglAR by prediction: guesses come from a stream of their own, a wrong one is simulated. */
#include <string.h>

#include "sim/guess.h"
#include "tests/helpers.h"
#include "tools/break-even.h"

#define N 5

/* 20,000 guesses at 70 %: hits are binomial, sd sqrt(20000 x 0.7 x 0.3) = 65; a wrong one is each of
 * the four others with 1500, sd 37. Four of each are allowed. */
static void frequencies(void)
{
    const struct laggard_plan plan = {.n_ranks = N, .predicts = true, .hit_rate = 0.7};
    const lag_seconds arrival[N] = {0, 3, 9, 1, 2};
    struct lag_guess guess, again;
    uint32_t n[N] = {0};

    lag_guess_init(&guess, &plan, 1, 0);
    lag_guess_init(&again, &plan, 1, 0);
    for (int i = 0; i < 20000; i++) {
        uint32_t rank = lag_guess_next(&guess, arrival);
        g_assert_cmpuint(lag_guess_next(&again, arrival), ==, rank);
        n[rank]++;
    }
    for (uint32_t rank = 0; rank < N; rank++) {
        double expected = rank == 2 ? 14000 : 1500, sd = rank == 2 ? 65 : 37.3;
        g_assert_cmpfloat(fabs(n[rank] - expected), <=, 4 * sd);
    }
}

/* At 100 % always right, of several the highest; at 0 % never. One with 60 % hits whenever one with
 * 40 % does: they have the same luck. */
static void luck(void)
{
    struct laggard_plan plan = {.n_ranks = N, .predicts = true};
    const lag_seconds arrival[N] = {0, 9, 9, 1, 2};
    struct lag_guess sure, never, less, more;

    plan.hit_rate = 1;
    lag_guess_init(&sure, &plan, 3, 1);
    plan.hit_rate = 0;
    lag_guess_init(&never, &plan, 3, 1);
    plan.hit_rate = 0.4;
    lag_guess_init(&less, &plan, 3, 1);
    plan.hit_rate = 0.6;
    lag_guess_init(&more, &plan, 3, 1);
    for (int i = 0; i < 1000; i++) {
        g_assert_cmpuint(lag_guess_next(&sure, arrival), ==, 2);
        g_assert_cmpuint(lag_guess_next(&never, arrival), !=, 2);
        bool hit = lag_guess_next(&less, arrival) == 2;
        g_assert_true(lag_guess_next(&more, arrival) == 2 || !hit);
    }
}

static lag_scenario *make_scenario(const char *delay)
{
    g_autofree char *text = g_strdup_printf(
        "laggard: 1\nname: t\n"
        "cluster: {gpus: 8, network: {topology: switch, bandwidth: 450 GiB/s, latency: 3 us}}\n"
        "workload: {collective: allreduce, size: 1 GiB}\n"
        "algorithms: [{name: stragglar, hit_rate: 60 %%}, stragglar, {name: stragglar, straggler: "
        "0}]\n"
        "stragglers: [{ranks: [3], delay: %s}]\n"
        "run: {replications: 4000}\n",
        delay);
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "t", ".", NULL, &error);

    g_assert_no_error(error);
    lag_scenario *scenario = lag_document_point(document, 0, &error);
    g_assert_no_error(error);
    return scenario;
}

/* Mean exposed time [s] and its standard error. */
static double simulate(const lag_scenario *scenario, uint32_t entrant, double *ret_error)
{
    g_autoptr(lag_plan) plan = lag_trial_plan(scenario, entrant, NULL);
    g_autoptr(lag_trial) trial = lag_trial_new();
    struct lag_tally tally;
    uint64_t wrong = 0;

    lag_tally_init(&tally, scenario->n_ranks, scenario->topology->n_links);
    g_assert_true(lag_trial_run(trial, scenario, plan, 0, scenario->n_replications, &tally, NULL));
    struct lag_statistics s = lag_tally_exposed(&tally);
    *ret_error = s.stddev / sqrt(scenario->n_replications);
    uint32_t late = tally.arrived_last[3] > 0 ? 3 : 7; /* without delay the highest rank is last */
    g_assert_cmpuint(tally.arrived_last[late], ==, 4000);
    for (uint32_t rank = 0; plan->predicts && rank < 8; rank++)
        wrong += rank == late ? 0 : tally.taken_as_late[rank];
    g_assert_cmpfloat(fabs((double)wrong - (plan->predicts ? 1600 : 0)), <=, 4 * 31);
    lag_tally_clear(&tally);
    return s.mean;
}

/* Section 5: p f(D) + (1 - p) T-, within four standard errors for the simulation, and exactly for
 * the expectation that explain uses. T- = 4.8069 ms whoever is wrongly guessed. */
static void expectation(void)
{
    static const struct {
        const char *text;
        double delay, right;
    } rows[] = {
        {"0 ms",   0,      4.8069},
        {"1.5 ms", 1.5e-3, 3.3069},
        {"5 ms",   5e-3,   2.8841},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(lag_scenario) scenario = make_scenario(rows[i].text);
        g_autoptr(lag_trial) trial = lag_trial_new();
        g_autoptr(lag_plan) plan = lag_trial_plan(scenario, 0, NULL);
        double error, none, expected = 0.6 * rows[i].right + 0.4 * 4.8069;
        lag_seconds exact;
        assert_prints(1e3 * simulate(scenario, 1, &none), rows[i].right, 1e-4);
        assert_prints(1e3 * simulate(scenario, 2, &none), 4.8069, 1e-4);
        double mean = 1e3 * simulate(scenario, 0, &error);
        g_assert_cmpfloat(fabs(mean - expected), <=, 4e3 * error + 1e-4);
        g_assert_true(lag_exposed_at(trial, scenario, plan, 3, rows[i].delay, &exact, NULL));
        assert_prints(1e3 * exact, expected, 1e-4);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/guess/frequencies", frequencies);
    g_test_add_func("/guess/luck", luck);
    g_test_add_func("/guess/expectation", expectation);
    return g_test_run();
}
