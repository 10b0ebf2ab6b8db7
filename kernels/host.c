/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The back end of a host: its memory, its processors, the monotonic clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels/backend.h"
#include "kernels/crew.h"
#include "kernels/host-facts.h"
#include "kernels/host-loops.h"
#include "kernels/matrix.h"

#define MOST_THREADS 1024
#define WORTH_A_CREW                                                                               \
    (1 << 20)           /* bytes of a vector: below, waking threads costs more than it gives */
#define WORTH_ROWS 64   /* of a matrix, for each thread */
#define GRAIN      1024 /* elements: parts don't share a line of the cache */
#define MOST_TAKEN 0.01 /* of the time, by the system, in a sample that counts */

struct host {
    char *arena;
    uint32_t n_threads;
    lag_crew *crew;         /* NULL: one thread */
    double wall, processor; /* at start [s] */
};

/* A part for each thread. */
struct share {
    const struct lag_job *job;
    void *vector[LAG_MAX_VECTORS];
    uint32_t n_threads;
};

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool host_open(struct lag_backend *backend, const struct lag_options *options,
                      struct lag_device *ret)
{
    struct host *host = backend->state = calloc(1, sizeof *host);
    long n_processors = sysconf(_SC_NPROCESSORS_ONLN);

    lag_host_describe(ret);
    if (host == NULL)
        return false;
    host->n_threads = options->threads;
    if (host->n_threads == 0)
        host->n_threads =
            n_processors > 0 && n_processors <= MOST_THREADS ? (uint32_t)n_processors : 1;
    ret->threads = host->n_threads;
    lag_matrix_threads(host->n_threads);
    if (host->n_threads > 1 && (host->crew = lag_crew_new(host->n_threads)) == NULL) {
        snprintf(backend->why, sizeof backend->why, "cannot start %u threads", host->n_threads);
        return false;
    }
    return true;
}

static bool host_reserve(struct lag_backend *backend, uint64_t bytes)
{
    struct host *host = backend->state;
    void *arena = NULL;

    if (posix_memalign(&arena, 4096, bytes) != 0) {
        snprintf(backend->why, sizeof backend->why, "cannot get %.0f MB of memory",
                 (double)bytes / 1e6);
        return false;
    }
    host->arena = arena;
    return true;
}

static void host_close(struct lag_backend *backend)
{
    struct host *host = backend->state;

    if (host == NULL)
        return;
    lag_crew_free(host->crew);
    free(host->arena);
    free(host);
    backend->state = NULL;
}

static const char *host_refusal(struct lag_backend *backend, const struct lag_kernel *kernel,
                                enum lag_dtype dtype)
{
    (void)backend;
    if (kernel->on_device_only)
        return "needs a GPU";
    if (kernel->operation == LAG_MATRIX_PRODUCT && dtype != LAG_FP32)
        return "a host multiplies fp32 only";
    return NULL;
}

static bool host_upload(struct lag_backend *backend, uint64_t offset, const void *data,
                        uint64_t bytes)
{
    struct host *host = backend->state;

    memcpy(host->arena + offset, data, bytes);
    return true;
}

static bool host_download(struct lag_backend *backend, const struct lag_job *job, uint64_t offset,
                          void *data, uint64_t bytes)
{
    struct host *host = backend->state;

    (void)job;
    memcpy(data, host->arena + offset, bytes);
    return true;
}

static void run_part(void *data, uint32_t part)
{
    const struct share *share = data;
    const struct lag_job *job = share->job;
    bool matrix = job->kernel->operation == LAG_MATRIX_PRODUCT;
    uint64_t grain = matrix ? 1 : GRAIN, grains = (job->n + grain - 1) / grain;
    uint64_t from = grains * part / share->n_threads * grain;
    uint64_t to = grains * (part + 1) / share->n_threads * grain;

    if (to > job->n)
        to = job->n;
    if (from >= to)
        return;
    if (matrix)
        lag_matrix_rows(share->vector[2], share->vector[0], share->vector[1], job->n, from, to);
    else
        lag_host_loop(job, share->vector, from, to);
}

static bool is_worth_a_crew(const struct host *host, const struct lag_job *job)
{
    if (host->crew == NULL)
        return false;
    if (job->kernel->operation == LAG_MATRIX_PRODUCT)
        return !lag_matrix_is_threaded && job->n >= (uint64_t)WORTH_ROWS * host->n_threads;
    return lag_job_bytes(job) >= WORTH_A_CREW;
}

static bool host_launch(struct lag_backend *backend, const struct lag_job *job,
                        const uint64_t offset[LAG_MAX_VECTORS])
{
    struct host *host = backend->state;
    struct share share = {.job = job, .n_threads = 1};

    for (uint32_t i = 0; i < lag_job_vectors(job); i++)
        share.vector[i] = host->arena + offset[i];
    if (is_worth_a_crew(host, job)) {
        share.n_threads = host->n_threads;
        lag_crew_run(host->crew, run_part, &share);
    } else {
        run_part(&share, 0);
    }
    return true;
}

static bool host_start(struct lag_backend *backend)
{
    struct host *host = backend->state;

    host->processor = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    host->wall = seconds_of(CLOCK_MONOTONIC);
    return true;
}

/* One thread's own time tells what the system has taken. Of several it says nothing, for the one
 * that asks sleeps while it waits for the others. */
static bool host_stop(struct lag_backend *backend, struct lag_elapsed *ret)
{
    struct host *host = backend->state;
    double wall = seconds_of(CLOCK_MONOTONIC) - host->wall;
    double processor = seconds_of(CLOCK_THREAD_CPUTIME_ID) - host->processor;

    *ret = (struct lag_elapsed){.seconds = wall, .undisturbed = wall};
    if (host->n_threads == 1 && processor < wall * (1 - MOST_TAKEN)) {
        ret->disturbed = true;
        ret->undisturbed = processor;
    }
    return true;
}

static double host_clock_now(struct lag_backend *backend)
{
    (void)backend;
    return lag_host_clock();
}

void lag_backend_init(struct lag_backend *backend)
{
    *backend = (struct lag_backend){
        .name = "host",
        .open = host_open,
        .reserve = host_reserve,
        .close = host_close,
        .refusal = host_refusal,
        .upload = host_upload,
        .download = host_download,
        .launch = host_launch,
        .start = host_start,
        .stop = host_stop,
        .clock_now = host_clock_now,
    };
}
