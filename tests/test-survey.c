/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a topology amounts to, against counts and cuts done by hand and by trying all. */
#include <math.h>

#include "sim/network/max-flow.h"
#include "sim/network/survey.h"
#include "tests/topology-samples.h"

/* The least cut between two sets of GPUs, by trying each side for each switch: a flow is as large
 * as the smallest cut (Ford, Fulkerson). */
static lag_rate cut_by_trying(const lag_topology *topology, const bool *is_source)
{
    uint32_t n = topology->n_ranks, n_switches = topology->n_nodes - n;
    lag_rate least = INFINITY;

    for (uint32_t sides = 0; sides < 1u << n_switches; sides++) {
        lag_rate sum = 0;
        for (uint32_t l = 0; l < topology->n_links; l++) {
            const struct lag_link *link = &topology->links[l];
            bool shared = link->pool != l;
            for (uint32_t k = 0; k < topology->n_links; k++)
                shared = shared || (k != l && topology->links[k].pool == l);
            bool a = link->from < n ? is_source[link->from] : sides >> (link->from - n) & 1;
            bool b = link->to < n ? is_source[link->to] : sides >> (link->to - n) & 1;
            sum += a && !b ? link->rate / (shared ? 2 : 1) : 0;
        }
        least = MIN(least, sum);
    }
    return least;
}

/* On small samples of every kind, for random sets of GPUs. */
static void flows(void)
{
    for (uint32_t i = 0; lag_topologies[i / 8] != NULL; i++) {
        struct sample sample;
        sample_draw(&sample, lag_topologies[i / 8]);
        g_autoptr(lag_topology) topology = sample_build(&sample);
        g_autoptr(lag_max_flow) flow = lag_max_flow_new(topology);
        g_autofree bool *is_source = g_new(bool, topology->n_ranks);
        for (uint32_t rank = 0; rank < topology->n_ranks; rank++)
            is_source[rank] = g_test_rand_bit();
        if (topology->n_nodes - topology->n_ranks <= 8) {
            lag_rate expected = cut_by_trying(topology, is_source);
            g_assert_cmpfloat_with_epsilon(lag_max_flow_find(flow, is_source, INFINITY), expected,
                                           1e-9 * (1 + expected));
            g_assert_cmpfloat(lag_max_flow_find(flow, is_source, expected / 2), >=,
                              expected / 2 * (1 - 1e-9));
        }
        sample_clear(&sample);
    }
}

/* Each kind's formula equals the least of all cuts in halves of a sample small enough for that.
 * One link's rate is changed by a rounding error, which makes the survey look at all cuts. */
static void formulas(void)
{
    for (uint32_t k = 0; lag_topologies[k] != NULL; k++)
        for (uint32_t i = 0, n_small = 0; i < 400 && n_small < 12; i++) {
            struct sample sample;
            struct lag_survey by_formula, by_cuts;
            sample_draw(&sample, lag_topologies[k]);
            g_autoptr(lag_topology) topology = sample_build(&sample);
            if (topology->n_ranks > 1 && topology->n_ranks <= 9) {
                n_small++;
                lag_topology_survey(topology, &by_formula);
                lag_topology_set_rate(topology, 0, topology->links[0].rate * (1 + 1e-14));
                lag_topology_survey(topology, &by_cuts);
                g_autofree char *text = sample_text(&sample);
                g_test_message("%s: %g %g", text, by_formula.bisection, by_cuts.bisection);
                g_assert_cmpint(by_cuts.bisection_by, ==, LAG_BISECTION_EXACT);
                g_assert_cmpfloat_with_epsilon(by_formula.bisection, by_cuts.bisection,
                                               1e-9 * by_cuts.bisection);
            }
            sample_clear(&sample);
        }
}

static struct lag_survey survey_of(struct sample *sample)
{
    g_autoptr(lag_topology) topology = sample_build(sample);
    struct lag_survey survey;

    lag_topology_survey(topology, &survey);
    sample_clear(sample);
    return survey;
}

/* 64 GPUs, 8 at a leaf, 4:1: 8 leaves, 2 spines; (64 + 8 x 2) x 2 links; half of 64 ports over 4;
 * up, over, down: 4 links. */
static void a_fat_tree(void)
{
    struct sample sample;

    sample_init(&sample, lag_topology_kind_find("fat-tree"), 64);
    sample_set(&sample, "gpus_per_leaf", 8);
    sample_set(&sample, "oversubscription", 4);
    struct lag_survey survey = survey_of(&sample);
    g_assert_cmpuint(survey.n_gpus, ==, 64);
    g_assert_cmpuint(survey.n_switches, ==, 10);
    g_assert_cmpuint(survey.n_nics, ==, 0);
    g_assert_cmpuint(survey.n_links, ==, 160);
    g_assert_cmpfloat(survey.bisection, ==, 32 * SAMPLE_RATE / 4);
    g_assert_cmpint(survey.bisection_by, ==, LAG_BISECTION_FORMULA);
    g_assert_cmpuint(survey.diameter, ==, 4);
    g_assert_true(survey.diameter_exact);
}

/* 2 x 8: two rings of 8 with a rung at each place; cut at two places of both. 4 and 1 steps away is
 * farthest. */
static void a_torus(void)
{
    struct sample sample;

    sample_init(&sample, lag_topology_kind_find("torus"), 16);
    sample_set(&sample, "dims", 2);
    sample_set(&sample, "dims", 8);
    struct lag_survey survey = survey_of(&sample);
    g_assert_cmpuint(survey.n_links, ==, 2 * (16 + 8));
    g_assert_cmpfloat(survey.bisection, ==, 4 * SAMPLE_RATE);
    g_assert_cmpuint(survey.diameter, ==, 5);
}

/* Two groups of nine on two switches with one link between: the cut between the first half and the
 * second is that link; more GPUs than all cuts are looked at for. */
static void a_bound(void)
{
    struct sample sample;

    sample_init(&sample, lag_topology_kind_find("graph"), 18);
    for (uint32_t i = 0; i < 18; i++) {
        g_autofree char *name = g_strdup_printf("gpu%u", i);
        sample_link(&sample, name, i < 9 ? "left" : "right", SAMPLE_RATE);
    }
    sample_link(&sample, "left", "right", 3);
    struct lag_survey survey = survey_of(&sample);
    g_assert_cmpfloat(survey.bisection, ==, 3);
    g_assert_cmpint(survey.bisection_by, ==, LAG_BISECTION_BOUND);
    g_assert_cmpuint(survey.diameter, ==, 3);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/survey/flows", flows);
    g_test_add_func("/survey/formulas", formulas);
    g_test_add_func("/survey/fat-tree", a_fat_tree);
    g_test_add_func("/survey/torus", a_torus);
    g_test_add_func("/survey/bound", a_bound);
    return g_test_run();
}
