/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs: what lasts longer than a step. */
#include <string.h>

#include <gsl/gsl_errno.h>

#include "tests/helpers.h"
#include "tools/trial.h"

static lag_scenario *read_scenario(const char *more)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text =
        g_strdup_printf("laggard: 1\nname: t\n"
                        "cluster:\n  gpus: 4\n"
                        "  network: {topology: switch, bandwidth: 1 GB/s, latency: 1 us}\n"
                        "algorithms: [ring]\n%s",
                        more);
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "x.yaml", g_get_tmp_dir(), NULL, &error);
    g_assert_no_error(error);
    lag_scenario *scenario = lag_document_point(document, 0, &error);
    g_assert_no_error(error);
    return scenario;
}

/* Completions of all runs [s], of double. */
static GArray *completions(const char *more, GError **error)
{
    g_autoptr(lag_scenario) scenario = read_scenario(more);
    g_autoptr(lag_plan) plan = lag_trial_plan(scenario, 0, NULL);
    lag_trial *trial = lag_trial_new();
    struct lag_tally tally;
    GArray *found = NULL;

    lag_tally_init(&tally, scenario->n_ranks, scenario->topology->n_links);
    if (lag_trial_run(trial, scenario, plan, 0, scenario->n_replications, &tally, error))
        found = g_array_ref(tally.completion);
    lag_tally_clear(&tally);
    lag_trial_free(trial);
    return found;
}

/* A ring of 4 with 4 kB moves 1 kB in 6 rounds: 6 (1 us + 1 kB / B), where B is the slowest link's
 * rate. A port slowed down by 4 has 250 MB/s, whoever has it, and the scenario's own network is as
 * before in the next step. */
static void slow_links(void)
{
    static const char *const engines[] = {"auto", "replay"};
    const double fast = 6 * 2e-6, slow = 6 * 5e-6;

    for (uint32_t i = 0; i < G_N_ELEMENTS(engines); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *always =
            g_strdup_printf("workload: {size: 4 kB, steps: 3}\nrun: {engine: %s}\n"
                            "stragglers: [{ranks: [2], link_slowdown: 4}]\n",
                            engines[i]);
        g_autofree char *sometimes = g_strdup_printf(
            "workload: {size: 4 kB, steps: 40}\nrun: {engine: %s, replications: 2}\n"
            "stragglers: [{ranks: [2], link_slowdown: {bernoulli: {p: 0.5, factor: 4}}}]\n",
            engines[i]);
        g_autoptr(GArray) all = completions(always, &error);
        g_autoptr(GArray) some = completions(sometimes, &error);
        uint32_t n_slow = 0;
        g_assert_no_error(error);
        g_assert_cmpuint(all->len, ==, 3);
        for (uint32_t j = 0; j < all->len; j++)
            assert_near(g_array_index(all, double, j), slow, 1e-12);
        g_assert_cmpuint(some->len, ==, 80);
        for (uint32_t j = 0; j < some->len; j++) {
            double time = g_array_index(some, double, j);
            bool is_slow = relative_error(time, slow) < 1e-12;
            g_assert_true(is_slow || relative_error(time, fast) < 1e-12);
            n_slow += is_slow;
        }
        g_assert_cmpuint(n_slow, >, 20); /* 80 fair coins: 40, and 4 standard deviations are 18 */
        g_assert_cmpuint(n_slow, <, 60);
    }
}

/* Steps of 1 s of computing and 12 us. A rank that dies 2.5 s after the job's start lives through
 * two of them and never arrives in the third, at 3 s. */
static void death_in_a_job(void)
{
    static const char late[] = "workload: {size: 4 kB, steps: %d, compute: 1 s}\n"
                               "stragglers: [{ranks: [1], fail: {at: 2.5 s}}]\n";
    g_autofree char *two = g_strdup_printf(late, 2), *three = g_strdup_printf(late, 3);
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) alive = completions(two, &error);

    g_assert_no_error(error);
    g_assert_cmpuint(alive->len, ==, 2);
    assert_near(g_array_index(alive, double, 1), 1 + 12e-6, 1e-12);
    g_assert_null(completions(three, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_STALLED);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, "step 2"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/trial/slow-links", slow_links);
    g_test_add_func("/trial/death-in-a-job", death_in_a_job);
    return g_test_run();
}
