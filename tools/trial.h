/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of one algorithm at one point, in one thread. */
#ifndef LAGGARD_TOOLS_TRIAL_H
#define LAGGARD_TOOLS_TRIAL_H

#include "results/tally.h"
#include "scenarios/scenario.h"
#include "sim/replay.h"

/* A thread's scratch memory, for points of any size. */
typedef struct lag_trial lag_trial;
lag_trial *lag_trial_new(void);
void lag_trial_free(lag_trial *trial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_trial, lag_trial_free)

/* The plan of a scenario's algorithm. NULL with LAGGARD_ERROR_INPUT, also where the scenario's
 * engine can't run it. */
lag_plan *lag_trial_plan(const lag_scenario *scenario, uint32_t entrant, GError **error);

/* What a user should know of a plan before it runs, newly allocated, or NULL: that a plan
 * made for a late rank takes longer after the arrival than recursive doubling does in all. */
char *lag_trial_warning(const lag_scenario *scenario, uint32_t entrant, const lag_plan *plan);

/* Runs one collective of n_ranks arrivals, without busy times and critical path; a plan that predicts
 * has its late rank. The outcome
 * belongs to the trial, until its next run. NULL with LAGGARD_ERROR_STALLED. A buffer of 0 bytes
 * is done on arrival. */
const struct lag_outcome *lag_trial_once(lag_trial *trial, const lag_scenario *scenario,
                                         const lag_plan *plan, const lag_seconds *arrival,
                                         GError **error);

/* Adds all steps of replications first .. first + n - 1 to `tally`. All algorithms of a point meet
 * the same arrivals. False with LAGGARD_ERROR_STALLED, which says in which replication and step,
 * where there are several. */
bool lag_trial_run(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                   uint32_t first, uint32_t n, struct lag_tally *tally, GError **error);

/* Adds replications first .. first + n - 1 of all that runs side by side to the tallies of its
 * parts; plans are by part. As lag_trial_run, and the same where there are no jobs. */
bool lag_trial_run_parts(lag_trial *trial, const lag_scenario *scenario, lag_plan *const *plans,
                         uint32_t first, uint32_t n, struct lag_tally *tallies, GError **error);

/* The same from the first replication on, until the intervals of the parts' mean exposed times are
 * narrow enough for the scenario's precision, or its replications are used up. */
bool lag_trial_run_precisely(lag_trial *trial, const lag_scenario *scenario, lag_plan *const *plans,
                             struct lag_tally *tallies, GError **error);

#endif
