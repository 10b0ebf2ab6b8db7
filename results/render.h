/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as a table for people. */
#ifndef LAGGARD_RESULTS_RENDER_H
#define LAGGARD_RESULTS_RENDER_H

#include "results/summary.h"

/* Appends the tables of scenarios, one below the other: what all rows share as a heading, what
 * varies as columns, and what the columns mean. `version` isn't in them. */
void lag_render_tables(GString *text, lag_result_set *const *sets, uint32_t n_sets,
                       const char *version);

#endif
