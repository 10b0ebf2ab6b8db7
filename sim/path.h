/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path. An engine notes, for each rank and round, what it was that ended last in it;
 * walking back from the end gives the one chain of events that decided the completion. */
#ifndef LAGGARD_SIM_PATH_H
#define LAGGARD_SIM_PATH_H

#include "sim/network/network.h"
#include "sim/outcome.h"
#include "sim/plan.h"

/* What ended last in a rank's round: nothing took time (0), or a transfer with a peer. */
typedef uint32_t lag_decision;
#define LAG_BY_SEND      1u /* its own port was busy sending; else it waited for the data */
#define LAG_PEER_LATER   2u /* it started when the peer, the later of the two, entered the round */
#define LAG_DECIDED_BITS 2  /* above them: the peer's rank + 1 */

static inline lag_decision lag_decided_by(uint32_t peer, uint32_t flags)
{
    return (peer + 1) << LAG_DECIDED_BITS | flags;
}

/* Decisions, [lane][round][position]; NULL where the run was too large to keep them. */
struct lag_history {
    lag_decision *decisions;
    struct lag_cost *costs; /* of the decided transfers; NULL: those of a switch's links alone */
    size_t capacity;
};
void lag_history_clear(struct lag_history *history);

/* Makes room for a plan's run; above a budget of 384 MiB it keeps nothing. */
void lag_history_prepare(struct lag_history *history, const struct laggard_plan *plan,
                         bool with_costs);

static inline size_t lag_history_index(const struct laggard_plan *plan, uint32_t lane,
                                       uint32_t round, uint32_t rank)
{
    return ((size_t)lane * plan->n_rounds + round) * lag_plan_n_positions(plan) + rank;
}

/* A finished run, as the walk needs it. */
struct lag_walk {
    const struct laggard_plan *plan;
    const struct lag_network *network;
    const struct lag_chunks *chunks;
    struct lag_names names;
    const struct lag_history *history;
    uint32_t last_lane, last_rank; /* where the run ended */
    const lag_seconds *started;    /* [n_ranks] when each rank entered its first round [s] */
    uint32_t gate_rank;            /* whose arrival let all start, or LAGGARD_NONE */
};

/* For engines that walk themselves: a transfer on a switch as a hop, without its place; and the
 * end of a walk, whose hops stand in reverse order, at a rank that started at `wait`. */
struct lag_hop lag_path_hop(const struct lag_network *network, const struct lag_chunks *chunks,
                            const struct laggard_transfer *transfer, bool by_send);
void lag_path_close(struct lag_path *path, uint32_t first_rank, lag_seconds wait);

/* Fills `path`: hops in order of time, shares that sum to the completion. */
void lag_path_walk(const struct lag_walk *walk, struct lag_path *path);

#endif
