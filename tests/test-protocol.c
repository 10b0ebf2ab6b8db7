/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "sim/protocol.h"

static const struct lag_curve_point point = {.time = 1, .samples = 4, .updates = 1};

static void use_up(struct lag_protocol_outcome *outcome)
{
    lag_seconds at = 2;
    double batch = 4;

    g_array_append_val(outcome->update_times, at);
    g_array_append_val(outcome->batches, batch);
    g_array_append_val(outcome->curve, point);
    lag_protocol_outcome_stale(outcome, 3, 4);
    lag_protocol_outcome_stale(outcome, 3, 1);
    outcome->use[1].compute = outcome->time = outcome->samples = outcome->load = 7;
    outcome->time_to_target = outcome->residual = 0.5;
    outcome->n_undecodable = 2;
    lag_protocol_outcome_end(outcome, LAG_END_STALLED, "worker %d never answers", 1);
    lag_protocol_outcome_end(outcome, LAG_END_DIVERGED, "too late");
}

static void expect_empty(const struct lag_protocol_outcome *outcome)
{
    g_assert_cmpint(outcome->end, ==, LAG_END_OK);
    g_assert_null(outcome->message);
    g_assert_cmpuint(outcome->n_workers, ==, 2);
    g_assert_cmpuint(outcome->update_times->len + outcome->batches->len, ==, 0);
    g_assert_cmpuint(outcome->staleness->len + outcome->curve->len, ==, 0);
    g_assert_cmpfloat(outcome->use[1].compute + outcome->time + outcome->samples, ==, 0);
    g_assert_cmpfloat(outcome->load, ==, 0);
    g_assert_cmpuint(outcome->n_undecodable, ==, 0);
    g_assert_true(isnan(outcome->time_to_target) && isnan(outcome->residual));
}

/* A run leaves nothing for the next one; memory may be cleared zeroed and twice. */
static void runs_are_alone(void)
{
    struct lag_protocol_outcome outcome = {0};

    lag_protocol_outcome_clear(&outcome);
    lag_protocol_outcome_init(&outcome, 2);
    expect_empty(&outcome);
    for (int run = 0; run < 2; run++) {
        use_up(&outcome);
        g_assert_cmpint(outcome.end, ==, LAG_END_STALLED); /* the first end counts */
        g_assert_cmpstr(outcome.message, ==, "worker 1 never answers");
        lag_protocol_outcome_begin(&outcome);
        expect_empty(&outcome);
    }
    lag_protocol_outcome_clear(&outcome);
    lag_protocol_outcome_clear(&outcome);
}

/* The histogram grows to what it is asked for; what lies between is 0. */
static void staleness(void)
{
    g_auto(lag_protocol_outcome) outcome;

    lag_protocol_outcome_init(&outcome, 2);
    use_up(&outcome);
    lag_protocol_outcome_stale(&outcome, 0, 2);
    g_assert_cmpuint(outcome.staleness->len, ==, 4);
    for (guint v = 0; v < 4; v++)
        g_assert_cmpfloat(g_array_index(outcome.staleness, double, v), ==,
                          v == 0   ? 2
                          : v == 3 ? 5
                                   : 0);
}

/* Words that stand in scenarios and results. */
static void names(void)
{
    g_assert_cmpstr(laggard_workload_name(LAGGARD_COMMUNICATION), ==, "collective");
    g_assert_cmpstr(laggard_workload_name(LAGGARD_TRAINING), ==, "training");
    g_assert_cmpstr(laggard_workload_name(LAGGARD_GRADIENT), ==, "gradient");
    g_assert_cmpstr(lag_protocol_end_name(LAG_END_TARGET_NOT_REACHED), ==, "target-not-reached");
    for (int end = 0; end < LAG_N_ENDS; end++)
        g_assert_nonnull(lag_protocol_end_name((enum lag_protocol_end)end));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/protocol/runs-are-alone", runs_are_alone);
    g_test_add_func("/protocol/staleness", staleness);
    g_test_add_func("/protocol/names", names);
    return g_test_run();
}
