/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path: who decided the end, and with what. */
#include "sim/path.h"
#include "tests/helpers.h"

static lag_seconds total(const struct lag_shares *s)
{
    return s->wait + s->overhead + s->bandwidth + s->latency + s->contention;
}

static const struct lag_hop *hop_at(const struct lag_path *path, guint i)
{
    return &g_array_index(path->hops, struct lag_hop, i);
}

/* One message of 1 s with overhead 0.25 s and latency 0.5 s, from a sender that comes at 3 s to a
 * receiver that comes at 2 s: 4.75 = 3 (wait) + 0.25 + 1 + 0.5, begun by rank 0, ended by rank 1. */
static void one_message(void)
{
    g_auto(test_bed) bed;
    const struct lag_path *path = &bed.outcome.path;

    bed_init(&bed, named_plan("binomial-tree", LAGGARD_BROADCAST, 2), 1000, 1000, 0.5);
    bed.network.overhead = 0.25;
    bed.arrival[0] = 3;
    bed.arrival[1] = 2;
    g_assert_cmpfloat(bed_run(&bed), ==, 4.75);
    g_assert_true(path->recorded);
    g_assert_cmpuint(path->first_rank, ==, 0);
    g_assert_cmpuint(path->last_rank, ==, 1);
    g_assert_cmpfloat(path->shares.wait, ==, 3);
    g_assert_cmpfloat(path->shares.overhead, ==, 0.25);
    g_assert_cmpfloat(path->shares.bandwidth, ==, 1);
    g_assert_cmpfloat(path->shares.latency, ==, 0.5);
    g_assert_cmpfloat(path->shares.contention, ==, 0);
    g_assert_cmpuint(path->hops->len, ==, 1);
    g_assert_true(hop_at(path, 0)->src == 0 && hop_at(path, 0)->dst == 1);
    g_assert_false(hop_at(path, 0)->by_send);
}

/* Binomial tree over 4, 1 s a message, no latency, the link into rank 1 four times slower. Round 0:
 * 0 -> 1 takes 4 s; round 1: 0 -> 2 and 1 -> 3, 1 s each: 5 s. Both chains are as long; either way
 * the path is 0 -> 1 over rank 1's link and then one message of round 1. If rank 3 comes at 10 s,
 * the path starts with it: 10 s of wait and 1 -> 3. */
static void two_hops(void)
{
    g_auto(test_bed) bed;
    const struct lag_path *path = &bed.outcome.path;

    bed_init(&bed, named_plan("binomial-tree", LAGGARD_BROADCAST, 4), 1000, 1000, 0);
    bed.topology->links[lag_topology_ingress(bed.topology, 1)].rate = 250;
    g_assert_cmpfloat(bed_run(&bed), ==, 5);
    g_assert_cmpuint(path->hops->len, ==, 2);
    g_assert_true(hop_at(path, 0)->src == 0 && hop_at(path, 0)->dst == 1);
    g_assert_cmpuint(hop_at(path, 0)->link, ==, lag_topology_ingress(bed.topology, 1));
    g_assert_cmpfloat(hop_at(path, 0)->bandwidth, ==, 4);
    g_assert_cmpuint(hop_at(path, 1)->round, ==, 1);
    bed.arrival[3] = 10;
    g_assert_cmpfloat(bed_run(&bed), ==, 11);
    g_assert_cmpuint(path->hops->len, ==, 1);
    g_assert_cmpuint(path->first_rank, ==, 3);
    g_assert_cmpfloat(path->shares.wait, ==, 10);
    g_assert_true(hop_at(path, 0)->src == 1 && hop_at(path, 0)->dst == 3);
}

/* Hops follow each other in time: rounds rise within a lane, each hop has an end in common with the
 * next, the first one with first_rank (where no gate is), the last one ends at last_rank. */
static void check_chain(const test_bed *bed)
{
    const struct lag_path *path = &bed->outcome.path;
    uint32_t n = path->hops->len;

    for (guint i = 0; i < n; i++) {
        const struct lag_hop *h = hop_at(path, i);
        if (i + 1 == n) {
            g_assert_cmpuint(h->by_send ? h->src : h->dst, ==, path->last_rank);
            break;
        }
        const struct lag_hop *next = hop_at(path, i + 1);
        uint32_t end = h->by_send ? h->src : h->dst;
        g_assert_cmpuint(h->round, <, next->round);
        g_assert_true(next->src == end || next->dst == end);
    }
    if (n == 0)
        g_assert_cmpfloat(path->shares.wait, ==, bed->outcome.completion);
    else if (!lag_plan_is_gated(bed->plan))
        g_assert_true(path->first_rank == hop_at(path, 0)->src ||
                      path->first_rank == hop_at(path, 0)->dst);
}

/* On random instances of all algorithms: the shares sum to the completion, the wait is the arrival
 * of the path's first rank, and the hops are a chain. */
static void shares_sum_up(void)
{
    g_autoptr(gsl_rng) rng = test_rng(1);

    for (int i = 0; i < 3000; i++) {
        const struct laggard_algorithm *algorithm = NULL;
        unsigned n_algorithms = 0, c = 0;
        while (lag_algorithms[n_algorithms] != NULL)
            n_algorithms++;
        algorithm = lag_algorithms[below(rng, n_algorithms)];
        do
            c = below(rng, LAGGARD_N_COLLECTIVES);
        while (!(algorithm->collectives & LAGGARD_BIT(c)));
        uint32_t n = random_ranks(algorithm, c, rng);
        g_auto(test_bed) bed;
        bed_init(&bed, algorithm_plan(algorithm, c, n, below(rng, n)),
                 4 * (lag_bytes)below(rng, 1 << 20), 1, 1);
        bed_randomise(&bed, rng);
        bed_run(&bed);
        const struct lag_path *path = &bed.outcome.path;
        g_assert_true(path->recorded);
        assert_near(total(&path->shares), bed.outcome.completion, 1e-12);
        g_assert_cmpfloat(bed.outcome.done[path->last_rank], ==, bed.outcome.completion);
        g_assert_cmpfloat(path->shares.wait, ==, bed.arrival[path->first_rank]);
        check_chain(&bed);
    }
}

/* With one slow link (a quarter of the rate) a ring's path goes over it in each of its 14 rounds,
 * or all but the 7 that it takes to get there at most; whoever the slow one is. */
static void names_the_slow_link(void)
{
    for (uint32_t link = 0; link < 16; link++) {
        g_auto(test_bed) bed;
        guint over_it = 0;
        bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 8), GIB, 100e9, 5e-6);
        bed.topology->links[link].rate = 25e9;
        bed_run(&bed);
        const struct lag_path *path = &bed.outcome.path;
        g_assert_cmpuint(path->hops->len, ==, 14);
        for (guint i = 0; i < path->hops->len; i++)
            over_it += hop_at(path, i)->link == link;
        g_assert_cmpuint(over_it, >=, 13);
    }
}

/* A rank that is late enough is where the path starts, and its arrival is the wait; a ring that
 * waits for nobody has no wait. */
static void names_the_late_rank(void)
{
    for (uint32_t late = 0; late < 8; late++) {
        g_auto(test_bed) bed;
        bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 8), GIB, 100e9, 5e-6);
        bed_run(&bed);
        g_assert_cmpfloat(bed.outcome.path.shares.wait, ==, 0);
        bed.arrival[late] = 0.040;
        bed_run(&bed);
        g_assert_cmpuint(bed.outcome.path.first_rank, ==, late);
        g_assert_cmpfloat(bed.outcome.path.shares.wait, ==, 0.040);
    }
}

/* Whoever-is-missing, n = 8, arrivals 0 .. 5 ms, rank 4 at 5 ms, rank 2 at 3 ms, the others at 0.
 * The pre-phase takes 1.9228 ms and starts with the last but one, rank 2. It ends at 4.92 ms, before
 * rank 4 comes, with whom the path starts. With rank 2 at 4 ms it ends at 5.92 ms: the path starts
 * with rank 2, at whose arrival the gate opened for all, though its first hop may be another's. */
static void starts_at_the_gate(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, stragglar_plan(8, LAGGARD_NONE), GIB, PAPER_RATE, PAPER_LAG);
    bed.arrival[4] = 5e-3;
    bed.arrival[2] = 3e-3;
    bed_run(&bed);
    g_assert_cmpuint(bed.outcome.path.first_rank, ==, 4);
    g_assert_cmpfloat(bed.outcome.path.shares.wait, ==, 5e-3);
    bed.arrival[2] = 4e-3;
    bed_run(&bed);
    g_assert_cmpuint(bed.outcome.path.first_rank, ==, 2);
    g_assert_cmpfloat(bed.outcome.path.shares.wait, ==, 4e-3);
    assert_prints(bed.outcome.completion * 1e3, 4 + 4.8069, 1e-4);
}

/* A plan that is too large for its history says so, and runs all the same (the budget is 384 MiB,
 * 4 bytes a rank and round). Only room is asked for here. */
static void too_large_to_record(void)
{
    struct lag_history history = {0};
    lag_plan small = {.n_lanes = 1, .n_ranks = 10, .n_rounds = 10};
    lag_plan large = {.n_lanes = 1, .n_ranks = 20000, .n_rounds = 39998};

    lag_history_prepare(&history, &small, false);
    g_assert_nonnull(history.decisions);
    lag_history_prepare(&history, &large, false);
    g_assert_null(history.decisions);
    lag_history_prepare(&history, &small, false);
    g_assert_nonnull(history.decisions);
    lag_history_clear(&history);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/path/one-message", one_message);
    g_test_add_func("/path/two-hops", two_hops);
    g_test_add_func("/path/shares-sum-up", shares_sum_up);
    g_test_add_func("/path/names-the-slow-link", names_the_slow_link);
    g_test_add_func("/path/names-the-late-rank", names_the_late_rank);
    g_test_add_func("/path/starts-at-the-gate", starts_at_the_gate);
    g_test_add_func("/path/too-large-to-record", too_large_to_record);
    return g_test_run();
}
