/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives on networks whose links are shared, by hand. */
#include "sim/lockstep.h"
#include "sim/network/network.h"
#include "tests/helpers.h"

/* Two nodes of 4 GPUs at 100 B/s under uplinks of 100 B/s: 4:1. When all four of node 0 send 100 B to
 * node 1 at once, each has 25 B/s: 4 s, of which 3 are contention on the uplink, or on the core's link
 * down, which is as full; within a node 1 s. */
static void tree_of_two_levels(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, list_plan_new(LAGGARD_BROADCAST, 8, 8, 1), 800, 1, 0);
    bed_move(&bed, tree_topology(8, 4, 100, 100, 0));
    bed.network.fluid = true;
    for (uint32_t i = 0; i < 4; i++)
        list_add(bed.plan, 0, (struct laggard_transfer){i, 4 + i, i, 1, LAGGARD_STORE});
    g_assert_cmpfloat(bed_run(&bed), ==, 4);
    g_assert_cmpfloat(bed.outcome.path.shares.bandwidth, ==, 1);
    g_assert_cmpfloat(bed.outcome.path.shares.contention, ==, 3);
    uint32_t link = g_array_index(bed.outcome.path.hops, struct lag_hop, 0).link;
    g_assert_true(link == link_named(bed.topology, "leaf0->core") ||
                  link == link_named(bed.topology, "core->leaf1"));
    g_array_set_size(list_of(bed.plan), 0);
    for (uint32_t i = 0; i < 4; i++)
        list_add(bed.plan, 0, (struct laggard_transfer){i, i ^ 1, i, 1, LAGGARD_STORE});
    g_assert_cmpfloat(bed_run(&bed), ==, 1);
}

/* A ring over that tree crosses each uplink once in each direction, so nothing is shared: 14 rounds of
 * one chunk, S / 8 = 100 B, at 100 B/s, and four links' latency. */
static void ring_on_a_tree(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 8), 800, 1, 0);
    bed_move(&bed, tree_topology(8, 4, 100, 100, 0.5));
    bed.network.fluid = true;
    assert_near(bed_run(&bed), 14 * (1 + 4 * 0.5), 1e-12);
    bed.network.fluid = false; /* so alpha-beta says the same */
    assert_near(bed_run(&bed), 14 * (1 + 4 * 0.5), 1e-12);
}

/* K02 on links from GPU to GPU: n = 8, 1 GiB, 5 us, 100 GB/s; whichever edge of the ring has 25 GB/s,
 * it sets every round's pace: 0.07523192768 s. */
static void ring_over_a_slow_link(void)
{
    for (uint32_t slow = 0; slow < 8; slow++) {
        struct lag_graph_link links[8];
        g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
        g_auto(test_bed) bed;
        for (uint32_t i = 0; i < 8; i++)
            g_ptr_array_add(names, g_strdup_printf("gpu%u", i));
        for (uint32_t i = 0; i < 8; i++)
            links[i] = (struct lag_graph_link){g_ptr_array_index(names, i),
                                               g_ptr_array_index(names, (i + 1) % 8),
                                               i == slow ? 25e9 : 100e9, 5e-6, false};
        bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 8), GIB, 1, 0);
        bed_move(&bed, graph_topology(8, links, 8));
        bed.network.fluid = true;
        assert_near(bed_run(&bed), 0.07523192768, 1e-9);
    }
}

/* Three links at 100, 50 and 200 B/s, latencies 1, 2 and 3 s; 200 B. Cut-through: 200 / 50 + 6 = 10 s.
 * Store and forward: 2 + 1 + 4 + 2 + 1 + 3 = 13 s, and the sender is free at 2 s. */
static const struct lag_graph_link chain[] = {
    {"gpu0", "a",    100, 1, false},
    {"a",    "b",    50,  2, false},
    {"b",    "gpu1", 200, 3, false},
};

static void store_and_forward(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("binomial-tree", LAGGARD_BROADCAST, 2), 200, 1, 0);
    bed_move(&bed, graph_topology(2, chain, 3));
    for (int fluid = 0; fluid < 2; fluid++) {
        bed.network.fluid = fluid;
        bed.network.store_and_forward = false;
        g_assert_cmpfloat(bed_run(&bed), ==, 10);
        g_assert_cmpfloat(bed.outcome.done[0], ==, 4);
        bed.network.store_and_forward = true;
        g_assert_cmpfloat(bed_run(&bed), ==, 13);
        g_assert_cmpfloat(bed.outcome.done[0], ==, 2);
        g_assert_cmpfloat(bed.outcome.path.shares.bandwidth, ==, 7);
        g_assert_cmpfloat(bed.outcome.path.shares.latency, ==, 6);
        g_assert_cmpfloat(bed.outcome.busy[0], ==, 2);
        g_assert_cmpfloat(bed.outcome.busy[1], ==, 1);
    }
}

/* Two such messages, eager. The second leaves in [2, 4] and is at a at 5 s, where the first has crossed
 * the middle link since 3 s and has 100 B left. They share it at 25 B/s until 9 s; the second has 100 B
 * left then: 11 s. At b at 11 and 13 s, over the third link in 1 s each, latency 3: 15 and 17 s. */
static void stored_messages_share(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, list_plan_new(LAGGARD_BROADCAST, 2, 2, 2), 400, 1, 0);
    bed_move(&bed, graph_topology(2, chain, 3));
    list_add(bed.plan, 0, (struct laggard_transfer){0, 1, 0, 1, LAGGARD_STORE});
    list_add(bed.plan, 1, (struct laggard_transfer){0, 1, 1, 1, LAGGARD_STORE});
    bed.network = (struct lag_network){
        .topology = bed.topology, .fluid = true, .eager = true, .store_and_forward = true};
    g_assert_cmpfloat(bed_run(&bed), ==, 17);
    g_assert_cmpfloat(bed.outcome.done[0], ==, 4);
}

/* Two jobs on a spine: broadcasts of 100 B from node 0 to node 1, over one uplink of 100 B/s. Both at
 * 0 s: 2 s each. The second at 0.5 s: the first has 50 B left then, 1.5 s; the second has 50 B left at
 * 1.5 s, 2 s. */
static void two_jobs_on_a_spine(void)
{
    g_autoptr(lag_topology) topology = tree_topology(4, 2, 100, 100, 0);
    g_autoptr(lag_plan) plan = named_plan("binomial-tree", LAGGARD_BROADCAST, 2);
    g_autoptr(lag_replay) replay = lag_replay_new();
    const struct lag_network network = {.topology = topology, .fluid = true};
    const uint32_t gpus[2][2] = {
        {0, 2},
        {1, 3}
    };
    lag_seconds arrival[2][2] = {
        {0, 0},
        {0, 0}
    };
    struct lag_run runs[2];
    struct lag_outcome outcomes[2];

    for (int i = 0; i < 2; i++) {
        runs[i] = (struct lag_run){.plan = plan,
                                   .network = &network,
                                   .ranks = gpus[i],
                                   .chunks = lag_chunks_of(100, 4, 1),
                                   .arrival = arrival[i]};
        lag_outcome_init(&outcomes[i], 2);
    }
    g_assert_true(lag_replay_run_together(replay, runs, 2, outcomes, NULL));
    g_assert_cmpfloat(outcomes[0].completion, ==, 2);
    g_assert_cmpfloat(outcomes[1].completion, ==, 2);
    arrival[1][0] = 0.5;
    g_assert_true(lag_replay_run_together(replay, runs, 2, outcomes, NULL));
    g_assert_cmpfloat(outcomes[0].completion, ==, 1.5);
    g_assert_cmpfloat(outcomes[1].completion, ==, 2);
    for (int i = 0; i < 2; i++)
        lag_outcome_clear(&outcomes[i]);
}

/* DESIGN section 3: max-min fairness has anomalies. L1 = 1 B/s carries A, L2 = 4 B/s A and C; C of 3 B
 * is followed by 10 s of compute. A has 1, C 3 B/s: C is there after 1 s, 11 s in all. With L1 = 4, A
 * and C have 2 each: 1.5 s, and 11.5 s in all: more bandwidth made it later. */
static void anomaly(void)
{
    for (int faster = 0; faster < 2; faster++) {
        const struct lag_graph_link links[] = {
            {"gpu0", "s",    faster ? 4 : 1, 0, false},
            {"gpu1", "s",    100,            0, false},
            {"s",    "gpu2", 4,              0, false},
        };
        g_auto(test_bed) bed;
        bed_init(&bed, list_plan_new(LAGGARD_BROADCAST, 3, 3, 1), 0, 1, 0);
        bed.chunks = (struct lag_chunks){.elements = 3, .element_bytes = 1};
        bed_move(&bed, graph_topology(3, links, 3));
        bed.network.fluid = true;
        list_add(bed.plan, 0, (struct laggard_transfer){0, 2, 0, 2, LAGGARD_STORE});
        list_add(bed.plan, 0, (struct laggard_transfer){1, 2, 2, 1, LAGGARD_STORE});
        bed_run(&bed);
        assert_near(10 + bed.outcome.done[1], faster ? 11.5 : 11, 1e-12);
    }
}

/* The sum over all rounds of a plan from the late rank's arrival on of the time that each takes by itself, all ranks at once. */
static lag_seconds with_barriers(const struct laggard_plan *plan, const test_bed *like)
{
    lag_seconds sum = 0;

    for (uint32_t round = plan->n_rounds_before; round < plan->n_rounds; round++) {
        g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer));
        g_autoptr(lag_plan) one = list_plan_new(plan->collective, plan->n_ranks, plan->n_chunks, 1);
        lag_plan_round(plan, lag_plan_bind(plan, plan->n_ranks - 1), 0, round, list);
        for (guint i = 0; i < list->len; i++)
            list_add(one, 0, g_array_index(list, struct laggard_transfer, i));
        lag_plan *own = like->plan;
        test_bed bed = *like;
        bed.plan = one;
        sum += bed_run(&bed);
        bed.plan = own;
    }
    return sum;
}

/* StragglAR, contiguous, on nodes of 8 that share one full-duplex uplink of GPU-link speed, a chunk in
 * 1 s, from the arrival of the last rank on, which is so late that the others have done their part. Its
 * pairings ignore topology. 16 ranks: 72 chunk times; 64 ranks: 523 with a barrier after each
 * round (what the largest number of flows on a link of each round adds up to), 520.2161 where ranks
 * drift apart. (spec/stragglar.md 5 counts egress only: 522.) */
static void stragglar_on_shared_uplinks(void)
{
    static const struct {
        uint32_t n;
        double barriers, drifting;
    } rows[] = {
        {16, 72,  72      },
        {64, 523, 520.2161},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(test_bed) bed;
        lag_plan *plan = stragglar_plan(rows[i].n, rows[i].n - 1);
        bed_init(&bed, plan, (lag_bytes)plan->n_chunks * 4, 1, 0);
        bed_move(&bed, tree_topology(rows[i].n, 8, 4, 4, 0));
        bed.network.fluid = true;
        assert_near(with_barriers(plan, &bed), rows[i].barriers, 1e-9);
        bed.arrival[rows[i].n - 1] = 4096;
        g_assert_cmpfloat(fabs(bed_exposed(&bed) - rows[i].drifting), <, 0.00005);
    }
}

/* A switch that adds: 3 ranks send it 100 B each at 100 B/s, then it sends the sum to each; a link has a
 * latency of 1 s. Up: 1 s and 1 s; down the same, 4 s. With 50 B/s into rank 1 that has it at 5 s, and
 * the others at 4 s all the same. */
static void a_switch_takes_part(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, list_plan_new(LAGGARD_ALLREDUCE, 3, 1, 2), 100, 100, 2);
    bed.plan->has_switch = true;
    for (uint32_t i = 0; i < 3; i++) {
        list_add(bed.plan, 0, (struct laggard_transfer){i, 3, 0, 1, LAGGARD_REDUCE});
        list_add(bed.plan, 1, (struct laggard_transfer){3, i, 0, 1, LAGGARD_STORE});
    }
    for (int fluid = 0; fluid < 2; fluid++) {
        bed.network.fluid = fluid;
        bed_set_port(&bed, 1, 100);
        g_assert_cmpfloat(bed_run(&bed), ==, 4);
        g_assert_cmpuint(bed.outcome.n_messages, ==, 6);
        g_assert_cmpfloat(bed.outcome.busy[0], ==, 2);
        g_assert_cmpfloat(bed.outcome.path.shares.latency, ==, 2);
        bed.topology->links[lag_topology_ingress(bed.topology, 1)].rate = 50;
        g_assert_cmpfloat(bed_run(&bed), ==, 5);
        g_assert_cmpfloat(bed.outcome.done[0], ==, 4);
        /* Rank 2 comes at 10 s: the switch waits for it. */
        bed.arrival[2] = 10;
        g_assert_cmpfloat(bed_run(&bed), ==, 15);
        bed.arrival[2] = 0;
    }
    g_assert_nonnull(lag_lockstep_objection(bed.plan, &bed.network));
    g_assert_null(lag_replay_objection(bed.plan, &bed.network));
    bed_move(&bed, tree_topology(3, 2, 1, 1, 0));
    g_assert_nonnull(lag_replay_objection(bed.plan, &bed.network));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network/tree-of-two-levels", tree_of_two_levels);
    g_test_add_func("/network/ring-on-a-tree", ring_on_a_tree);
    g_test_add_func("/network/ring-over-a-slow-link", ring_over_a_slow_link);
    g_test_add_func("/network/store-and-forward", store_and_forward);
    g_test_add_func("/network/stored-messages-share", stored_messages_share);
    g_test_add_func("/network/two-jobs-on-a-spine", two_jobs_on_a_spine);
    g_test_add_func("/network/anomaly", anomaly);
    g_test_add_func("/network/stragglar-on-shared-uplinks", stragglar_on_shared_uplinks);
    g_test_add_func("/network/a-switch-takes-part", a_switch_takes_part);
    return g_test_run();
}
