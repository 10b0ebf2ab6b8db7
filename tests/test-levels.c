/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allreduces of levels: hierarchical and torus, against K04 and their closed forms. */
#include <string.h>

#include "algorithms/levels.h"
#include "sim/network/compose.h"
#include "tests/helpers.h"

/* Latencies that the closed forms are tried with [s]. */
static const double latencies[] = {0, 1e-7, 1e-6, 1e-5};

static double time_of(const char *text, uint32_t n, lag_bytes size, lag_seconds latency, bool fluid)
{
    g_auto(test_bed) bed;

    bed_init(&bed, set_plan(text, LAGGARD_ALLREDUCE, n), size, 1e9, latency);
    bed.network.fluid = fluid;
    return bed_run(&bed);
}

/* 2 (g - 1)(a + S / (g B)) + 2 (h - 1)(a + S / (g h B)) + 2 (k - 1)(a + S / (g h k B)) by rings on
 * n = g h k ranks. The bytes are those of a ring, 2 (n - 1) / n S, whatever the groups. */
static void hierarchical(void)
{
    for (uint32_t g = 1; g <= 6; g++)
        for (uint32_t h = 1; h <= 3; h++)
            for (uint32_t k = 1; k <= 5; k++)
                for (size_t l = 0; l < G_N_ELEMENTS(latencies); l++) {
                    double a = latencies[l];
                    uint32_t n = g * h * k;
                    lag_bytes size = 4000 * (lag_bytes)n;
                    g_autofree char *text =
                        g_strdup_printf("hierarchical group=%u middle=%u", g, h);
                    double s = (double)size / 1e9, rounds = 2 * (g + h + k - 3.0);
                    assert_near(time_of(text, n, size, a, true), rounds * a + 2 * (n - 1.0) / n * s,
                                1e-9);
                }
}

/* Nodes of 8 GPUs with a NIC each: 5 us and 300 GB/s inside, 20 us and 50 GB/s between them. */
static lag_topology *nodes_of_eight(uint32_t n_nodes)
{
    const struct lag_topology_kind *kind = lag_topology_kind_find("switch");
    const struct lag_node_shape shape = {
        .count = n_nodes,
        .gpus = 8,
        .inner = {.kind = kind, .rate = 300e9, .latency = 5e-6},
        .nics = 8,
        .nic_rate = 300e9,
    };
    const struct lag_topology_request request = {
        .n_ranks = 8 * n_nodes,
        .outer = {.kind = kind, .rate = 50e9, .latency = 20e-6},
        .shapes = &shape,
        .n_shapes = 1,
    };
    struct lag_topology_fault fault;
    g_autoptr(GError) error = NULL;
    lag_topology *topology = lag_topology_compose(&request, &fault, &error);

    g_assert_no_error(error);
    return topology;
}

/* K04: 2 (g - 1)(ai + S / (g Bi)) + 2 (k - 1)(ae + S / (g k Be)), g = 8, k = 4, S = 4 GiB. One flat
 * ring has the slow hop in each of its 62 rounds, at one NIC: 62 (ae + S / (32 Be)). */
static void k04(void)
{
    g_auto(test_bed) bed, flat;
    struct laggard_request request = {.n_ranks = 32, .ranks_per_node = 8};
    lag_bytes size = (lag_bytes)4 << 30;

    bed_init(&bed, plan_of("hierarchical", request, NULL), size, 1, 0);
    bed_move(&bed, nodes_of_eight(4));
    bed.network.fluid = true;
    assert_near(bed_run(&bed), 0.041350103253333, 1e-9);
    bed_init(&flat, plan_of("ring", request, NULL), size, 1, 0);
    bed_move(&flat, nodes_of_eight(4));
    flat.network.fluid = true;
    assert_near(bed_run(&flat), 62 * (20e-6 + (double)size / 32 / 50e9), 1e-9);
}

/* Each algorithm that may stand for a level, on 4 groups of 4: what it takes by itself. Inside, a
 * reduce-scatter and an all-gather of S; across, an allreduce of S / 4. */
static void each_choice(void)
{
    const struct laggard_algorithm *algorithm = lag_algorithm_find("hierarchical");
    const lag_bytes size = 16 * 16 * 4000;
    double a = 1e-6;

    for (int which = 0; which < 2; which++) {
        g_auto(GStrv) words = g_strsplit(algorithm->parameters[which].choices, "|", 0);
        for (uint32_t i = 0; words[i] != NULL; i++) {
            g_autofree char *text = g_strdup_printf("hierarchical group=4 %s=%s",
                                                    which == 0 ? "inner" : "outer", words[i]);
            double ring = which == 0 ? time_of("ring", 4, size / 4, a, true)
                                     : time_of("ring", 4, size, a, true);
            double own = time_of(words[i], 4, which == 0 ? size : size / 4, a, true);
            assert_near(time_of(text, 16, size, a, true), ring + own, 1e-9);
        }
    }
}

/* The table's allreduces of one lane for whoever comes are all in the list of `outer`, but those
 * that are made of levels themselves; those that do both halves in the list of `inner`. */
static bool may_stand(const struct laggard_algorithm *algorithm, int which)
{
    unsigned halves = LAGGARD_BIT(LAGGARD_REDUCE_SCATTER) | LAGGARD_BIT(LAGGARD_ALL_GATHER);
    unsigned wanted = which == 0 ? halves : LAGGARD_BIT(LAGGARD_ALLREDUCE);

    if ((algorithm->collectives & wanted) != wanted ||
        lag_algorithm_parameter(algorithm, "servers") >= 0 ||
        lag_algorithm_parameter(algorithm, "group") >= 0 ||
        lag_algorithm_parameter(algorithm, "phases") >= 0)
        return false;
    g_autoptr(lag_plan) plan = algorithm_plan(algorithm, LAGGARD_ALLREDUCE, 8, 0);
    return plan->n_lanes == 1 && plan->late_position == LAGGARD_NONE && !plan->has_switch;
}

static void lists_are_complete(void)
{
    const struct laggard_algorithm *algorithm = lag_algorithm_find("hierarchical");

    for (int which = 0; which < 2; which++) {
        g_auto(GStrv) words = g_strsplit(algorithm->parameters[which].choices, "|", 0);
        for (size_t i = 0; lag_algorithms[i] != NULL; i++)
            g_assert_cmpint(may_stand(lag_algorithms[i], which), ==,
                            g_strv_contains((const char *const *)words, lag_algorithms[i]->name));
    }
}

/* Serial: 2 (d - 1)(a + S / (d_1 .. d B)) for each dimension of d ranks, so in all the bytes of a
 * ring. */
static void torus_serial(void)
{
    for (uint32_t x = 1; x <= 5; x++)
        for (uint32_t y = 1; y <= 4; y++)
            for (uint32_t z = 1; z <= 3; z++)
                for (size_t l = 0; l < G_N_ELEMENTS(latencies); l++) {
                    double a = latencies[l];
                    uint32_t n = x * y * z;
                    lag_bytes size = 4000 * (lag_bytes)n;
                    g_autofree char *text = g_strdup_printf("torus x=%u y=%u z=%u", x, y, z);
                    double s = (double)size / 1e9, rounds = 2 * (x + y + z - 3.0);
                    assert_near(time_of(text, n, size, a, true), rounds * a + 2 * (n - 1.0) / n * s,
                                1e-9);
                }
}

/* Pipelined on k dimensions of d: each lane carries S / k. Through one port they share it, and take
 * as long as serial; where they don't (alpha-beta), bandwidth's share is 1 / k. */
static void torus_pipelined(void)
{
    for (uint32_t d = 2; d <= 5; d++)
        for (uint32_t k = 1; k <= 3; k++) {
            uint32_t n = k == 1 ? d : k == 2 ? d * d : d * d * d;
            lag_bytes size = 24000 * (lag_bytes)n;
            g_autofree char *text = g_strdup_printf("torus x=%u y=%u z=%u phases=pipelined", d,
                                                    k > 1 ? d : 1, k > 2 ? d : 1);
            double s = (double)size / 1e9, a = 1e-6;
            double latency = 2.0 * k * (d - 1) * a, bytes = 2 * (n - 1.0) / n * s;
            assert_near(time_of(text, n, size, a, true), latency + bytes, 1e-9);
            assert_near(time_of(text, n, size, a, false), latency + bytes / k, 1e-9);
        }
}

static void expect_refusal(const char *text, struct laggard_request request, const char *message)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(plan_of(text, request, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_cmpstr(error->message, ==, message);
}

static void refusals(void)
{
    struct laggard_request ten = {.n_ranks = 10};

    expect_refusal("hierarchical group=3", ten,
                   "hierarchical needs whole groups, got 10 ranks for groups of 3");
    expect_refusal("hierarchical group=5 middle=3", ten,
                   "hierarchical needs whole groups, got 10 ranks for groups of 5 and groups of "
                   "groups");
    expect_refusal("torus x=2 y=4", ten, "torus needs x times y times z ranks, got 10");
    expect_refusal("torus x=2 y=2", ten, "torus needs x times y times z ranks, got 10");
}

/* Rounds of 2 (g - 1) + 2 (n / g - 1) tell which group size was taken. */
static void auto_groups(void)
{
    static const struct {
        uint32_t n, per_node, group;
    } rows[] = {
        {32, 8,  8},
        {32, 0,  4},
        {8,  8,  8},
        {8,  16, 8},
        {13, 0,  1},
        {36, 0,  6},
        {1,  0,  1},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct laggard_request request = {.n_ranks = rows[i].n, .ranks_per_node = rows[i].per_node};
        g_autoptr(lag_plan) plan = plan_of("hierarchical", request, NULL);
        uint32_t g = rows[i].group;
        g_assert_cmpuint(plan->n_rounds, ==, 2 * (g - 1) + 2 * (rows[i].n / g - 1));
    }
    g_assert_cmpuint(laggard_square_divisor(48), ==, 6);
    g_assert_cmpuint(laggard_square_divisor(49), ==, 7);
    g_assert_cmpuint(laggard_square_divisor(1), ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/levels/hierarchical", hierarchical);
    g_test_add_func("/levels/k04", k04);
    g_test_add_func("/levels/each-choice", each_choice);
    g_test_add_func("/levels/lists-are-complete", lists_are_complete);
    g_test_add_func("/levels/torus-serial", torus_serial);
    g_test_add_func("/levels/torus-pipelined", torus_pipelined);
    g_test_add_func("/levels/refusals", refusals);
    g_test_add_func("/levels/auto-groups", auto_groups);
    return g_test_run();
}
