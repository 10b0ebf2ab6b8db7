/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/gradient/gradient.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>

void lag_gradient_init(struct lag_gradient *gradient)
{
    *gradient = (struct lag_gradient){
        .bytes_per_parameter = 4,
        .compute = {.rate = INFINITY, .factor = 1},
        .n_iterations = 1,
        .message_time = NAN,
        .deadline = INFINITY,
        .encode_rate = INFINITY,
        .decode_rate = INFINITY,
    };
}

lag_bytes lag_gradient_bytes(const struct lag_gradient *gradient)
{
    return (lag_bytes)llround(gradient->parameters * gradient->bytes_per_parameter);
}

/* Consumers of LAG_PURPOSE_WORK. */
enum {
    OF_RATE,
    OF_EXTRA,
    OF_SHARE,
    N_CONSUMERS
};

struct lag_gradient_work {
    const struct lag_gradient *gradient;
    struct lag_lateness lateness; /* as given, but for own_compute */
    uint32_t n_workers, step;
    double *points;             /* [n_workers] */
    double *slow;               /* [n_workers] 1, or the law's factor */
    lag_seconds *own;           /* [n_ranks] the law's times of this iteration */
    lag_seconds *alone;         /* [n_ranks] scratch */
    struct lag_stream *of_rate; /* [n_workers], or NULL where the law has no such part */
    struct lag_stream *of_extra;
    lag_arrivals *arrivals;
};

static struct lag_stream *new_streams(uint32_t n, uint64_t seed, uint32_t replication,
                                      uint16_t consumer)
{
    struct lag_stream *streams = g_new(struct lag_stream, n);

    for (uint32_t w = 0; w < n; w++)
        lag_stream_init(&streams[w], seed, replication, LAG_PURPOSE_WORK, consumer, w);
    return streams;
}

static void draw_slow(lag_gradient_work *work, uint64_t seed, uint32_t replication)
{
    const struct lag_compute_law *law = &work->gradient->compute;
    struct lag_stream stream;

    for (uint32_t w = 0; w < work->n_workers; w++) {
        work->slow[w] = 1;
        if (law->share <= 0)
            continue;
        lag_stream_init(&stream, seed, replication, LAG_PURPOSE_WORK, OF_SHARE, w);
        if (gsl_rng_uniform(&stream.rng) < law->share)
            work->slow[w] = law->factor;
    }
}

lag_gradient_work *lag_gradient_work_new(const struct lag_gradient *gradient,
                                         const struct lag_lateness *lateness, uint32_t n_workers,
                                         const double *points, uint64_t seed, uint32_t replication)
{
    lag_gradient_work *work = g_new0(lag_gradient_work, 1);
    const struct lag_compute_law *law = &gradient->compute;

    assert(n_workers <= lateness->n_ranks);
    work->gradient = gradient;
    work->n_workers = n_workers;
    work->points = g_memdup2(points, n_workers * sizeof *points);
    work->slow = g_new(double, n_workers);
    work->own = g_new0(lag_seconds, lateness->n_ranks);
    work->alone = g_new0(lag_seconds, lateness->n_ranks);
    draw_slow(work, seed, replication);
    if (isfinite(law->rate))
        work->of_rate = new_streams(n_workers, seed, replication, OF_RATE);
    if (law->extra > 0)
        work->of_extra = new_streams(n_workers, seed, replication, OF_EXTRA);
    work->lateness = *lateness;
    work->lateness.own_compute = work->own;
    work->arrivals = lag_arrivals_new(&work->lateness, seed, replication);
    return work;
}

lag_gradient_work *lag_gradient_work_new_equal(const struct lag_gradient *gradient,
                                               const struct lag_lateness *lateness,
                                               uint32_t n_workers, uint64_t seed,
                                               uint32_t replication)
{
    g_autofree double *points = g_new(double, n_workers);

    for (uint32_t w = 0; w < n_workers; w++)
        points[w] = gradient->points / n_workers;
    return lag_gradient_work_new(gradient, lateness, n_workers, points, seed, replication);
}

void lag_gradient_work_free(lag_gradient_work *work)
{
    if (work == NULL)
        return;
    lag_arrivals_free(work->arrivals);
    g_free(work->points);
    g_free(work->slow);
    g_free(work->own);
    g_free(work->alone);
    g_free(work->of_rate);
    g_free(work->of_extra);
    g_free(work);
}

static lag_seconds draw(lag_gradient_work *work, uint32_t w)
{
    const struct lag_compute_law *law = &work->gradient->compute;
    double points = work->points[w];
    lag_seconds time = law->point * points;

    /* Drawn for no points too, so that a load of 0 changes nothing that follows. */
    if (work->of_rate != NULL)
        time += gsl_ran_exponential(&work->of_rate[w].rng, points / law->rate);
    time *= work->slow[w];
    if (work->of_extra != NULL)
        time += gsl_ran_exponential(&work->of_extra[w].rng, law->extra);
    if (law->trace != NULL) {
        uint32_t step = work->step % law->trace->n_steps;
        time += law->trace->arrival[(size_t)step * law->trace->n_ranks + w];
    }
    return points > 0 ? time : 0;
}

void lag_gradient_work_next(lag_gradient_work *work, lag_seconds *arrival)
{
    const double *speed = work->lateness.speed;

    for (uint32_t w = 0; w < work->n_workers; w++)
        work->own[w] = draw(work, w);
    lag_arrivals_next(work->arrivals, arrival, work->alone);
    for (uint32_t w = 0; w < work->n_workers; w++)
        if (speed != NULL && speed[w] <= 0)
            arrival[w] = work->points[w] > 0 ? INFINITY : 0;
    for (uint32_t w = work->n_workers; w < work->lateness.n_ranks; w++)
        arrival[w] = 0;
    work->step++;
}

const lag_seconds *lag_gradient_work_death(const lag_gradient_work *work)
{
    return lag_arrivals_death(work->arrivals);
}

void lag_gradient_work_elapse(lag_gradient_work *work, lag_seconds duration)
{
    lag_arrivals_elapse(work->arrivals, duration);
}
