/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is late, and by how much: laws of delay, and measured traces. In each step a rank arrives
 * at compute x slowdown / speed + delay after the step's start. */
#ifndef LAGGARD_SIM_STRAGGLER_H
#define LAGGARD_SIM_STRAGGLER_H

#include <stdbool.h>

#include <glib.h>

#include "sim/rng.h"
#include "sim/units.h"

/* A law of a random number. Its parameters are in seconds where it is a law of a delay, and plain
 * numbers where it is a law of a factor. */
enum lag_law_kind {
    LAG_LAW_CONSTANT,    /* value */
    LAG_LAW_EXPONENTIAL, /* mean */
};
struct lag_law {
    enum lag_law_kind kind;
    double parameter[2];
};
double lag_law_draw(const struct lag_law *law, struct lag_stream *stream);

/* One entry of the scenario's `stragglers:` list. */
enum lag_effect {
    LAG_DELAY,    /* law adds seconds to the arrival */
    LAG_SLOWDOWN, /* law multiplies the compute time */
    LAG_DEATH,    /* law.parameter[0] is the time from which the rank is dead [s] */
};
struct lag_straggler {
    enum lag_effect effect;
    struct lag_law law;
    uint32_t n_ranks;
    uint32_t *ranks; /* owned by whoever made the list */
};

/* Measured arrivals: arrival[step * n_ranks + rank] [s], from the first arrival of the step on or
 * from the start of the step. */
struct lag_trace {
    uint32_t n_steps, n_ranks;
    lag_seconds *arrival;
};

/* All that decides arrivals; borrowed, read-only. */
struct lag_lateness {
    uint32_t n_ranks;
    lag_seconds compute; /* of one step at speed 1 [s] */
    const double *speed; /* [n_ranks], or NULL: all 1 */
    uint32_t n_stragglers;
    const struct lag_straggler *stragglers;
    const struct lag_trace *trace; /* or NULL */
};

/* The arrivals of one job, step after step. Streams depend on (seed, replication, entry of the
 * list, rank) and on nothing else. */
typedef struct lag_arrivals lag_arrivals;
lag_arrivals *lag_arrivals_new(const struct lag_lateness *lateness, uint64_t seed,
                               uint32_t replication);
void lag_arrivals_free(lag_arrivals *arrivals);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_arrivals, lag_arrivals_free)

/* The next step: fills arrival[n_ranks], INFINITY for a rank that is dead by then, and
 * compute[n_ranks], the part of it that the rank computed without being slowed down. */
void lag_arrivals_next(lag_arrivals *arrivals, lag_seconds *arrival, lag_seconds *compute);

/* When each rank dies, counted from the start of a step, or NULL where none does. */
const lag_seconds *lag_arrivals_death(const lag_arrivals *arrivals);

#endif
