/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is late, and by how much: laws of delay, and measured traces. In each step a rank arrives
 * at compute x slowdown / speed + delay after the step's start. */
#ifndef LAGGARD_SIM_STRAGGLER_H
#define LAGGARD_SIM_STRAGGLER_H

#include <stdbool.h>

#include <glib.h>

#include "sim/law.h"
#include "sim/units.h"

/* One entry of the scenario's `stragglers:` list. */
enum lag_effect {
    LAG_DELAY,         /* adds seconds to the arrival */
    LAG_SLOWDOWN,      /* multiplies the compute time */
    LAG_DEATH,         /* the time from which the rank is dead, from the job's start on [s] */
    LAG_LINK_SLOWDOWN, /* divides the rates of the rank's port, both directions, for the step */
    LAG_THROTTLE, /* from the time `at` of the job on, multiplies what is left of the compute time */
};
struct lag_straggler {
    enum lag_effect effect;
    struct lag_law law; /* without objection; drawn when its type says, a death once a job */
    uint32_t n_ranks;
    uint32_t *ranks; /* owned by whoever made the list, as the law is */
    bool per_node;   /* one draw is shared by the ranks of a node */
    bool once;       /* drawn once a job, whatever the law's type says; not of a Markov law */
    lag_seconds at;  /* of a throttle [s] */
};
void lag_straggler_clear(struct lag_straggler *straggler);

/* Measured arrivals: arrival[step * n_ranks + rank] [s], from the first arrival of the step on or
 * from the start of the step. */
struct lag_trace {
    uint32_t n_steps, n_ranks;
    lag_seconds *arrival;
};

/* All that decides arrivals; borrowed, read-only. */
struct lag_lateness {
    uint32_t n_ranks;
    lag_seconds compute;            /* of one step at speed 1 [s] */
    const lag_seconds *own_compute; /* [n_ranks] instead of it, or NULL */
    const double *speed;            /* [n_ranks], or NULL: all 1 */
    uint32_t n_stragglers;
    const struct lag_straggler *stragglers;
    const struct lag_trace *trace; /* or NULL */
    uint32_t gpus_per_node;        /* for per_node; node = rank / gpus_per_node */
    const uint32_t *node_of;       /* [n_ranks] or, where this is not NULL, by it */
};

/* False where a law without variance is in play, so that means of the results have no standard
 * error. Deaths don't count. */
bool lag_lateness_has_variance(const struct lag_lateness *lateness);

/* The arrivals of one job, step after step. Streams depend on (seed, replication, entry of the
 * list, rank or node) and on nothing else. */
typedef struct lag_arrivals lag_arrivals;
lag_arrivals *lag_arrivals_new(const struct lag_lateness *lateness, uint64_t seed,
                               uint32_t replication);
void lag_arrivals_free(lag_arrivals *arrivals);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_arrivals, lag_arrivals_free)

/* The next step: fills arrival[n_ranks], INFINITY for a rank that is dead by then, and
 * compute[n_ranks], the part of it that the rank computed without being slowed down. */
void lag_arrivals_next(lag_arrivals *arrivals, lag_seconds *arrival, lag_seconds *compute);

/* By what the step divides the rates of each rank's port [n_ranks], or NULL where no entry does
 * that; at least LAG_LEAST_LINK_FACTOR. Valid until the next step. */
#define LAG_LEAST_LINK_FACTOR 1e-6
const double *lag_arrivals_link_factors(const lag_arrivals *arrivals);

/* When each rank dies, counted from the start of the step, or NULL where none ever does; 0 or less
 * where it is dead already. Valid until lag_arrivals_elapse. */
const lag_seconds *lag_arrivals_death(const lag_arrivals *arrivals);

/* True where the times of the next steps depend on how long this one took: they can't be made
 * before it ran. */
bool lag_arrivals_need_clock(const lag_arrivals *arrivals);

/* How long the step took, so that deaths and throttles know the time of the job. */
void lag_arrivals_elapse(lag_arrivals *arrivals, lag_seconds duration);

#endif
