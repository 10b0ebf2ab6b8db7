/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replay against times worked out by hand and against published ones. K-numbers are those of the
 * table of closed forms (checks.tsv), TC-numbers of spec/user-cases.md section 1.1. */
#include "sim/replay.h"
#include "tests/helpers.h"

#define K_RATE    100e9
#define K_LATENCY 5e-6

static lag_plan *ring(uint32_t n)
{
    return named_plan("ring", LAGGARD_ALLREDUCE, n);
}

/* One message: latency 0.5 s, 1000 B at 1000 B/s. The sender's port is free at 1 s, the receiver
 * has it at 1.5 s. When the receiver comes at 2 s, both wait for it: 3 s and 3.5 s. */
static void one_message(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("binomial-tree", LAGGARD_BROADCAST, 2), 1000, 1000, 0.5);
    g_assert_cmpfloat(bed_run(&bed), ==, 1.5);
    g_assert_cmpfloat(bed.outcome.done[0], ==, 1);
    g_assert_cmpfloat(bed.outcome.done[1], ==, 1.5);
    g_assert_cmpuint(bed.outcome.n_messages, ==, 1);
    g_assert_cmpuint(bed.outcome.wire_bytes, ==, 1000);
    bed.arrival[1] = 2;
    g_assert_cmpfloat(bed_run(&bed), ==, 3.5);
    g_assert_cmpfloat(bed.outcome.done[0], ==, 3);
    g_assert_cmpuint(bed.outcome.last_to_arrive, ==, 1);
    g_assert_cmpfloat(bed.outcome.last_arrival, ==, 2);
}

/* A ring of two, 2000 B, 1000 B/s, latency 0.5 s: two rounds in which both send 1000 B, each
 * over when both have received: 2 x 1.5 s. */
static void ring_of_two(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, ring(2), 2000, 1000, 0.5);
    g_assert_cmpfloat(bed_run(&bed), ==, 3);
    g_assert_cmpfloat(bed.outcome.done[0], ==, 3);
    g_assert_cmpuint(bed.outcome.n_messages, ==, 4);
    g_assert_cmpuint(bed.outcome.wire_bytes, ==, 4000);
}

/* Ranks drift apart. Binomial tree over 4 from rank 0, 1000 B, 1000 B/s, no latency; rank 1 comes
 * at 5 s. Round 0 is 0 -> 1, round 1 is 0 -> 2 and 1 -> 3. Rank 0 is held up by rank 1 until 6 s,
 * then both send until 7 s. If rank 2 comes late instead (at 5 s): 0 -> 1 until 1 s, 1 -> 3 until
 * 2 s, 0 -> 2 from 5 to 6 s: ranks 1 and 3 are done long before. */
static void ranks_drift_apart(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("binomial-tree", LAGGARD_BROADCAST, 4), 1000, 1000, 0);
    bed.arrival[1] = 5;
    g_assert_cmpfloat(bed_run(&bed), ==, 7);
    g_assert_cmpfloat(bed.outcome.done[2], ==, 7);
    bed.arrival[1] = 0;
    bed.arrival[2] = 5;
    g_assert_cmpfloat(bed_run(&bed), ==, 6);
    g_assert_cmpfloat(bed.outcome.done[0], ==, 6);
    g_assert_cmpfloat(bed.outcome.done[1], ==, 2);
    g_assert_cmpfloat(bed.outcome.done[3], ==, 2);
}

/* n = 1: nothing to do, done on arrival. */
static void one_rank(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, ring(1), 1000, 1000, 0.5);
    bed.arrival[0] = 3;
    g_assert_cmpfloat(bed_run(&bed), ==, 3);
    g_assert_cmpuint(bed.outcome.n_messages, ==, 0);
}

/* K01: 2 (n - 1)(a + S / (n B)), n = 8, 1 GiB, 5 us, 100 GB/s. */
static void k01(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, ring(8), GIB, K_RATE, K_LATENCY);
    assert_near(bed_run(&bed), 0.01886048192, 1e-9);
}

/* K02: one edge at 25 GB/s sets every round's pace, wherever it sits. The edge r -> r + 1 is slow
 * at its start, or at its end. */
static void k02(void)
{
    for (uint32_t link = 0; link < 16; link++) {
        g_auto(test_bed) bed;
        bed_init(&bed, ring(8), GIB, K_RATE, K_LATENCY);
        bed.topology->links[link].rate = 25e9;
        assert_near(bed_run(&bed), 0.07523192768, 1e-9);
    }
}

/* K03: as K01 with one rank 40 ms late, whichever: the end is 40 ms later, and the early ranks gain
 * nothing: the wave that the late one starts reaches everybody in 7 of the 14 rounds. */
static void k03(void)
{
    for (uint32_t late = 0; late < 8; late++) {
        g_auto(test_bed) bed;
        bed_init(&bed, ring(8), GIB, K_RATE, K_LATENCY);
        bed.arrival[late] = 0.040;
        assert_near(bed_run(&bed), 0.05886048192, 1e-9);
        assert_near(bed_exposed(&bed), 0.01886048192, 1e-9);
        g_assert_cmpuint(bed.outcome.last_to_arrive, ==, late);
        for (uint32_t rank = 0; rank < 8; rank++)
            assert_near(bed.outcome.done[rank], 0.05886048192, 1e-9);
    }
}

/* TC2 (astra-sim#296), the ring on one port: n = 8, 100 MB, 50 GB/s, 10 ns: 3500.14 us. */
static void tc2(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, ring(8), 100000000, 50e9, 10e-9);
    assert_near(bed_run(&bed), 3500.14e-6, 1e-9);
}

/* TC5 (astra-network-analytical#12): 1 MB, 50 GB/s, 500 ns: sender free at 20.0 us, receiver done
 * at 20.5 us. */
static void tc5(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("binomial-tree", LAGGARD_BROADCAST, 2), 1000000, 50e9, 500e-9);
    assert_near(bed_run(&bed), 20.5e-6, 1e-12);
    assert_near(bed.outcome.done[0], 20.0e-6, 1e-12);
}

/* TC13 (SimAI#8): an allreduce of 4 bytes over 8 ranks is 14 latencies of 3 us, 42.000 us to the
 * printed digit; one of no bytes still runs its rounds here (the command line makes it a no-op). */
static void tc13(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, ring(8), 4, PAPER_RATE, PAPER_LAG);
    assert_prints(bed_run(&bed) * 1e6, 42.000, 0.001);
    g_assert_cmpuint(bed.outcome.wire_bytes, ==, 2 * 7 * 4);
}

/* TC18 (simgrid#338): ring of 4, 1 MB, no latency: 75.0 ms at 20 MB/s, 75.0 s at 20 kB/s. */
static void tc18(void)
{
    g_auto(test_bed) fast, slow;

    bed_init(&fast, ring(4), 1000000, 20e6, 0);
    bed_init(&slow, ring(4), 1000000, 20e3, 0);
    assert_near(bed_run(&fast), 75.0e-3, 1e-12);
    assert_near(bed_run(&slow), 75.0, 1e-12);
}

/* Half of a ring is a reduce-scatter, and so is an all-gather: 7 of K01's 14 rounds. */
static void half_rings(void)
{
    g_auto(test_bed) scatter, gather;

    bed_init(&scatter, named_plan("ring", LAGGARD_REDUCE_SCATTER, 8), GIB, K_RATE, K_LATENCY);
    bed_init(&gather, named_plan("ring", LAGGARD_ALL_GATHER, 8), GIB, K_RATE, K_LATENCY);
    assert_near(bed_run(&scatter), 0.01886048192 / 2, 1e-9);
    assert_near(bed_run(&gather), 0.01886048192 / 2, 1e-9);
}

/* A tail is not lost: 9 elements over a ring of 8 make a chunk of two, and each round some rank
 * moves it, so 14 rounds of 8 bytes; in all 2 x 7 x 36 bytes travel. */
static void largest_chunk_is_charged(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, ring(8), 36, 8, 0);
    assert_near(bed_run(&bed), 14, 1e-12);
    g_assert_cmpuint(bed.outcome.wire_bytes, ==, 2 * 7 * 36);
}

/* One replayer may run plans of all sizes in turn; what it ran before changes nothing. */
static void scratch_is_clean(void)
{
    g_autoptr(gsl_rng) rng = test_rng(1);
    g_auto(test_bed) first;

    bed_init(&first, ring(8), GIB, K_RATE, K_LATENCY);
    for (int i = 0; i < 40; i++) {
        g_auto(test_bed) other;
        bed_init(&other, ring(1 + below(rng, 30)), 40000, 1e9, 1e-6);
        bed_randomise(&other, rng);
        lag_seconds alone = bed_run(&other);
        lag_replay *own = other.replay;
        other.replay = first.replay;
        g_assert_cmpfloat(bed_run(&other), ==, alone);
        other.replay = own;
        assert_near(bed_run(&first), 0.01886048192, 1e-9);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/replay/one-message", one_message);
    g_test_add_func("/replay/ring-of-two", ring_of_two);
    g_test_add_func("/replay/ranks-drift-apart", ranks_drift_apart);
    g_test_add_func("/replay/one-rank", one_rank);
    g_test_add_func("/replay/k01", k01);
    g_test_add_func("/replay/k02", k02);
    g_test_add_func("/replay/k03", k03);
    g_test_add_func("/replay/tc2", tc2);
    g_test_add_func("/replay/tc5", tc5);
    g_test_add_func("/replay/tc13", tc13);
    g_test_add_func("/replay/tc18", tc18);
    g_test_add_func("/replay/half-rings", half_rings);
    g_test_add_func("/replay/largest-chunk-is-charged", largest_chunk_is_charged);
    g_test_add_func("/replay/scratch-is-clean", scratch_is_clean);
    return g_test_run();
}
