/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside lockstep: one round as a step of a max-plus system, for several runs side by side.
 *
 * Unknowns: x[p], the time at which position p enters the round. A transfer from p to q takes
 * d = overhead + bytes / rate of p's port and c = d + latency until it is received. Rendezvous:
 *     s = max(x[p], x[q]),  x'[p] >= s + d,  x'[q] >= s + c
 * eager: x'[p] >= x[p] + d, x'[q] >= max(x[q], x[p] + c). Each x' is the least that satisfies
 * these and x' >= x. Example: 2 ranks swap with d = 2, c = 3 from x = (0, 5): s = 5 for both
 * transfers, x' = (8, 8).
 *
 * Workload: 10 .. 10^6 positions, 1 .. 8 runs, up to 10^10 transfers; a ring's round is one pass
 * over contiguous vectors of [position][run]. */
#ifndef LAGGARD_SIM_MAXPLUS_H
#define LAGGARD_SIM_MAXPLUS_H

#include "sim/run.h"

/* d and c of the transfers of a pattern, by sender, for shorter and longer chunks [s]. */
struct lag_edges {
    struct laggard_pattern pattern; /* its offset doesn't matter */
    bool valid;
    double *d[2], *c[2]; /* [longer][position * width + run] */
};

struct lag_maxplus {
    const struct laggard_plan *plan;
    const struct lag_network *network;
    struct lag_chunks chunks;
    uint32_t width;                /* runs side by side */
    const struct lag_names *names; /* [width] */
    size_t n, room;                /* doubles in a vector: ranks x width; allocated */
    double *now, *next;            /* x and x' [s] */
    double *busy;     /* or NULL: time in which a port of the position moved data, added up [s] */
    double *out, *in; /* 1 / rate of the ports' links [s/B] */
    double *out_latency, *in_latency; /* of the ports' links [s] */
    struct lag_edges edges;
    struct laggard_step step;
    uint32_t degree;
    uint32_t window_first, window_count; /* positions to advance, going round; count 0: all */
};

void lag_maxplus_init(struct lag_maxplus *system);
void lag_maxplus_clear(struct lag_maxplus *system);

/* Fits the system to a run of `width` replications. The names are borrowed; `now` is not set. */
void lag_maxplus_prepare(struct lag_maxplus *system, const struct lag_run *run, uint32_t width,
                         const struct lag_names *names);

/* now := the times of the next round; busy, where it isn't NULL, grows by the round. */
void lag_maxplus_advance(struct lag_maxplus *system, uint32_t round);

/* True where the round is a shift of all ranks, so that a window of positions can be advanced
 * alone: with each round, it is wrong in `hop` positions more at both ends. */
bool lag_maxplus_is_shift(const struct lag_maxplus *system, uint32_t round, uint32_t *ret_hop);

/* d and c of one transfer between positions, in one of the runs. */
struct lag_edge {
    double d, c;
};
struct lag_edge lag_maxplus_edge(const struct lag_maxplus *system, uint32_t src, uint32_t dst,
                                 uint32_t run, lag_bytes bytes);

#endif
