/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lockstep against replay, on everything that both accept. */
#include "sim/lockstep.h"
#include "tests/helpers.h"

#define MANY 64 /* ranks of the larger instances */

/* Some runs of one bed that differ in their arrivals. */
struct batch {
    struct lag_run runs[LAG_LOCKSTEP_WIDTH];
    struct lag_outcome outcomes[LAG_LOCKSTEP_WIDTH];
    lag_seconds *arrivals[LAG_LOCKSTEP_WIDTH];
    uint32_t n;
};

static void batch_init(struct batch *batch, const test_bed *bed, uint32_t n, gsl_rng *rng)
{
    uint32_t n_ranks = bed->plan->n_ranks;

    batch->n = n;
    for (uint32_t i = 0; i < n; i++) {
        batch->arrivals[i] = g_new(lag_seconds, n_ranks);
        for (uint32_t rank = 0; rank < n_ranks; rank++)
            batch->arrivals[i][rank] = bed->arrival[rank] * below(rng, 3);
        batch->runs[i] = (struct lag_run){
            .plan = bed->plan,
            .network = &bed->network,
            .chunks = bed->chunks,
            .arrival = batch->arrivals[i],
        };
        lag_outcome_init(&batch->outcomes[i], n_ranks);
    }
}

static void batch_clear(struct batch *batch)
{
    for (uint32_t i = 0; i < batch->n; i++) {
        g_free(batch->arrivals[i]);
        lag_outcome_clear(&batch->outcomes[i]);
    }
}

/* An outcome against replay's of the same arrivals: ends and busy times to rounding, counts
 * exactly; the path's parts sum to the end. Of several critical paths any will do. */
static void compare(const struct lag_outcome *a, const struct lag_outcome *b)
{
    const struct lag_shares *s = &a->path.shares;

    assert_near(a->completion, b->completion, 1e-12);
    g_assert_cmpfloat(a->last_arrival, ==, b->last_arrival);
    g_assert_cmpuint(a->n_messages, ==, b->n_messages);
    g_assert_cmpuint(a->wire_bytes, ==, b->wire_bytes);
    for (uint32_t rank = 0; rank < a->n_ranks; rank++) {
        g_assert_cmpfloat(fabs(a->done[rank] - b->done[rank]), <=, 1e-12 * a->completion);
        g_assert_cmpfloat(fabs(a->busy[rank] - b->busy[rank]), <=, 1e-11 * a->completion);
    }
    g_assert_true(a->path.recorded);
    assert_near(s->wait + s->overhead + s->bandwidth + s->latency + s->contention, a->completion,
                1e-12);
}

/* One random instance of an algorithm; false where lockstep doesn't take it. */
static bool try_instance(const struct laggard_algorithm *algorithm,
                         enum laggard_collective collective, uint32_t n, gsl_rng *rng)
{
    g_auto(test_bed) bed;
    g_autoptr(lag_lockstep) lockstep = lag_lockstep_new();
    struct batch batch;

    bed_init(&bed, algorithm_plan(algorithm, collective, n, below(rng, n)),
             4 * (lag_bytes)below(rng, 100000), 1e9, 1e-5);
    bed_randomise(&bed, rng);
    if (below(rng, 2) == 0)
        lag_lockstep_set_budget(lockstep, 1000);
    batch_init(&batch, &bed, 1 + below(rng, LAG_LOCKSTEP_WIDTH), rng);
    bool accepted = lag_lockstep_accepts(&batch.runs[0]);
    if (accepted)
        lag_lockstep_run(lockstep, batch.runs, batch.n, batch.outcomes);
    for (uint32_t i = 0; accepted && i < batch.n; i++) {
        memcpy(bed.arrival, batch.arrivals[i], n * sizeof *bed.arrival);
        bed_run(&bed);
        compare(&batch.outcomes[i], &bed.outcome);
    }
    batch_clear(&batch);
    return accepted;
}

static void equals_replay(void)
{
    g_autoptr(gsl_rng) rng = test_rng(20);
    uint32_t n_accepted = 0;

    for (int i = 0; i < 60; i++)
        for (size_t a = 0; lag_algorithms[a] != NULL; a++)
            for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++) {
                uint32_t n = 1 + below(rng, i % 10 == 0 ? MANY : 20);
                if (lag_algorithm_accepts(lag_algorithms[a], c, n, NULL))
                    n_accepted += try_instance(lag_algorithms[a], c, n, rng);
            }
    g_assert_cmpuint(n_accepted, >, 200);
}

/* Rank counts to 200, the slow suite's share of the same. */
static void equals_replay_many(void)
{
    g_autoptr(gsl_rng) rng = test_rng(21);

    if (!g_test_slow()) {
        g_test_skip("slow");
        return;
    }
    for (size_t a = 0; lag_algorithms[a] != NULL; a++)
        for (uint32_t n = 1; n <= 200; n++)
            if (lag_algorithm_accepts(lag_algorithms[a], LAGGARD_ALLREDUCE, n, NULL))
                try_instance(lag_algorithms[a], LAGGARD_ALLREDUCE, n, rng);
}

static struct lag_run run_of(const test_bed *bed)
{
    return (struct lag_run){
        .plan = bed->plan,
        .network = &bed->network,
        .chunks = bed->chunks,
        .arrival = bed->arrival,
        .death = bed->death,
    };
}

/* What is not max-plus: several ports at once, deaths, ranks that never come, shared links. */
static void refuses(void)
{
    g_auto(test_bed) bed;
    lag_seconds death[4] = {1, 1, 1, 1};

    bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 4), 400, 1e9, 1e-6);
    struct lag_run run = run_of(&bed);
    g_assert_true(lag_lockstep_accepts(&run));
    run.death = death;
    g_assert_false(lag_lockstep_accepts(&run));
    run.death = NULL;
    bed.arrival[2] = INFINITY;
    g_assert_false(lag_lockstep_accepts(&run));
    bed.arrival[2] = 0;
    bed.network.fluid = bed.network.eager = true;
    g_assert_false(lag_lockstep_accepts(&run));
    bed.network.fluid = false;
    g_assert_true(lag_lockstep_accepts(&run));
    bed.plan->degree = 2;
    g_assert_false(lag_lockstep_accepts(&run));
}

/* The path is the derivative: a small change of all latencies changes the completion by it times
 * the latencies on the path, one of all 1 / rates by it times the bytes on the path. */
static void path_is_the_derivative(void)
{
    g_auto(test_bed) bed;
    uint64_t bytes = 0, n_latencies = 0;

    bed_init(&bed, stragglar_plan(8, 7), GIB, PAPER_RATE, PAPER_LAG);
    bed.arrival[7] = 1e-3;
    lag_seconds before = bed_run(&bed);
    for (guint i = 0; i < bed.outcome.path.hops->len; i++) {
        const struct lag_hop *hop = &g_array_index(bed.outcome.path.hops, struct lag_hop, i);
        bytes += hop->bytes;
        n_latencies += !hop->by_send;
    }
    for (uint32_t l = 0; l < bed.topology->n_links; l++)
        bed.topology->links[l].latency += 0.5e-9;
    assert_near(bed_run(&bed) - before, 1e-9 * (double)n_latencies, 1e-6);
    for (uint32_t l = 0; l < bed.topology->n_links; l++) {
        bed.topology->links[l].latency -= 0.5e-9;
        bed.topology->links[l].rate = 1 / (1 / bed.topology->links[l].rate + 1e-18);
    }
    assert_near(bed_run(&bed) - before, 1e-18 * (double)bytes, 1e-6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lockstep/equals-replay", equals_replay);
    g_test_add_func("/lockstep/equals-replay-many", equals_replay_many);
    g_test_add_func("/lockstep/refuses", refuses);
    g_test_add_func("/lockstep/path-is-the-derivative", path_is_the_derivative);
    return g_test_run();
}
