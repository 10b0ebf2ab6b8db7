/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/algorithms.h"
#include "results/tally.h"
#include "sim/network/compose.h"

static lag_plan *make_plan(const char *name, uint32_t n_ranks)
{
    const struct laggard_algorithm *algorithm = lag_algorithm_find(name);
    g_autofree double *values = g_new0(double, lag_algorithm_n_parameters(algorithm));

    lag_algorithm_defaults(algorithm, values);
    lag_plan *plan = lag_plan_new(
        algorithm, &(struct laggard_request){.n_ranks = n_ranks, .values = values}, NULL);
    g_assert_nonnull(plan);
    return plan;
}

/* A run of two ranks: rank 1 arrives 2 s late, of which it computed 0.5 s; all ends at 5 s, after
 * 2 s of bandwidth on gpu0->switch and 1 s of latency. */
static void add_run(struct lag_tally *tally)
{
    const lag_seconds arrival[] = {0, 2}, compute[] = {0.5, 0.5};
    struct lag_outcome outcome;
    struct lag_hop hop = {.src = 0, .dst = 1, .link = 0, .bandwidth = 2, .latency = 1};

    lag_outcome_init(&outcome, 2);
    outcome.completion = 5;
    outcome.last_arrival = 2;
    outcome.last_to_arrive = 1;
    outcome.n_messages = 4;
    outcome.wire_bytes = 16;
    outcome.done[0] = 4;
    outcome.done[1] = 5;
    outcome.busy[0] = 1;
    outcome.busy[1] = 2;
    outcome.busy_recorded = outcome.path.recorded = true;
    outcome.path.first_rank = outcome.path.last_rank = 1;
    outcome.path.shares = (struct lag_shares){.wait = 2, .bandwidth = 2, .latency = 1};
    g_array_append_val(outcome.path.hops, hop);
    lag_tally_add(tally, &outcome, arrival, compute);
    lag_outcome_clear(&outcome);
}

/* Three such runs, one of them merged, make the means of one. A ring of two sends its 8 bytes on
 * each link, at 4 B/s, in the 5 s from the first arrival to the end: utilisation 8 / 20. */
static void test_means(void)
{
    g_autoptr(lag_plan) plan = make_plan("ring", 2);
    g_autoptr(lag_topology) topology = lag_topology_new_switch(2, 4, 1);
    struct lag_chunks chunks = lag_chunks_of(8, 4, plan->n_chunks);
    struct lag_tally tally, later;
    struct lag_result row = {.size = 8};

    lag_tally_init(&tally, 2, topology->n_links);
    lag_tally_init(&later, 2, topology->n_links);
    add_run(&tally);
    add_run(&tally);
    add_run(&later);
    lag_tally_merge(&tally, &later);
    lag_tally_summarise(&tally, &(struct lag_subject){plan, topology, &chunks, NULL}, &row);
    g_assert_cmpuint(row.n_messages, ==, 4);
    g_assert_cmpuint(row.wire_bytes, ==, 16);
    g_assert_cmpfloat(row.time.mean, ==, 5);
    g_assert_cmpfloat(row.exposed.mean, ==, 3);
    g_assert_cmpfloat(row.algbw, ==, 8.0 / 3);
    g_assert_cmpfloat(row.busbw, ==, 8.0 / 3); /* 2 (n - 1) / n = 1 */
    g_assert_cmpfloat(row.ranks_wait[0], ==, 2);
    g_assert_cmpfloat(row.ranks_wait[1], ==, 0);
    g_assert_cmpfloat(row.ranks_idle[0], ==, 4); /* 5 - 0 - 1 */
    g_assert_cmpfloat(row.ranks_idle[1], ==, 1); /* 5 - 2 - 2 */
    g_assert_cmpfloat(row.ranks_done[0], ==, 4);
    g_assert_cmpuint(row.arrived_last[1], ==, 3);
    g_assert_cmpuint(row.n_links, ==, 4);
    g_assert_cmpfloat(row.links[0].bytes, ==, 8);
    g_assert_cmpfloat(row.links[3].utilisation, ==, 0.4);
    lag_result_clear(&row);
    lag_tally_clear(&tally);
    lag_tally_clear(&later);
}

static void test_path(void)
{
    g_autoptr(lag_plan) plan = make_plan("ring", 2);
    g_autoptr(lag_topology) topology = lag_topology_new_switch(2, 4, 1);
    struct lag_chunks chunks = lag_chunks_of(8, 4, plan->n_chunks);
    struct lag_tally tally;
    struct lag_result row = {.size = 8};

    topology->links[0].rate = 2; /* all others are faster */
    lag_tally_init(&tally, 2, topology->n_links);
    add_run(&tally);
    lag_tally_summarise(&tally, &(struct lag_subject){plan, topology, &chunks, NULL}, &row);
    g_assert_cmpfloat(row.path.compute, ==, 0.5);
    g_assert_cmpfloat(row.path.wait, ==, 1.5);
    g_assert_cmpfloat(row.path.bandwidth, ==, 2);
    g_assert_cmpfloat(row.path.latency, ==, 1);
    g_assert_cmpuint(row.path.first_rank, ==, 1);
    g_assert_cmpfloat(row.path.first_share, ==, 1);
    g_assert_cmpuint(row.path.n_ranks, ==, 2);
    g_assert_cmpuint(row.path.n_links, ==, 1);
    g_assert_cmpstr(row.path.links[0].name, ==, "gpu0->switch");
    g_assert_cmpfloat(row.path.links[0].share, ==, 1);
    g_assert_cmpstr(row.bottleneck, ==, "bandwidth 40 %, gpu0->switch");
    lag_result_clear(&row);
    lag_tally_clear(&tally);
}

/* Contention names the link that it is on, though no link is faster: beside the 5 s
 * of the run above, 3 s of contention on gpu0->switch, of 8 s in all. */
static void test_contention(void)
{
    g_autoptr(lag_plan) plan = make_plan("ring", 2);
    g_autoptr(lag_topology) topology = lag_topology_new_switch(2, 4, 1);
    struct lag_chunks chunks = lag_chunks_of(8, 4, plan->n_chunks);
    const struct lag_subject subject = {.plan = plan, .topology = topology, .chunks = &chunks};
    struct lag_tally tally;
    struct lag_result row = {.size = 8};

    lag_tally_init(&tally, 2, topology->n_links);
    add_run(&tally);
    lag_tally_summarise(&tally, &subject, &row);
    g_assert_cmpstr(row.bottleneck, ==, "bandwidth 40 %");
    lag_result_clear(&row);
    row = (struct lag_result){.size = 8};
    tally.shares.contention = tally.link_contention[0] = 3;
    lag_tally_summarise(&tally, &subject, &row);
    g_assert_cmpfloat(row.path.links[0].share, ==, 1);
    g_assert_cmpstr(row.bottleneck, ==, "contention 38 %, gpu0->switch");
    lag_result_clear(&row);
    lag_tally_clear(&tally);
}

/* Runs in which links changed recorded what crossed them: 6 of 8 B and 2 of 12 B make 4 B a run and a
 * utilisation of 8 / 20. */
static void test_recorded_links(void)
{
    g_autoptr(lag_plan) plan = make_plan("ring", 2);
    g_autoptr(lag_topology) topology = lag_topology_new_switch(2, 4, 1);
    struct lag_chunks chunks = lag_chunks_of(8, 4, plan->n_chunks);
    const struct lag_subject subject = {.plan = plan, .topology = topology, .chunks = &chunks};
    const lag_seconds arrival[] = {0, 0}, compute[] = {0, 0};
    struct lag_outcome outcome;
    struct lag_tally tally, later;
    struct lag_result row = {.size = 8};

    lag_outcome_init(&outcome, 2);
    lag_tally_init(&tally, 2, topology->n_links);
    lag_tally_init(&later, 2, topology->n_links);
    for (int i = 0; i < 2; i++) {
        lag_outcome_record_links(&outcome, topology->n_links);
        g_assert_cmpfloat(outcome.link_bytes[3], ==, 0);
        outcome.link_bytes[3] = i == 0 ? 6 : 2;
        outcome.link_capacity[3] = i == 0 ? 8 : 12;
        outcome.completion = 1;
        lag_tally_add(i == 0 ? &tally : &later, &outcome, arrival, compute);
    }
    lag_tally_merge(&tally, &later);
    lag_tally_summarise(&tally, &subject, &row);
    g_assert_cmpfloat(row.links[3].bytes, ==, 4);
    g_assert_cmpfloat(row.links[3].utilisation, ==, 0.4);
    lag_result_clear(&row);
    lag_tally_clear(&tally);
    lag_tally_clear(&later);
    lag_outcome_clear(&outcome);
}

/* StragglAR of 4 ranks, 12 bytes, so chunks of 4. Its listing (spec, section 1.3): before the
 * arrival ranks 0, 1, 2 send twice each; then 3<->0; 3<->1, 0->2; 3<->2, 0<->1; 0<->2, 3->1.
 * So positions 0 .. 3 send 6, 4, 4 and 4 chunks. Rank 3 was late three times, rank 0 once: in
 * that run ranks 0 and 3 have swapped. Rank 0 sends (3 x 24 + 16) / 4, rank 3 (3 x 16 + 24) / 4. */
static void test_varying_late_rank(void)
{
    g_autoptr(lag_plan) plan = make_plan("stragglar", 4);
    g_autoptr(lag_topology) topology = lag_topology_new_switch(4, 1, 0);
    struct lag_chunks chunks = lag_chunks_of(12, 4, plan->n_chunks);
    const uint64_t arrived_last[] = {1, 0, 0, 3};
    double bytes[8];

    lag_link_bytes(&(struct lag_subject){plan, topology, &chunks, NULL}, arrived_last, bytes);
    g_assert_cmpfloat(bytes[0], ==, 22);
    g_assert_cmpfloat(bytes[1], ==, 16);
    g_assert_cmpfloat(bytes[2], ==, 16);
    g_assert_cmpfloat(bytes[3], ==, 18);
    g_assert_cmpfloat(bytes[4] + bytes[5] + bytes[6] + bytes[7], ==, 72); /* received: the same */
}

/* Over links that are not a switch's ports: on a graph of a switch with four GPUs the same bytes
 * cross the same links, whoever was late how often. The plain sum goes over all ways of all
 * transfers, with the names that each run gave. */
static void test_varying_late_rank_over_ways(void)
{
    static const struct lag_graph_link cables[] = {
        {"gpu0", "s",    1, 0, false},
        {"gpu1", "s",    1, 0, false},
        {"gpu2", "t",    1, 0, false},
        {"gpu3", "t",    1, 0, false},
        {"s",    "t",    1, 0, false},
        {"gpu1", "gpu2", 1, 0, false},
    };
    static const uint32_t ranks[] = {2, 0, 3, 1};
    const struct lag_topology_request request = {
        .n_ranks = 4,
        .outer = {.kind = lag_topology_kind_find("graph"), .links = cables, .n_links = 6},
    };
    struct lag_topology_fault fault;
    g_autoptr(lag_topology) topology = lag_topology_compose(&request, &fault, NULL);
    g_autoptr(lag_plan) plan = make_plan("stragglar", 4);
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer));
    struct lag_chunks chunks = lag_chunks_of(12, 4, plan->n_chunks);
    const uint64_t late_runs[] = {1, 2, 0, 3};
    double expected[12] = {0}, bytes[12];

    g_assert_cmpuint(topology->n_links, ==, 12);
    for (uint32_t late = 0; late < 4; late++) {
        g_array_set_size(list, 0);
        for (uint32_t round = 0; round < plan->n_rounds; round++)
            for (uint32_t lane = 0; lane < plan->n_lanes; lane++)
                lag_plan_round(plan, lag_plan_bind(plan, late), lane, round, list);
        for (guint i = 0; i < list->len; i++) {
            const struct laggard_transfer *t = &g_array_index(list, struct laggard_transfer, i);
            g_array_set_size(way, 0);
            lag_topology_route(topology, ranks[t->src], ranks[t->dst], way);
            for (guint j = 0; j < way->len; j++)
                expected[g_array_index(way, uint32_t, j)] += 4.0 * (double)late_runs[late] / 6;
        }
    }
    lag_link_bytes(&(struct lag_subject){plan, topology, &chunks, ranks}, late_runs, bytes);
    for (uint32_t link = 0; link < 12; link++)
        g_assert_cmpfloat_with_epsilon(bytes[link], expected[link], 1e-12);
}

/* More runs than are kept: the same means, from the series; merged with a short one too. */
static void test_many(void)
{
    g_autoptr(lag_plan) plan = make_plan("ring", 2);
    g_autoptr(lag_topology) topology = lag_topology_new_switch(2, 4, 1);
    struct lag_chunks chunks = lag_chunks_of(8, 4, plan->n_chunks);
    struct lag_tally tally, later;
    struct lag_result row = {.size = 8};

    lag_tally_init(&tally, 2, topology->n_links);
    lag_tally_init(&later, 2, topology->n_links);
    for (uint32_t i = 0; i <= LAG_TALLY_KEEP; i++)
        add_run(&tally);
    add_run(&later);
    g_assert_null(tally.completion);
    lag_tally_merge(&tally, &later);
    g_assert_cmpuint(tally.n_runs, ==, LAG_TALLY_KEEP + 2);
    lag_tally_summarise(&tally, &(struct lag_subject){plan, topology, &chunks, NULL}, &row);
    g_assert_cmpfloat_with_epsilon(row.time.mean, 5, 1e-9);
    g_assert_cmpfloat_with_epsilon(row.exposed.mean, 3, 1e-9);
    g_assert_cmpfloat(row.time.stddev, <, 1e-9);
    lag_result_clear(&row);
    lag_tally_clear(&tally);
    lag_tally_clear(&later);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tally/means", test_means);
    g_test_add_func("/tally/path", test_path);
    g_test_add_func("/tally/contention", test_contention);
    g_test_add_func("/tally/recorded-links", test_recorded_links);
    g_test_add_func("/tally/varying-late-rank", test_varying_late_rank);
    g_test_add_func("/tally/varying-late-rank-over-ways", test_varying_late_rank_over_ways);
    g_test_add_func("/tally/many", test_many);
    return g_test_run();
}
