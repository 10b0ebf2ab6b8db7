/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What protocols say of a scenario before it runs. */
#ifndef LAGGARD_SCENARIOS_PROTOCOL_RUN_H
#define LAGGARD_SCENARIOS_PROTOCOL_RUN_H

#include "scenarios/form.h"
#include "scenarios/scenario.h"

/* Asks each protocol of a whole scenario whether its values and the workload fit; `root` is the file's. */
bool lag_check_protocols(const struct lag_at *root, const lag_scenario *scenario, GError **error);

/* Gives collectives among the entrants of a gradient workload, where that says how long a message
 * takes, a switch on which a whole vector takes so long, and each step the step's latency more. */
void lag_scenario_stand_in(lag_scenario *scenario);

#endif
