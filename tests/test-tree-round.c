/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a round of a coded tree goes, and ends: networks, the way down, carried work, costs of the code,
 * the late and the dead, deadlines. By hand; spec/coded-gradients.md, sections 2.4 and 5. */
#include <string.h>

#include "sim/laggard.h"
#include "tests/gradient-helpers.h"

/* Runs once and forgets it: the time of the first iteration. */
static lag_seconds time_of(struct tree_bed *bed)
{
    tree_bed_run(bed);
    g_assert_cmpint(bed->outcome.end, ==, LAG_END_OK);
    return tree_bed_iteration(bed, 0);
}

/* Random times, twice over: the same tree over a switch whose port takes as long for a message as
 * message_time says gives the same times, whatever the model; latency is paid once on each layer that
 * the root waits for. */
static void network_and_given_times(void)
{
    for (int fluid = 0; fluid < 2; fluid++) {
        struct tree_bed given, network;
        tree_bed_init(&given, 4, 3, 1, "fractional");
        tree_bed_init(&network, 4, 3, 1, "fractional");
        given.gradient.message_time = 1e-3;
        tree_bed_network(&network, fluid, 4e6, 0);
        given.gradient.compute.extra = network.gradient.compute.extra = 2e-3;
        given.gradient.fan_in = network.gradient.fan_in = 0.25;
        given.gradient.n_iterations = network.gradient.n_iterations = 50;
        tree_bed_run(&given);
        tree_bed_run(&network);
        for (uint32_t i = 0; i < 50; i++)
            assert_near(tree_bed_iteration(&given, i), tree_bed_iteration(&network, i), 1e-9);
        tree_bed_clear(&given);
        tree_bed_clear(&network);
    }
}

/* 4 workers ready at 0 send 4000 B each at 4e6 B/s to the root, latency 5 ms: the last is there at
 * 4 x 1 ms + 5 ms, one at a time or all at once. */
static void latency_is_paid_once(void)
{
    for (int shared = 0; shared < 2; shared++) {
        struct tree_bed bed;
        tree_bed_init(&bed, 4, 1, 0, "auto");
        tree_bed_network(&bed, true, 4e6, 5e-3);
        bed.run.shared_ports = shared;
        assert_near(time_of(&bed), 9e-3, 1e-9);
        tree_bed_clear(&bed);
    }
}

/* Parameters down (2,2), t_c = 1: sequentially the root's children have them at 1, 2, theirs at 2, 3
 * and 3, 4; work of 10 each. Up, s = 0: node 1's port takes in 12 .. 13, 13 .. 14; node 2's 13 .. 14,
 * 14 .. 15; the root's 14 .. 15, 15 .. 16. To all at once: 1, then 2; 12 .. 14 at both; 14 .. 16. */
static void down(void)
{
    double compute[] = {10, 10, 10, 10, 10, 10};
    const struct {
        enum lag_down down;
        double given, network;
    } rows[] = {
        {LAG_DOWN_NONE,       14, 14},
        {LAG_DOWN_SEQUENTIAL, 16, 16},
        {LAG_DOWN_BROADCAST,  16, 18}, /* a switch has no broadcast: two copies share a port */
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct tree_bed bed;
        tree_bed_init(&bed, 2, 2, 0, "auto");
        tree_bed_compute(&bed, compute, 1);
        bed.gradient.down = rows[i].down;
        bed.gradient.message_time = 1;
        assert_near(time_of(&bed), rows[i].given, 1e-12);
        assert_near(bed.outcome.compute, 10, 1e-12);
        assert_near(bed.outcome.receive, rows[i].given - 10, 1e-12);
        tree_bed_network(&bed, true, 4000, 0);
        assert_near(time_of(&bed), rows[i].network, 1e-12);
        tree_bed_clear(&bed);
    }
}

/* One worker of a star of three needs 10 s in the first iteration, else 1 s as the others do; s = 1.
 * Barrier: each iteration takes 1 s. Carry: worker 0 works until 10, all the others' rounds are
 * decided without it; it is free for round 11. If worker 1 needs 5 s in round 3 (from 2 on), that
 * round waits for it until 7 under carry, while under the barrier worker 0 is free again: 1 s. */
static void barrier_and_carry(void)
{
    double times[] = {10, 1, 1, 1, 1, 1, 1, 5, 1, 1, 1, 1};

    for (int carry = 0; carry < 2; carry++) {
        struct tree_bed bed;
        tree_bed_init(&bed, 3, 1, 1, "cyclic");
        tree_bed_compute(&bed, times, 4);
        bed.gradient.n_iterations = 4;
        bed.gradient.carry = carry;
        tree_bed_run(&bed);
        g_assert_cmpint(bed.outcome.end, ==, LAG_END_OK);
        for (uint32_t i = 0; i < 4; i++)
            assert_near(tree_bed_iteration(&bed, i), carry && i == 2 ? 5 : 1, 1e-12);
        tree_bed_clear(&bed);
    }
}

/* Under carry a late message holds the port too: two workers of three ready at 1, 1, 1 and t_c = 1,
 * s = 1. First round: received 1 .. 2, 2 .. 3, decided at 3, the third is dropped as it waits.
 * Second: the same. A worker that was sending at the decision (ready at 2.5 through shared ports)
 * would come in for nothing. */
static void carried_messages(void)
{
    double times[] = {1, 1, 2.5};
    struct tree_bed bed;

    tree_bed_init(&bed, 3, 1, 2, "fractional");
    tree_bed_compute(&bed, times, 1);
    bed.gradient.message_time = 1;
    bed.gradient.n_iterations = 3;
    bed.gradient.carry = true;
    /* One is enough: decided at 2, 4, 6. */
    tree_bed_run(&bed);
    for (uint32_t i = 0; i < 3; i++)
        assert_near(tree_bed_iteration(&bed, i), 2, 1e-12);
    /* Worker 2 (2.5 s a round) is at work on round 1 until 2.5, on round 2 until 5, ...: it never
     * counts. */
    assert_near(bed.outcome.samples_computed, 3 * 6, 1e-12);
    tree_bed_clear(&bed);
}

/* Encoding and decoding at 1000 B/s, messages of 4000 B, solving 2 s where the set is new; a star of 3,
 * s = 1, all compute 1 s, t_c = 0. Encode two vectors: 8 s. Decode two of them, 8 s, and solve, once:
 * worker 0 and 1 are there first in each iteration. */
static void cost_of_the_code(void)
{
    struct tree_bed bed;
    double times[] = {1, 1, 2};

    tree_bed_init(&bed, 3, 1, 1, "cyclic");
    tree_bed_compute(&bed, times, 1);
    bed.gradient.encode_rate = bed.gradient.decode_rate = 1000;
    bed.gradient.solve_time = 2;
    bed.gradient.n_iterations = 2;
    assert_near(time_of(&bed), 1 + 8 + 8 + 2, 1e-12);
    assert_near(tree_bed_iteration(&bed, 1), 1 + 8 + 8, 1e-12);
    assert_near(bed.outcome.encode, 8, 1e-12);
    assert_near(bed.outcome.decode, 9, 1e-12);
    assert_near(bed.outcome.compute, 1, 1e-12);
    g_assert_cmpfloat(bed.outcome.receive, ==, 0);
    tree_bed_clear(&bed);
}

/* More than s of the root's children late, but alive: it waits for the next one. Late below node 1:
 * node 1 is the root's straggler, and the rest is in time. */
static void later_than_expected(void)
{
    double late[] = {5, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    double below[] = {1, 1, 1, 9, 9, 1, 1, 1, 1, 1, 1, 1};
    struct tree_bed bed;

    tree_bed_init(&bed, 3, 2, 1, "cyclic");
    tree_bed_compute(&bed, late, 1);
    assert_near(time_of(&bed), 5, 1e-12);
    tree_bed_compute(&bed, below, 1);
    assert_near(time_of(&bed), 1, 1e-12);
    tree_bed_clear(&bed);
}

/* Dead from the start on: with a law of 0 s. */
static struct lag_straggler dead(uint32_t *ranks, uint32_t n, lag_seconds at)
{
    return (struct lag_straggler){
        .effect = LAG_DEATH,
        .law = {.type = lag_law_type_find("constant"), .p = {at}},
        .n_ranks = n,
        .ranks = ranks,
    };
}

/* (3,2), s = 1, workers are nodes less one. One of the root's dead, and one below each other: fine.
 * Two of node 1's: node 1 is dead for the root, still fine. Two below nodes 1 and 2: nothing can be
 * decoded, and the message says who lacks what. */
static void dead_workers(void)
{
    uint32_t few[] = {0, 6, 9}, below_one[] = {3, 4}, below_two[] = {3, 4, 6, 7};
    struct lag_straggler stragglers[1];
    struct tree_bed bed;

    tree_bed_init(&bed, 3, 2, 1, "cyclic");
    bed.gradient.compute.point = 1;
    bed.gradient.n_iterations = 3;
    bed.lateness.stragglers = stragglers;
    bed.lateness.n_stragglers = 1;
    stragglers[0] = dead(few, 3, 0);
    time_of(&bed);
    stragglers[0] = dead(below_one, 2, 0);
    time_of(&bed);
    stragglers[0] = dead(below_two, 4, 0);
    tree_bed_run(&bed);
    g_assert_cmpint(bed.outcome.end, ==, LAG_END_UNDECODABLE);
    g_assert_cmpstr(
        bed.outcome.message, ==,
        "iteration 1: node 0 (the root) has 1 of 3 messages, needs 2; nothing came from "
        "node 1, 2; node 1 has 1 of 3 messages, needs 2; nothing came from node 4, 5");
    g_assert_cmpuint(bed.outcome.n_undecodable, ==, 1);
    tree_bed_clear(&bed);
}

/* A death in the third iteration ends the run there; 16 / 15 s each. Node 1 dies while it waits for its
 * children: it has worked, but doesn't send. */
static void death_on_the_way(void)
{
    uint32_t all[] = {0, 1}, one[] = {0};
    double times[] = {1, 1, 1, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    struct lag_straggler stragglers[1];
    struct tree_bed bed;

    tree_bed_init(&bed, 3, 2, 1, "cyclic");
    tree_bed_compute(&bed, times, 1);
    bed.gradient.n_iterations = 5;
    bed.lateness.stragglers = stragglers;
    bed.lateness.n_stragglers = 1;
    stragglers[0] = dead(all, 2, 10);
    tree_bed_run(&bed);
    g_assert_cmpint(bed.outcome.end, ==, LAG_END_UNDECODABLE);
    g_assert_cmpuint(bed.outcome.n_iterations, ==, 3);
    g_assert_cmpuint(bed.outcome.update_times->len, ==, 2);
    stragglers[0] = dead(one, 1, 2);
    time_of(&bed);
    tree_bed_clear(&bed);
}

/* (4,1), s = 1, the circulant of ones; dead {0, 1}: undecodable, or at a deadline of 5 s by least
 * squares with |1 - aB| = 1 at most; dead {0, 2}: decodable by luck (section 5). */
static void deadline(void)
{
    uint32_t neighbours[] = {0, 1}, opposite[] = {0, 2};
    struct lag_straggler stragglers[1];
    struct tree_bed bed;

    tree_bed_init(&bed, 4, 1, 1, "cyclic");
    gsl_matrix_set_zero(bed.code->B);
    for (uint32_t i = 0; i < 4; i++) {
        gsl_matrix_set(bed.code->B, i, i, 1);
        gsl_matrix_set(bed.code->B, i, (i + 1) % 4, 1);
    }
    bed.code->fewest = 2;
    bed.code->rank = 3;
    bed.gradient.compute.point = 1;
    bed.gradient.n_iterations = 2;
    bed.lateness.stragglers = stragglers;
    bed.lateness.n_stragglers = 1;
    stragglers[0] = dead(neighbours, 2, 0);
    tree_bed_run(&bed);
    g_assert_cmpint(bed.outcome.end, ==, LAG_END_UNDECODABLE);
    bed.gradient.deadline = 5;
    assert_near(time_of(&bed), 5, 1e-12);
    assert_near(tree_bed_iteration(&bed, 1), 5, 1e-12);
    assert_near(bed.outcome.code_residual, 1, 1e-12);
    g_assert_cmpuint(bed.outcome.n_approximate, ==, 2);
    stragglers[0] = dead(opposite, 2, 0);
    assert_near(time_of(&bed), 2, 1e-12);
    g_assert_cmpuint(bed.outcome.n_approximate, ==, 0);
    tree_bed_clear(&bed);
}

/* Nothing there by the deadline: no gradient in those iterations, and the run says so. */
static void nothing_by_the_deadline(void)
{
    double times[] = {1, 1, 9, 9};
    struct tree_bed bed;

    tree_bed_init(&bed, 2, 1, 1, "auto");
    tree_bed_compute(&bed, times, 2);
    bed.gradient.n_iterations = 4;
    bed.gradient.deadline = 5;
    tree_bed_run(&bed);
    g_assert_cmpint(bed.outcome.end, ==, LAG_END_UNDECODABLE);
    g_assert_cmpuint(bed.outcome.n_iterations, ==, 4);
    g_assert_cmpuint(bed.outcome.n_undecodable, ==, 2);
    assert_near(bed.outcome.time, 12, 1e-12);
    assert_near(bed.outcome.samples, 2 * 2, 1e-12);
    tree_bed_clear(&bed);
}

/* Every second of every worker is somewhere, under the barrier: compute + waits + dropped = time. */
static void use_of_time(void)
{
    struct tree_bed bed;

    tree_bed_init(&bed, 4, 2, 1, "fractional");
    bed.gradient.compute.point = 0.1;
    bed.gradient.compute.extra = 1;
    bed.gradient.message_time = 0.2;
    bed.gradient.n_iterations = 40;
    tree_bed_run(&bed);
    for (uint32_t w = 0; w < bed.run.n_workers; w++) {
        const struct lag_worker_use *use = &bed.outcome.use[w];
        assert_near(use->compute + use->wait_peers + use->wait_network + use->dropped,
                    bed.outcome.time, 1e-9);
    }
    assert_near(40 * (bed.outcome.compute + bed.outcome.receive), bed.outcome.time, 1e-9);
    tree_bed_clear(&bed);
}

/* The same seed gives the same times, another replication others. */
static void same_seed(void)
{
    struct tree_bed bed;
    lag_seconds first;

    tree_bed_init(&bed, 4, 2, 1, "fractional");
    bed.gradient.compute.extra = 1;
    first = time_of(&bed);
    g_assert_cmpfloat(time_of(&bed), ==, first);
    bed.run.replication = 1;
    g_assert_cmpfloat(time_of(&bed), !=, first);
    tree_bed_clear(&bed);
}

int main(int argc, char *argv[])
{
    gsl_set_error_handler_off();
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tree-round/network-and-given-times", network_and_given_times);
    g_test_add_func("/tree-round/latency-is-paid-once", latency_is_paid_once);
    g_test_add_func("/tree-round/down", down);
    g_test_add_func("/tree-round/barrier-and-carry", barrier_and_carry);
    g_test_add_func("/tree-round/carried-messages", carried_messages);
    g_test_add_func("/tree-round/cost-of-the-code", cost_of_the_code);
    g_test_add_func("/tree-round/later-than-expected", later_than_expected);
    g_test_add_func("/tree-round/dead-workers", dead_workers);
    g_test_add_func("/tree-round/death-on-the-way", death_on_the_way);
    g_test_add_func("/tree-round/deadline", deadline);
    g_test_add_func("/tree-round/nothing-by-the-deadline", nothing_by_the_deadline);
    g_test_add_func("/tree-round/use-of-time", use_of_time);
    g_test_add_func("/tree-round/same-seed", same_seed);
    return g_test_run();
}
