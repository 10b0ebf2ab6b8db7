/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a plan round by round, without events. Where no rank has two sends or two receives at once
 * and each port has its full rate, the time at which a rank enters a round is a maximum of sums
 * of such times a round before: a linear system in the max-plus algebra (docs/MODELS.md). Ranks
 * and replications are vectors, and a round that is one pattern needs no list of transfers. */
#ifndef LAGGARD_SIM_LOCKSTEP_H
#define LAGGARD_SIM_LOCKSTEP_H

#include "sim/run.h"

/* Most runs that are done side by side. */
#define LAG_LOCKSTEP_WIDTH 8

/* Scratch memory: one per thread. */
typedef struct lag_lockstep lag_lockstep;
lag_lockstep *lag_lockstep_new(void);
void lag_lockstep_free(lag_lockstep *lockstep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_lockstep, lag_lockstep_free)

/* Memory for critical paths [B], or two rounds of all ranks and runs where that is more; 24 MiB to
 * begin with. Less makes them slower. */
void lag_lockstep_set_budget(lag_lockstep *lockstep, size_t budget);

/* NULL where lockstep gives what replay gives, to rounding; else why not, as part of a sentence:
 * "it has several transfers at a port at once". */
const char *lag_lockstep_objection(const struct laggard_plan *plan,
                                   const struct lag_network *network);

/* True where there is no objection to the plan, no rank dies or never arrives, each rank is on the
 * GPU of its number, and nobody observes. */
bool lag_lockstep_accepts(const struct lag_run *run);

/* Runs n_runs <= LAG_LOCKSTEP_WIDTH runs that differ in their arrivals only, and that it accepts. */
void lag_lockstep_run(lag_lockstep *lockstep, const struct lag_run *runs, uint32_t n_runs,
                      struct lag_outcome *outcomes);

#endif
