/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulations in several threads at once don't know of each other: each gives, bit for bit, what it
 * gives alone. The thread sanitizer runs this one too. */
#include <string.h>

#include "sim/straggler.h"
#include "sim/verify.h"
#include "tests/helpers.h"

#define N_THREADS 4
#define N_STEPS   20

/* One job: which algorithm, how many ranks, which seed; and what came out. */
struct job {
    const struct laggard_algorithm *algorithm;
    uint32_t n_ranks;
    uint64_t seed;
    struct result {
        lag_seconds completion, wait, latency, busy;
        uint64_t n_transfers;
        uint32_t first_rank;
    } results[N_STEPS];
};

static enum laggard_collective first_collective(const struct laggard_algorithm *algorithm)
{
    unsigned c = 0;

    while (!(algorithm->collectives & LAGGARD_BIT(c)))
        c++;
    return c;
}

/* Runs a job from nothing: plan, proof, topology, arrivals, replay, path. */
static void *run_job(void *data)
{
    struct job *job = data;
    uint32_t n = job->n_ranks;
    g_autofree uint32_t *ranks = g_new(uint32_t, n);
    g_autofree lag_seconds *compute = g_new(lag_seconds, n);
    g_auto(test_bed) bed;
    struct lag_proof proof;

    for (uint32_t rank = 0; rank < n; rank++)
        ranks[rank] = rank;
    struct lag_straggler straggler = {
        .effect = LAG_DELAY,
        .law = {.type = lag_law_type_find("exponential"), .p = {1e-3}},
        .n_ranks = n,
        .ranks = ranks,
    };
    struct lag_lateness lateness = {
        .n_ranks = n, .compute = 1e-3, .n_stragglers = 1, .stragglers = &straggler};
    g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, job->seed, 0);
    bed_init(&bed, algorithm_plan(job->algorithm, first_collective(job->algorithm), n, 0), 1 << 20,
             1e9, 1e-6);
    for (int step = 0; step < N_STEPS; step++) {
        lag_arrivals_next(arrivals, bed.arrival, compute);
        bed.network.eager = step % 2;
        bed_run(&bed);
        g_assert_true(lag_verify(bed.plan, lag_plan_bind(bed.plan, n / 2), &proof, NULL));
        const struct lag_path *path = &bed.outcome.path;
        job->results[step] = (struct result){
            bed.outcome.completion,  path->shares.wait, path->shares.latency,
            bed.outcome.busy[n - 1], proof.n_transfers, path->first_rank,
        };
    }
    return NULL;
}

static void job_init(struct job *job, uint32_t i)
{
    uint32_t n_algorithms = 0;

    while (lag_algorithms[n_algorithms] != NULL)
        n_algorithms++;
    memset(job, 0, sizeof *job);
    job->algorithm = lag_algorithms[i % n_algorithms];
    job->n_ranks = 8u << i / n_algorithms % 2;
    job->seed = i / (2 * n_algorithms);
}

/* Each algorithm at 8 and 16 ranks with 4 seeds: alone first, then four at a time. */
static void alone_and_together(void)
{
    struct job alone, together[N_THREADS];
    GThread *threads[N_THREADS];

    for (uint32_t first = 0; first < 24; first += N_THREADS) {
        for (uint32_t i = 0; i < N_THREADS; i++) {
            job_init(&together[i], first + i);
            threads[i] = g_thread_new("job", run_job, &together[i]);
        }
        for (uint32_t i = 0; i < N_THREADS; i++)
            g_thread_join(threads[i]);
        for (uint32_t i = 0; i < N_THREADS; i++) {
            job_init(&alone, first + i);
            run_job(&alone);
            g_assert_true(memcmp(&alone, &together[i], sizeof alone) == 0);
        }
    }
}

/* The same job twice at once: neither sees the other, both give the same. */
static void the_same_twice(void)
{
    struct job a, b;

    for (uint32_t i = 0; i < 6; i++) {
        job_init(&a, i);
        job_init(&b, i);
        GThread *thread = g_thread_new("job", run_job, &a);
        run_job(&b);
        g_thread_join(thread);
        g_assert_true(memcmp(&a, &b, sizeof a) == 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/threads/alone-and-together", alone_and_together);
    g_test_add_func("/threads/the-same-twice", the_same_twice);
    return g_test_run();
}
