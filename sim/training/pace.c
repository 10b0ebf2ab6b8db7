/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/training/pace.h"

#include <assert.h>
#include <math.h>

/* One law of one worker. */
struct influence {
    const struct lag_straggler *straggler;
    struct lag_stream stream;
    double value; /* drawn last */
    bool started;
};

struct lag_pace {
    const struct lag_lateness *lateness;
    uint32_t n_workers;
    lag_seconds overhead;
    uint32_t *first; /* [n_workers + 1] of its influences */
    struct influence *influences;
    lag_seconds *sample; /* [n_workers] time of one sample; INFINITY: stands still */
    lag_seconds *death;  /* [n_workers] */
    uint32_t *n_pieces;  /* [n_workers] so far, of a trace; else NULL */
};

static bool is_of_pieces(const struct lag_straggler *straggler)
{
    return straggler->effect == LAG_DELAY || straggler->effect == LAG_SLOWDOWN ||
           straggler->effect == LAG_THROTTLE;
}

/* The name of the stream: the rank, or its node. */
static uint32_t name_of(const struct lag_lateness *lateness, const struct lag_straggler *straggler,
                        uint32_t rank)
{
    if (!straggler->per_node)
        return rank;
    return lateness->node_of != NULL ? lateness->node_of[rank] : rank / lateness->gpus_per_node;
}

static void draw_death(lag_pace *pace, uint32_t entry, uint64_t seed, uint32_t replication)
{
    const struct lag_straggler *straggler = &pace->lateness->stragglers[entry];
    struct lag_stream stream;

    for (uint32_t i = 0; i < straggler->n_ranks; i++) {
        uint32_t rank = straggler->ranks[i];
        lag_stream_init(&stream, seed, replication, LAG_PURPOSE_STRAGGLER, (uint16_t)entry,
                        name_of(pace->lateness, straggler, rank));
        if (rank < pace->n_workers)
            pace->death[rank] = fmin(pace->death[rank], lag_law_draw(&straggler->law, &stream.rng));
    }
}

/* Counts each worker's influences into first[worker + 1], then adds up. */
static void count_influences(lag_pace *pace)
{
    const struct lag_lateness *lateness = pace->lateness;

    for (uint32_t s = 0; s < lateness->n_stragglers; s++)
        for (uint32_t i = 0;
             is_of_pieces(&lateness->stragglers[s]) && i < lateness->stragglers[s].n_ranks; i++)
            if (lateness->stragglers[s].ranks[i] < pace->n_workers)
                pace->first[lateness->stragglers[s].ranks[i] + 1]++;
    for (uint32_t w = 0; w < pace->n_workers; w++)
        pace->first[w + 1] += pace->first[w];
}

static lag_seconds sets_in(const struct lag_straggler *straggler)
{
    return straggler->effect == LAG_THROTTLE ? straggler->at : 0;
}

/* The list's entries, [n_stragglers], throttles by the time at which they set in. */
static uint32_t *order_entries(const struct lag_lateness *lateness)
{
    const struct lag_straggler *stragglers = lateness->stragglers;
    uint32_t *order = g_new(uint32_t, lateness->n_stragglers);

    for (uint32_t s = 0; s < lateness->n_stragglers; s++) {
        uint32_t place = s;
        while (place > 0 && sets_in(&stragglers[order[place - 1]]) > sets_in(&stragglers[s])) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = s;
    }
    return order;
}

static void fill_influences(lag_pace *pace, uint64_t seed, uint32_t replication)
{
    const struct lag_lateness *lateness = pace->lateness;
    g_autofree uint32_t *n = g_new0(uint32_t, pace->n_workers);
    g_autofree uint32_t *order = order_entries(lateness);

    for (uint32_t k = 0; k < lateness->n_stragglers; k++) {
        uint32_t s = order[k];
        const struct lag_straggler *straggler = &lateness->stragglers[s];
        for (uint32_t i = 0; is_of_pieces(straggler) && i < straggler->n_ranks; i++) {
            uint32_t rank = straggler->ranks[i];
            if (rank >= pace->n_workers)
                continue;
            struct influence *influence = &pace->influences[pace->first[rank] + n[rank]++];
            influence->straggler = straggler;
            influence->started = false;
            lag_stream_init(&influence->stream, seed, replication, LAG_PURPOSE_STRAGGLER,
                            (uint16_t)s, name_of(lateness, straggler, rank));
        }
    }
}

lag_pace *lag_pace_new(const struct lag_lateness *lateness, uint32_t n_workers,
                       lag_seconds overhead, uint64_t seed, uint32_t replication)
{
    lag_pace *pace = g_new0(lag_pace, 1);

    assert(n_workers <= lateness->n_ranks);
    pace->lateness = lateness;
    pace->n_workers = n_workers;
    pace->overhead = overhead;
    pace->first = g_new0(uint32_t, n_workers + 1);
    count_influences(pace);
    pace->influences = g_new(struct influence, pace->first[n_workers]);
    fill_influences(pace, seed, replication);
    pace->sample = g_new(lag_seconds, n_workers);
    pace->death = g_new(lag_seconds, n_workers);
    for (uint32_t w = 0; w < n_workers; w++) {
        double speed = lateness->speed == NULL ? 1 : lateness->speed[w];
        lag_seconds time =
            lateness->own_compute == NULL ? lateness->compute : lateness->own_compute[w];
        pace->sample[w] = speed > 0 ? time / speed : (lag_seconds)INFINITY;
        pace->death[w] = INFINITY;
    }
    for (uint32_t s = 0; s < lateness->n_stragglers; s++)
        if (lateness->stragglers[s].effect == LAG_DEATH)
            draw_death(pace, s, seed, replication);
    if (lateness->trace != NULL)
        pace->n_pieces = g_new0(uint32_t, n_workers);
    return pace;
}

void lag_pace_free(lag_pace *pace)
{
    if (pace == NULL)
        return;
    g_free(pace->first);
    g_free(pace->influences);
    g_free(pace->sample);
    g_free(pace->death);
    g_free(pace->n_pieces);
    g_free(pace);
}

lag_seconds lag_pace_alone(const lag_pace *pace, uint32_t worker, double samples)
{
    return samples > 0 ? pace->overhead + samples * pace->sample[worker] : 0;
}

static double draw(struct influence *influence)
{
    const struct lag_straggler *straggler = influence->straggler;
    const struct lag_law *law = &straggler->law;
    bool lasts =
        law->type->time == LAG_ONCE_A_JOB || straggler->once || straggler->effect == LAG_THROTTLE;

    if (!influence->started)
        influence->value = lag_law_draw(law, &influence->stream.rng);
    else if (law->type->time == LAG_MARKOV)
        influence->value = lag_law_move(law, influence->value, &influence->stream.rng);
    else if (!lasts)
        influence->value = lag_law_draw(law, &influence->stream.rng);
    influence->started = true;
    return influence->value;
}

/* What is left when the throttle sets in takes so many times as long. */
static lag_seconds throttle(const struct influence *influence, lag_seconds time, lag_seconds now)
{
    lag_seconds before = fmax(influence->straggler->at - now, 0);

    return time > before ? before + (time - before) * influence->value : time;
}

static lag_seconds slow_down(lag_pace *pace, uint32_t worker, lag_seconds time, lag_seconds now)
{
    lag_seconds delay = 0;
    double factor = 1;

    for (uint32_t i = pace->first[worker]; i < pace->first[worker + 1]; i++) {
        struct influence *influence = &pace->influences[i];
        double value = draw(influence);
        if (influence->straggler->effect == LAG_DELAY)
            delay += value;
        else if (influence->straggler->effect == LAG_SLOWDOWN)
            factor *= value;
    }
    time *= factor;
    for (uint32_t i = pace->first[worker]; i < pace->first[worker + 1]; i++)
        if (pace->influences[i].straggler->effect == LAG_THROTTLE)
            time = throttle(&pace->influences[i], time, now);
    return time + delay;
}

lag_seconds lag_pace_next(lag_pace *pace, uint32_t worker, double samples, lag_seconds now)
{
    lag_seconds time = lag_pace_alone(pace, worker, samples);
    const struct lag_trace *trace = pace->lateness->trace;

    if (pace->first[worker] < pace->first[worker + 1])
        time = slow_down(pace, worker, time, now);
    if (trace != NULL) {
        uint32_t step = pace->n_pieces[worker]++ % trace->n_steps;
        time += trace->arrival[(size_t)step * trace->n_ranks + worker];
    }
    return time;
}

lag_seconds lag_pace_death(const lag_pace *pace, uint32_t worker)
{
    return pace->death[worker];
}

double lag_pace_speed(const lag_pace *pace, uint32_t worker)
{
    return 1 / pace->sample[worker];
}
