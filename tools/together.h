/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of several jobs side by side on one network, in one thread. */
#ifndef LAGGARD_TOOLS_TOGETHER_H
#define LAGGARD_TOOLS_TOGETHER_H

#include "results/tally.h"
#include "scenarios/scenario.h"
#include "sim/replay.h"

/* Adds all steps of replications first .. first + n - 1 of a scenario's jobs, each with its plan,
 * to the jobs' tallies. A step of all jobs begins at the same time, when the last of them has
 * ended the one before. False with LAGGARD_ERROR_STALLED, which says in which replication and
 * step, where there are several. */
bool lag_together_run(lag_replay *replay, const lag_scenario *scenario, lag_plan *const *plans,
                      uint32_t first, uint32_t n, struct lag_tally *tallies, GError **error);

#endif
