/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/straggler.h"

#include <assert.h>
#include <math.h>

#include <gsl/gsl_randist.h>

struct lag_arrivals {
    const struct lag_lateness *lateness;
    struct lag_stream **streams; /* [straggler][index into its ranks] */
    lag_seconds *death;          /* [n_ranks] or NULL */
    double *factor;              /* [n_ranks] scratch: slow-down of the step */
    uint32_t step;
};

double lag_law_draw(const struct lag_law *law, struct lag_stream *stream)
{
    switch (law->kind) {
    case LAG_LAW_CONSTANT:
        return law->parameter[0];
    case LAG_LAW_EXPONENTIAL:
        return gsl_ran_exponential(&stream->rng, law->parameter[0]);
    }
    assert(false && "unknown law");
    return NAN;
}

static void note_deaths(lag_arrivals *arrivals, const struct lag_straggler *straggler)
{
    uint32_t n = arrivals->lateness->n_ranks;

    if (arrivals->death == NULL) {
        arrivals->death = g_new(lag_seconds, n);
        for (uint32_t rank = 0; rank < n; rank++)
            arrivals->death[rank] = INFINITY;
    }
    for (uint32_t i = 0; i < straggler->n_ranks; i++) {
        lag_seconds *death = &arrivals->death[straggler->ranks[i]];
        *death = fmin(*death, straggler->law.parameter[0]);
    }
}

lag_arrivals *lag_arrivals_new(const struct lag_lateness *lateness, uint64_t seed,
                               uint32_t replication)
{
    lag_arrivals *arrivals = g_new0(lag_arrivals, 1);

    arrivals->lateness = lateness;
    arrivals->factor = g_new(double, lateness->n_ranks);
    arrivals->streams = g_new0(struct lag_stream *, lateness->n_stragglers);
    for (uint32_t s = 0; s < lateness->n_stragglers; s++) {
        const struct lag_straggler *straggler = &lateness->stragglers[s];
        arrivals->streams[s] = g_new(struct lag_stream, straggler->n_ranks);
        for (uint32_t i = 0; i < straggler->n_ranks; i++)
            lag_stream_init(&arrivals->streams[s][i], seed, replication, LAG_PURPOSE_STRAGGLER,
                            (uint16_t)s, straggler->ranks[i]);
        if (straggler->effect == LAG_DEATH)
            note_deaths(arrivals, straggler);
    }
    return arrivals;
}

void lag_arrivals_free(lag_arrivals *arrivals)
{
    if (arrivals == NULL)
        return;
    for (uint32_t s = 0; s < arrivals->lateness->n_stragglers; s++)
        g_free(arrivals->streams[s]);
    g_free(arrivals->streams);
    g_free(arrivals->death);
    g_free(arrivals->factor);
    g_free(arrivals);
}

/* Draws one straggler's numbers into the step. */
static void apply(lag_arrivals *arrivals, uint32_t s, lag_seconds *delay)
{
    const struct lag_straggler *straggler = &arrivals->lateness->stragglers[s];

    for (uint32_t i = 0; i < straggler->n_ranks; i++) {
        uint32_t rank = straggler->ranks[i];
        if (straggler->effect == LAG_DELAY)
            delay[rank] += lag_law_draw(&straggler->law, &arrivals->streams[s][i]);
        else if (straggler->effect == LAG_SLOWDOWN)
            arrivals->factor[rank] *= lag_law_draw(&straggler->law, &arrivals->streams[s][i]);
    }
}

void lag_arrivals_next(lag_arrivals *arrivals, lag_seconds *arrival, lag_seconds *compute)
{
    const struct lag_lateness *lateness = arrivals->lateness;
    const struct lag_trace *trace = lateness->trace;

    assert(trace == NULL || arrivals->step < trace->n_steps);
    for (uint32_t rank = 0; rank < lateness->n_ranks; rank++) {
        arrival[rank] = 0;
        arrivals->factor[rank] = 1;
    }
    for (uint32_t s = 0; s < lateness->n_stragglers; s++)
        apply(arrivals, s, arrival);
    for (uint32_t rank = 0; rank < lateness->n_ranks; rank++) {
        double speed = lateness->speed == NULL ? 1 : lateness->speed[rank];
        compute[rank] = lateness->compute / speed;
        arrival[rank] += compute[rank] * arrivals->factor[rank];
        if (trace != NULL)
            arrival[rank] += trace->arrival[(size_t)arrivals->step * trace->n_ranks + rank];
        if (arrivals->death != NULL && arrival[rank] > arrivals->death[rank])
            arrival[rank] = INFINITY;
        compute[rank] = fmin(compute[rank], arrival[rank]);
    }
    arrivals->step++;
}

const lag_seconds *lag_arrivals_death(const lag_arrivals *arrivals)
{
    return arrivals->death;
}
