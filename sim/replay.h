/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs plans event by event. The general engine: any network, links that change, transfers that
 * wait for both ends (rendezvous) or not (eager), ranks that drift apart, ranks that die, several
 * collectives side by side. */
#ifndef LAGGARD_SIM_REPLAY_H
#define LAGGARD_SIM_REPLAY_H

#include "sim/run.h"

/* A replayer holds the scratch memory of its runs: one per thread. */
typedef struct lag_replay lag_replay;
lag_replay *lag_replay_new(void);
void lag_replay_free(lag_replay *replay);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_replay, lag_replay_free)

/* NULL where replay can run the plan on the network; else why not, as part of a sentence: "its
 * switch takes part, and the network is more than one switch". */
const char *lag_replay_objection(const struct laggard_plan *plan,
                                 const struct lag_network *network);

/* Runs a plan to its end. False with LAGGARD_ERROR_STALLED where ranks wait for what never comes;
 * the message says which rank waits for what, and for which link. `outcome` was initialised for
 * plan->n_ranks. */
bool lag_replay_run(lag_replay *replay, const struct lag_run *run, struct lag_outcome *outcome,
                    GError **error);

/* Runs several, up to LAG_REPLAY_MOST_RUNS, side by side on the network of the first, whose links
 * they share, from its `start` on: the jobs of a cluster. Each has its own ranks, arrivals and
 * outcome, all on one clock. Where some stall the others go on to their ends. */
#define LAG_REPLAY_MOST_RUNS 1024
bool lag_replay_run_together(lag_replay *replay, const struct lag_run *runs, uint32_t n_runs,
                             struct lag_outcome *outcomes, GError **error);

#endif
