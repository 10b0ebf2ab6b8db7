/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/measure.h"

#include <assert.h>
#include <stdlib.h>

#define ALIGNMENT  256
#define STAGGER    1088 /* vectors don't begin at equal places of the sets of a cache */
#define MOST_BATCH (1 << 20)

struct lag_effort lag_effort_of(bool quick)
{
    return quick ? (struct lag_effort){20e-6, 5, 15, 0.05, 0.01}
                 : (struct lag_effort){200e-6, 15, 500, 0.005, 0.25};
}

static uint64_t stride_of(const struct lag_job *job)
{
    uint64_t bytes = lag_job_bytes(job) + STAGGER;

    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

uint64_t lag_footprint(const struct lag_job *job)
{
    return stride_of(job) * lag_job_vectors(job);
}

static bool launch(struct lag_backend *backend, const struct lag_job *job, struct lag_ring *ring)
{
    uint64_t offset[LAG_MAX_VECTORS] = {0}, stride = stride_of(job), all = lag_footprint(job);

    if (!ring->cold || ring->next + all > ring->bytes)
        ring->next = 0;
    for (uint32_t i = 0; i < lag_job_vectors(job); i++)
        offset[i] = ring->next + i * stride;
    ring->next += all;
    return backend->launch(backend, job, offset);
}

static bool run_batch(struct lag_backend *backend, const struct lag_job *job, struct lag_ring *ring,
                      uint32_t n, struct lag_elapsed *ret)
{
    if (!backend->start(backend))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!launch(backend, job, ring))
            return false;
    return backend->stop(backend, ret);
}

/* Doubles the batch until it is long enough; this warms up, too. */
static bool find_batch(struct lag_backend *backend, const struct lag_job *job,
                       struct lag_ring *ring, const struct lag_effort *effort, uint32_t *ret)
{
    struct lag_elapsed elapsed;

    for (uint32_t n = 1;; n *= 2) {
        for (int twice = 0; twice < 2; twice++)
            if (!run_batch(backend, job, ring, n, &elapsed))
                return false;
        *ret = n;
        if (elapsed.undisturbed >= effort->batch || n >= MOST_BATCH)
            return true;
    }
}

/* Batches that count, and those that the system disturbed, as far as their time is known. */
struct tally {
    double *good, *disturbed;
    uint32_t n_good, n_disturbed;
    double spent; /* [s] */
};

static bool is_enough(const struct tally *tally, const struct lag_effort *effort)
{
    uint32_t n = tally->n_good + tally->n_disturbed;

    if (n >= effort->most)
        return true;
    if (tally->n_good >= effort->least &&
        lag_samples_summarise(tally->good, tally->n_good).interval <= effort->interval)
        return true;
    return n >= effort->least && tally->spent >= effort->budget;
}

/* Disturbed batches count only where there are too few others: then all, by the time without
 * what was taken away. */
static void settle(struct tally *tally, const struct lag_effort *effort, struct lag_measured *ret)
{
    ret->outliers = tally->n_disturbed;
    if (tally->n_good < effort->least) {
        for (uint32_t i = 0; i < tally->n_disturbed; i++)
            tally->good[tally->n_good + i] = tally->disturbed[i];
        tally->n_good += tally->n_disturbed;
    }
    ret->summary = lag_samples_summarise(tally->good, tally->n_good);
    ret->outliers += ret->summary.outliers;
    ret->repetitions = tally->n_good;
}

static bool collect(struct lag_backend *backend, const struct lag_job *job, struct lag_ring *ring,
                    const struct lag_effort *effort, uint32_t batch, struct tally *tally)
{
    while (!is_enough(tally, effort)) {
        struct lag_elapsed elapsed;
        if (!run_batch(backend, job, ring, batch, &elapsed))
            return false;
        tally->spent += elapsed.seconds;
        if (elapsed.disturbed)
            tally->disturbed[tally->n_disturbed++] = elapsed.undisturbed / batch;
        else
            tally->good[tally->n_good++] = elapsed.seconds / batch;
    }
    return true;
}

bool lag_measure(struct lag_backend *backend, const struct lag_job *job, struct lag_ring *ring,
                 const struct lag_effort *effort, struct lag_measured *ret)
{
    struct tally tally = {.good = calloc(effort->most, sizeof(double)),
                          .disturbed = calloc(effort->most, sizeof(double))};

    assert(tally.good != NULL && tally.disturbed != NULL); /* a few kilobytes */
    assert(lag_footprint(job) <= ring->bytes);
    bool measured = find_batch(backend, job, ring, effort, &ret->batch) &&
                    collect(backend, job, ring, effort, ret->batch, &tally);
    if (measured) {
        settle(&tally, effort, ret);
        ret->clock = backend->clock_now(backend);
    }
    free(tally.good);
    free(tally.disturbed);
    return measured;
}
