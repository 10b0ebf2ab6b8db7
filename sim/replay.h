/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a plan event by event. The general engine: any network, transfers that wait for both ends
 * (rendezvous) or not (eager), ranks that drift apart, ranks that die. */
#ifndef LAGGARD_SIM_REPLAY_H
#define LAGGARD_SIM_REPLAY_H

#include "sim/run.h"

/* A replayer holds the scratch memory of its runs: one per thread. */
typedef struct lag_replay lag_replay;
lag_replay *lag_replay_new(void);
void lag_replay_free(lag_replay *replay);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_replay, lag_replay_free)

/* Runs a plan to its end. False with LAGGARD_ERROR_STALLED where ranks wait for what never comes;
 * the message says which rank waits for what. `outcome` was initialised for plan->n_ranks. */
bool lag_replay_run(lag_replay *replay, const struct lag_run *run, struct lag_outcome *outcome,
                    GError **error);

#endif
