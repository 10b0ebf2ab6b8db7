/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When those who take part in a collective arrive: lateness is drawn for the cluster's ranks, so
 * that neither groups nor jobs change anybody's draws, and told in the collective's own. */
#ifndef LAGGARD_TOOLS_TURNOUT_H
#define LAGGARD_TOOLS_TURNOUT_H

#include "scenarios/scenario.h"

/* Of one replication. The scenario is borrowed. */
typedef struct lag_turnout lag_turnout;
lag_turnout *lag_turnout_new(const lag_scenario *scenario, uint32_t replication);
void lag_turnout_free(lag_turnout *turnout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_turnout, lag_turnout_free)

/* As lag_arrivals_next and its like, for the scenario's n_ranks; but link factors are those of all
 * n_gpus. */
void lag_turnout_next(lag_turnout *turnout, lag_seconds *arrival, lag_seconds *compute);
const lag_seconds *lag_turnout_death(lag_turnout *turnout);
const double *lag_turnout_link_factors(const lag_turnout *turnout);
bool lag_turnout_needs_clock(const lag_turnout *turnout);
void lag_turnout_elapse(lag_turnout *turnout, lag_seconds duration);

#endif
