/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The four protocols of coded aggregation by name and parameters: what reduces to what, and what is
 * refused (spec/coded-gradients.md, section 5). */
#include <string.h>

#include "algorithms/codes/codes.h"
#include "algorithms/protocols.h"
#include "sim/gradient/gradient.h"
#include "tests/helpers.h"

#define MOST_PARAMETERS 16

struct trial {
    struct lag_gradient gradient;
    struct lag_lateness lateness;
    double values[MOST_PARAMETERS];
    struct lag_protocol_run run;
    const struct laggard_protocol *protocol;
};

/* "coded-reduce degree=3 depth=2" on so many GPUs. */
static void trial_init(struct trial *trial, const char *text, uint32_t n_gpus)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    g_autoptr(GError) error = NULL;

    memset(trial, 0, sizeof *trial);
    trial->protocol = lag_protocol_find(words[0]);
    g_assert_nonnull(trial->protocol);
    lag_parameters_defaults(trial->protocol->parameters, trial->values);
    for (char **word = words + 1; *word != NULL; word++) {
        char *equals = strchr(*word, '=');
        *equals = '\0';
        int k = lag_parameters_find(trial->protocol->parameters, *word);
        g_assert_cmpint(k, >=, 0);
        lag_parameter_parse(&trial->protocol->parameters[k], equals + 1, n_gpus, &trial->values[k],
                            &error);
        g_assert_no_error(error);
    }
    lag_gradient_init(&trial->gradient);
    trial->gradient.points = 840;
    trial->gradient.parameters = 10;
    trial->gradient.compute.point = 1e-3;
    trial->gradient.compute.rate = 1e3;
    trial->gradient.message_time = 0.05;
    trial->gradient.n_iterations = 100;
    trial->lateness.n_ranks = n_gpus;
    trial->run = (struct lag_protocol_run){
        .n_workers = n_gpus,
        .n_servers = trial->protocol->n_servers,
        .values = trial->values,
        .lateness = &trial->lateness,
        .seed = 5,
        .gradient = &trial->gradient,
    };
}

static void run(const char *text, uint32_t n_gpus, lag_protocol_outcome *outcome)
{
    struct trial trial;
    g_autoptr(GError) error = NULL;

    trial_init(&trial, text, n_gpus);
    lag_protocol_outcome_init(outcome, n_gpus);
    trial.protocol->check(&trial.run, &error);
    g_assert_no_error(error);
    trial.protocol->run(&trial.run, outcome, &error);
    g_assert_no_error(error);
    g_assert_cmpint(outcome->end, ==, LAG_END_OK);
}

/* Same times to the last bit, iteration by iteration, and the same load. */
static void expect_same(const char *one, const char *other, uint32_t n_gpus)
{
    g_auto(lag_protocol_outcome) a, b;

    run(one, n_gpus, &a);
    run(other, n_gpus, &b);
    g_assert_cmpuint(a.update_times->len, ==, 100);
    for (guint i = 0; i < 100; i++)
        g_assert_cmpfloat(g_array_index(a.update_times, lag_seconds, i), ==,
                          g_array_index(b.update_times, lag_seconds, i));
    assert_near(a.load, b.load, 1e-14);
}

static void reductions(void)
{
    expect_same("coded-reduce degree=12 depth=1 stragglers=2", "gradient-coding stragglers=2", 12);
    expect_same("coded-reduce degree=12 depth=1 stragglers=4 code=cyclic stop=count",
                "gradient-coding stragglers=4 code=cyclic stop=count", 12);
    expect_same("coded-reduce degree=3 depth=2 stragglers=0", "uncoded-tree degree=3 depth=2", 12);
    expect_same("coded-reduce degree=12 depth=1 stragglers=0 code=cyclic", "master-worker", 12);
    expect_same("uncoded-tree degree=12 depth=1", "master-worker", 12);
    expect_same("uncoded-tree degree=5 depth=1", "master-worker workers=5", 12);
}

/* The largest tree that fits: 12 + 144 of 156 GPUs; 11 + 121 of 155; a chain of 3. */
static void automatic_degree(void)
{
    g_auto(lag_protocol_outcome) all, fewer, chain;

    run("coded-reduce stragglers=3", 156, &all);
    assert_near(all.load, 1.0 / 12, 1e-14);
    run("uncoded-tree", 155, &fewer);
    assert_near(fewer.load, 1.0 / 132, 1e-14);
    run("uncoded-tree depth=3", 13, &chain);
    assert_near(chain.load, 1.0 / 3, 1e-14);
}

/* s = n - 1: one child is enough, r = 1 / L. */
static void all_but_one(void)
{
    g_auto(lag_protocol_outcome) outcome;

    run("coded-reduce degree=4 depth=3 stragglers=3", 84, &outcome);
    assert_near(outcome.load, 1.0 / 3, 1e-14);
}

static void refused(const char *text, uint32_t n_gpus, const char *message)
{
    struct trial trial;
    g_autoptr(GError) error = NULL;

    trial_init(&trial, text, n_gpus);
    g_assert_false(trial.protocol->check(&trial.run, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    if (strstr(error->message, message) == NULL)
        g_error("'%s' doesn't say '%s'", error->message, message);
}

static void refusals(void)
{
    refused("gradient-coding stragglers=12", 12, "needs 0 <= stragglers <= 11, got 12");
    refused("coded-reduce degree=3 depth=2 stragglers=3", 12, "needs 0 <= stragglers <= 2");
    refused("coded-reduce degree=1 depth=3 stragglers=1", 12, "needs 0 <= stragglers <= 0");
    refused("coded-reduce degree=4 depth=2", 12, "has 20 workers, the cluster has 12 GPUs");
    refused("master-worker workers=13", 12, "has 13 workers, the cluster has 12 GPUs");
    refused("gradient-coding stragglers=4 code=fractional", 12, "cyclic");
    refused("gradient-coding stragglers=2 code=mds", 12, "cyclic");
    refused("gradient-coding stragglers=1 code=partial", 12, "send twice");
}

/* What the parameter says is the table of codes. */
static void choices(void)
{
    const struct laggard_protocol *protocol = lag_protocol_find("coded-reduce");
    int k = lag_parameters_find(protocol->parameters, "code");
    g_auto(GStrv) names = g_strsplit(protocol->parameters[k].choices, "|", -1);

    g_assert_cmpstr(names[0], ==, "auto");
    for (size_t i = 0; lag_code_kinds[i] != NULL || names[i + 1] != NULL; i++)
        g_assert_cmpstr(names[i + 1], ==, lag_code_kinds[i]->name);
}

int main(int argc, char *argv[])
{
    gsl_set_error_handler_off();
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/coded/reductions", reductions);
    g_test_add_func("/coded/automatic-degree", automatic_degree);
    g_test_add_func("/coded/all-but-one", all_but_one);
    g_test_add_func("/coded/refusals", refusals);
    g_test_add_func("/coded/choices", choices);
    return g_test_run();
}
