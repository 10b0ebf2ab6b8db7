/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what a scenario says and what its runs gave to a row of results. */
#ifndef LAGGARD_TOOLS_ROW_H
#define LAGGARD_TOOLS_ROW_H

#include "results/tally.h"
#include "scenarios/scenario.h"

/* Fills what doesn't come from runs: names, parameters, coordinates, sizes. */
void lag_row_describe(struct lag_result *row, const lag_document *document, uint32_t point,
                      const lag_scenario *scenario, uint32_t entrant);

/* Fills the rest from the runs, or, where they ended in `error`, as a row without numbers. */
void lag_row_fill(struct lag_result *row, const lag_scenario *scenario, const lag_plan *plan,
                  const struct lag_tally *tally, const GError *error);

/* The only row of a point that isn't valid: no algorithm, no numbers. */
void lag_row_of_invalid(struct lag_result *row, const lag_document *document, uint32_t point,
                        const GError *error);

/* Fills how much all jobs together used of each link, into the rows of one combination of
 * algorithms, of which each job has one. */
void lag_row_share_links(struct lag_result *rows, const lag_scenario *scenario,
                         struct lag_tally *const *tallies);

#endif
