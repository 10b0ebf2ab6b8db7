/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/advise-delays.h"

#include <string.h>

#include <gsl/gsl_rng.h>

#include "sim/laggard.h"
#include "sim/rng.h"
#include "sim/straggler.h"

/* Consumers of random numbers that no scenario's list of stragglers is long enough to reach. */
enum {
    OF_TRACE = UINT16_MAX - 1,
    OF_LAWS = UINT16_MAX
};

static uint32_t most_often_last(const lag_trace_stats *stats)
{
    uint32_t found = 0;

    for (uint32_t rank = 1; rank < stats->n_ranks; rank++)
        if (stats->ranks[rank].n_last > stats->ranks[found].n_last)
            found = rank;
    return found;
}

/* The rank that plays a persistent one: of the same number, else the highest that is free. */
static uint32_t free_rank(const struct lag_casting *casting, uint32_t wanted)
{
    uint32_t rank = casting->n_ranks - 1;

    if (wanted < casting->n_ranks && casting->source[wanted] == LAGGARD_NONE)
        return wanted;
    while (rank > 0 && casting->source[rank] != LAGGARD_NONE)
        rank--;
    return rank;
}

/* The one that is last most often first, so that no other takes its number. */
static void cast_persistent(struct lag_casting *casting, const lag_trace_stats *stats)
{
    uint32_t n_cast = 0;

    for (uint32_t k = 0; k <= stats->n_ranks; k++) {
        uint32_t rank = k == 0 ? casting->predicted_source : k - 1;
        bool again = k > 0 && rank == casting->predicted_source;
        if (again || !stats->ranks[rank].persistent || n_cast + 1 >= casting->n_ranks)
            continue;
        uint32_t role = free_rank(casting, rank);
        casting->source[role] = rank;
        casting->predicted = k == 0 ? role : casting->predicted;
        n_cast++;
    }
}

void lag_casting_init(struct lag_casting *casting, const lag_trace_stats *stats, uint32_t n_ranks)
{
    *casting = (struct lag_casting){.n_ranks = n_ranks, .n_trace_ranks = stats->n_ranks};
    casting->predicted_source = most_often_last(stats);
    casting->predicted = MIN(casting->predicted_source, n_ranks - 1);
    casting->source = g_new(uint32_t, n_ranks);
    casting->others = g_new(uint32_t, stats->n_ranks);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        casting->source[rank] = n_ranks == stats->n_ranks ? rank : LAGGARD_NONE;
    if (n_ranks != stats->n_ranks)
        cast_persistent(casting, stats);
    for (uint32_t rank = 0; rank < stats->n_ranks; rank++)
        if (!stats->ranks[rank].persistent)
            casting->others[casting->n_others++] = rank;
    if (casting->n_others == 0)
        casting->others[casting->n_others++] = casting->predicted_source;
}

void lag_casting_clear(struct lag_casting *casting)
{
    g_free(casting->source);
    g_free(casting->others);
    memset(casting, 0, sizeof *casting);
}

static lag_delays *delays_new(const struct lag_casting *casting, uint32_t n_steps)
{
    lag_delays *delays = g_new0(lag_delays, 1);

    delays->n_steps = n_steps;
    delays->n_ranks = casting->n_ranks;
    delays->arrival = g_new(lag_seconds, (size_t)n_steps * casting->n_ranks);
    delays->last = g_new(uint32_t, n_steps);
    delays->tied = g_new(bool, n_steps);
    delays->gap = g_new(lag_seconds, n_steps);
    return delays;
}

static void fill_step(lag_delays *delays, const struct lag_casting *casting, uint32_t step,
                      const lag_seconds *measured, const gsl_rng *rng)
{
    lag_seconds *arrival = delays->arrival + (size_t)step * delays->n_ranks;

    for (uint32_t rank = 0; rank < delays->n_ranks; rank++) {
        uint32_t source = casting->source[rank];
        if (source == LAGGARD_NONE)
            source = casting->others[gsl_rng_uniform_int(rng, casting->n_others)];
        arrival[rank] = measured[source];
    }
}

/* What follows from the arrivals. */
static void finish(lag_delays *delays, const struct lag_casting *casting)
{
    const struct lag_measured all = {
        .n_steps = delays->n_steps, .n_ranks = delays->n_ranks, .arrival = delays->arrival};

    for (uint32_t step = 0; step < delays->n_steps; step++) {
        const lag_seconds *arrival = delays->arrival + (size_t)step * delays->n_ranks;
        struct lag_last last = lag_trace_last(&all, step);
        delays->last[step] = last.rank;
        delays->tied[step] = last.tied;
        delays->gap[step] = last.gap;
        delays->mean_gap += last.gap / delays->n_steps;
        delays->n_predicted += !last.tied && last.rank == casting->predicted;
        for (uint32_t rank = 0; rank < delays->n_ranks; rank++)
            delays->mean_wait += (arrival[last.rank] - arrival[rank]) / delays->n_steps;
    }
}

lag_delays *lag_delays_of_trace(const struct lag_measured *trace, const struct lag_casting *casting,
                                uint64_t seed)
{
    lag_delays *delays = delays_new(casting, trace->n_steps);
    g_autofree lag_seconds *lateness = g_new(lag_seconds, trace->n_ranks);
    struct lag_stream stream;

    lag_stream_init(&stream, seed, 0, LAG_PURPOSE_STRAGGLER, OF_TRACE, 0);
    for (uint32_t step = 0; step < trace->n_steps; step++) {
        lag_trace_lateness(trace, step, lateness);
        fill_step(delays, casting, step, lateness, &stream.rng);
    }
    finish(delays, casting);
    return delays;
}

/* The entries as a scenario's list; ranks and laws stay the laws'. */
static struct lag_straggler *stragglers_of(const lag_late_laws *laws, uint32_t *ret_n)
{
    struct lag_straggler *stragglers = g_new0(struct lag_straggler, laws->n_entries);

    *ret_n = 0;
    for (uint32_t i = 0; i < laws->n_entries; i++)
        if (laws->entries[i].law.type != NULL)
            stragglers[(*ret_n)++] = (struct lag_straggler){
                .effect = LAG_DELAY,
                .law = laws->entries[i].law,
                .n_ranks = laws->entries[i].n_ranks,
                .ranks = laws->entries[i].ranks,
            };
    return stragglers;
}

lag_delays *lag_delays_of_laws(const lag_late_laws *laws, const struct lag_casting *casting,
                               uint32_t n_draws, uint64_t seed)
{
    lag_delays *delays = delays_new(casting, n_draws);
    g_autofree lag_seconds *arrival = g_new(lag_seconds, casting->n_trace_ranks);
    g_autofree lag_seconds *compute = g_new(lag_seconds, casting->n_trace_ranks);
    struct lag_lateness lateness = {.n_ranks = casting->n_trace_ranks, .gpus_per_node = 1};
    g_autofree struct lag_straggler *stragglers = stragglers_of(laws, &lateness.n_stragglers);
    struct lag_stream stream;

    lateness.stragglers = stragglers;
    lag_stream_init(&stream, seed, 0, LAG_PURPOSE_STRAGGLER, OF_LAWS, 0);
    for (uint32_t draw = 0; draw < n_draws; draw++) {
        g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, seed, draw);
        lag_arrivals_next(arrivals, arrival, compute);
        fill_step(delays, casting, draw, arrival, &stream.rng);
    }
    finish(delays, casting);
    return delays;
}

void lag_delays_free(lag_delays *delays)
{
    if (delays == NULL)
        return;
    g_free(delays->arrival);
    g_free(delays->last);
    g_free(delays->tied);
    g_free(delays->gap);
    g_free(delays);
}
