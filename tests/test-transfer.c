/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How transfers start and end: rendezvous and eager, overhead, what observers are told, and for how
 * long ports are busy. */
#include "sim/lockstep.h"
#include "sim/transfer.h"
#include "tests/helpers.h"

/* A chain broadcast of m chunks over n ranks: chunk c goes from i to i + 1 in round i + c. */
static lag_plan *chain(uint32_t n, uint32_t m)
{
    lag_plan *plan = list_plan_new(LAGGARD_BROADCAST, n, m, n + m - 2);

    for (uint32_t i = 0; i + 1 < n; i++)
        for (uint32_t c = 0; c < m; c++)
            list_add(plan, i + c, (struct laggard_transfer){i, i + 1, c, 1, LAGGARD_STORE});
    return plan;
}

/* K05a and K05b of checks.tsv: n = 8, m = 16, 1 GiB, 20 us, 100 GB/s. Rendezvous: each of the
 * n - 2 + m rounds costs (a + w), w = S / (m B). Eager: the latency is paid once a hop:
 * (n - 1)(a + w) + (m - 1) w. */
static void k05(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, chain(8, 16), GIB, 100e9, 20e-6);
    assert_near(bed_run(&bed), 0.01520395008, 1e-9);
    bed.network.eager = true;
    assert_near(bed_run(&bed), 0.01490395008, 1e-9);
}

/* Eager by hand: chain of 3, 2 chunks of 1000 B, 1000 B/s, latency 10 s. Rank 0 sends in [0, 1]
 * and [1, 2] and is done at 2 s; rank 1 has the chunks at 11 s and 12 s and sends them in [11, 12]
 * and [12, 13]; rank 2 has them at 22 s and 23 s. */
static void eager_by_hand(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, chain(3, 2), 2000, 1000, 10);
    bed.network.eager = true;
    g_assert_cmpfloat(bed_run(&bed), ==, 23);
    g_assert_cmpfloat(bed.outcome.done[0], ==, 2);
    g_assert_cmpfloat(bed.outcome.done[1], ==, 13);
    /* Rank 1 comes at 30 s: all is there already. It sends in [30, 31] and [31, 32]. */
    bed.arrival[1] = 30;
    g_assert_cmpfloat(bed_run(&bed), ==, 42);
    g_assert_cmpfloat(bed.outcome.done[0], ==, 2);
    g_assert_cmpfloat(bed.outcome.done[1], ==, 32);
}

/* overhead holds the sender's port before each transfer. One message of 1 s, 0.25 s before it, 0.5 s
 * of latency: 1.25 s and 1.75 s. In two chunks of 0.5 s, rendezvous: sent at 0.75, there at 1.25,
 * where the second can start, sent at 2, there at 2.5. Eager: the second starts at 0.75, is sent at
 * 1.5 and there at 2. */
static void overhead_holds_the_port(void)
{
    g_auto(test_bed) one, two;

    bed_init(&one, chain(2, 1), 1000, 1000, 0.5);
    one.network.overhead = 0.25;
    g_assert_cmpfloat(bed_run(&one), ==, 1.75);
    g_assert_cmpfloat(one.outcome.done[0], ==, 1.25);
    bed_init(&two, chain(2, 2), 1000, 1000, 0.5);
    two.network.overhead = 0.25;
    g_assert_cmpfloat(bed_run(&two), ==, 2.5);
    g_assert_cmpfloat(two.outcome.done[0], ==, 2);
    two.network.eager = true;
    g_assert_cmpfloat(bed_run(&two), ==, 2);
    g_assert_cmpfloat(two.outcome.done[0], ==, 1.5);
}

/* Busy is the time in which a port moves data, not waiting, not latency, not overhead. Ring of two,
 * 2000 B, 1000 B/s, latency 0.5 s: in each round a rank sends in [0, 1] and receives in [0.5, 1.5]:
 * 1.5 s a round, 3 s in all, no matter how late the other one comes. */
static void busy_by_hand(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 2), 2000, 1000, 0.5);
    for (int i = 0; i < 2; i++) {
        bed_run(&bed);
        g_assert_cmpfloat(bed.outcome.busy[0], ==, 3);
        g_assert_cmpfloat(bed.outcome.busy[1], ==, 3);
        bed.arrival[1] = 100;
        bed.network.overhead = 8;
    }
    /* Latency 4 s: [0, 1] and [4, 5] don't meet: 2 s a round. */
    g_auto(test_bed) far;
    bed_init(&far, named_plan("ring", LAGGARD_ALLREDUCE, 2), 2000, 1000, 4);
    bed_run(&far);
    g_assert_cmpfloat(far.outcome.busy[0], ==, 4);
}

/* One message of 1 s: either end is busy for 1 s. Under eager transfers data may come in before
 * their receiver's round, and nothing is said. */
static void busy_of_one_message(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, chain(2, 1), 1000, 1000, 0.5);
    bed.arrival[0] = 3;
    bed_run(&bed);
    g_assert_true(bed.outcome.busy_recorded);
    g_assert_cmpfloat(bed.outcome.busy[0], ==, 1);
    g_assert_cmpfloat(bed.outcome.busy[1], ==, 1);
    bed.network.eager = true;
    bed_run(&bed);
    g_assert_false(bed.outcome.busy_recorded);
}

/* Several transfers at a port: three ranks, all pairs, alpha-beta, so that each has the full rate:
 * chunks of 1000 B, 1000 B/s. In round 0 ranks 0 and 1 swap in [0, 1], and with rank 2, which comes
 * at 100 s, in [100, 101]; round 1 is [101, 102]. */
static void busy_with_several_ports(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("allpairs", LAGGARD_ALLREDUCE, 3), 3000, 1000, 0);
    bed.arrival[2] = 100;
    g_assert_cmpfloat(bed_run(&bed), ==, 102);
    g_assert_cmpfloat(bed.outcome.busy[0], ==, 3);
    g_assert_cmpfloat(bed.outcome.busy[1], ==, 3);
    g_assert_cmpfloat(bed.outcome.busy[2], ==, 2);
}

/* What an observer saw. */
struct witness {
    lag_seconds *end; /* [rank] of its latest transfer */
    uint32_t *round;  /* [rank] last entered + 1 */
    uint32_t n_finished;
    lag_seconds last;      /* of `entered` and `finished` */
    GHashTable *transfers; /* of "round src dst chunk" */
    const test_bed *bed;
};

static void see_entry(void *self, lag_seconds now, uint32_t lane, uint32_t rank, uint32_t round)
{
    struct witness *witness = self;

    g_assert_cmpuint(lane, ==, 0);
    g_assert_true(now >= witness->last && now >= witness->bed->arrival[rank]);
    g_assert_cmpuint(round, >=, witness->round[rank]);
    /* It enters when its own transfers are done, and not later. */
    if (witness->round[rank] > 0)
        g_assert_cmpfloat(now, ==, witness->end[rank]);
    witness->round[rank] = round + 1;
    witness->last = now;
}

static void see_transfer(void *self, uint32_t lane, uint32_t round,
                         const struct laggard_transfer *transfer, lag_seconds start,
                         lag_seconds sent, lag_seconds received)
{
    struct witness *witness = self;
    const test_bed *bed = witness->bed;
    struct lag_cost cost =
        lag_network_cost(&bed->network, NULL, transfer->src, transfer->dst,
                         lag_chunks_bytes(&bed->chunks, transfer->first_chunk, transfer->n_chunks));

    g_assert_cmpuint(lane, ==, 0);
    g_assert_cmpuint(witness->round[transfer->src], ==, round + 1);
    g_assert_cmpfloat(sent, ==, start + bed->network.overhead + cost.wire);
    g_assert_cmpfloat(received, ==, sent + cost.latency);
    witness->end[transfer->src] = fmax(witness->end[transfer->src], sent);
    witness->end[transfer->dst] = fmax(witness->end[transfer->dst], received);
    g_assert_true(g_hash_table_add(witness->transfers,
                                   g_strdup_printf("%u %u %u %u", round, transfer->src,
                                                   transfer->dst, transfer->first_chunk)));
}

static void see_end(void *self, lag_seconds now, uint32_t lane, uint32_t rank)
{
    struct witness *witness = self;

    g_assert_cmpuint(lane, ==, 0);
    g_assert_cmpfloat(now, ==, witness->bed->outcome.done[rank]);
    witness->n_finished++;
}

static void watch(test_bed *bed)
{
    uint32_t n = bed->plan->n_ranks;
    g_autofree lag_seconds *end = g_new0(lag_seconds, n);
    g_autofree uint32_t *round = g_new0(uint32_t, n);
    g_autoptr(GHashTable) transfers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    struct witness witness = {end, round, 0, 0, transfers, bed};
    struct lag_observer observer = {&witness, see_entry, see_transfer, see_end};

    bed->observer = &observer;
    lag_seconds completion = bed_run(bed);
    g_assert_cmpuint(g_hash_table_size(transfers), ==, bed->outcome.n_messages);
    g_assert_cmpuint(witness.n_finished, ==, n);
    lag_seconds latest = 0;
    for (uint32_t rank = 0; rank < n; rank++)
        latest = fmax(latest, bed->outcome.done[rank]);
    g_assert_cmpfloat(latest, ==, completion);
    bed->observer = NULL;
    g_assert_cmpfloat(bed_run(bed), ==, completion); /* watching changes nothing */
}

/* Observers see each transfer of the plan once, with its times, entries in order of time, and each
 * rank's end. Rendezvous, with random rates, latencies, overhead and arrivals. */
static void observers(void)
{
    g_autoptr(gsl_rng) rng = test_rng(1);

    for (int i = 0; i < 30; i++) {
        g_auto(test_bed) ring, stragglar;
        bed_init(&ring, named_plan("ring", LAGGARD_ALLREDUCE, 2 + below(rng, 9)), 4000, 1e9, 0);
        bed_randomise(&ring, rng);
        ring.network.eager = false;
        watch(&ring);
        g_assert_cmpuint(ring.outcome.n_messages, ==,
                         2 * (ring.plan->n_ranks - 1) * ring.plan->n_ranks);
        bed_init(&stragglar, stragglar_plan(8, below(rng, 8)), 4000, 1e9, 0);
        bed_randomise(&stragglar, rng);
        stragglar.network.eager = false;
        watch(&stragglar);
        g_assert_cmpuint(stragglar.outcome.n_messages, ==, 98);
    }
}

/* Eager never waits for the receiver, so where no link is shared it is never slower. */
static void eager_is_never_slower(void)
{
    g_autoptr(gsl_rng) rng = test_rng(2);

    for (int i = 0; i < 200; i++) {
        g_auto(test_bed) bed;
        bed_init(&bed, below(rng, 2) ? chain(5, 4) : stragglar_plan(8, 7), 4000, 1e9, 0);
        bed_randomise(&bed, rng);
        bed.network.eager = bed.network.fluid = false;
        lag_seconds rendezvous = bed_run(&bed);
        bed.network.eager = true;
        g_assert_cmpfloat(bed_run(&bed), <=, rendezvous);
    }
}

/* Adding at g s/B: a ring's n - 1 reducing rounds, and those of recursive halving, add
 * (n - 1) / n S at each rank, and the path goes through all of it (K07's note). Copies cost
 * nothing: an all-gather takes as long as before. Lockstep leaves it to replay. */
static void adding_by_hand(void)
{
    static const char *const names[] = {"ring", "halving-doubling"};
    struct lag_adding adding = {.slope = 1 / 600e9};
    const struct lag_adding *adders[16];

    for (size_t i = 0; i < G_N_ELEMENTS(adders); i++)
        adders[i] = &adding;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_auto(test_bed) bed;
        bed_init(&bed, named_plan(names[i], LAGGARD_ALLREDUCE, 16), GIB, 100e9, 20e-6);
        lag_seconds before = bed_run(&bed), more = 15.0 / 16 * (double)GIB / 600e9;
        bed.network.adding = adders;
        assert_near(bed_run(&bed), before + more, 1e-9);
        assert_near(bed.outcome.path.shares.adding, more, 1e-9);
        g_assert_nonnull(lag_lockstep_objection(bed.plan, &bed.network));
        bed.network.eager = true;
        g_assert_cmpfloat(bed_run(&bed), >, before);
    }
    g_auto(test_bed) gather;
    bed_init(&gather, named_plan("ring", LAGGARD_ALL_GATHER, 16), GIB, 100e9, 20e-6);
    lag_seconds before = bed_run(&gather);
    gather.network.adding = adders;
    assert_near(bed_run(&gather), before, 1e-12);
}

/* 2 s up to 10 B, 4 s at 20 B, then 0.5 s/B: half way between at 15 B. */
static void adding_curve(void)
{
    double bytes[] = {10, 20};
    lag_seconds seconds[] = {2, 4};
    const struct lag_adding adding = {2, bytes, seconds, 0.5};

    g_assert_cmpfloat(lag_adding_time(&adding, 0), ==, 0);
    g_assert_cmpfloat(lag_adding_time(&adding, 4), ==, 2);
    g_assert_cmpfloat(lag_adding_time(&adding, 10), ==, 2);
    g_assert_cmpfloat(lag_adding_time(&adding, 15), ==, 3);
    g_assert_cmpfloat(lag_adding_time(&adding, 20), ==, 4);
    g_assert_cmpfloat(lag_adding_time(&adding, 30), ==, 9);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/transfer/k05", k05);
    g_test_add_func("/transfer/adding-by-hand", adding_by_hand);
    g_test_add_func("/transfer/adding-curve", adding_curve);
    g_test_add_func("/transfer/eager-by-hand", eager_by_hand);
    g_test_add_func("/transfer/overhead-holds-the-port", overhead_holds_the_port);
    g_test_add_func("/transfer/busy-by-hand", busy_by_hand);
    g_test_add_func("/transfer/busy-of-one-message", busy_of_one_message);
    g_test_add_func("/transfer/busy-with-several-ports", busy_with_several_ports);
    g_test_add_func("/transfer/observers", observers);
    g_test_add_func("/transfer/eager-is-never-slower", eager_is_never_slower);
    return g_test_run();
}
