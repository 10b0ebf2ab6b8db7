/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as RFC 4180: a header line, then a line for each point and algorithm. */
#ifndef LAGGARD_RESULTS_CSV_H
#define LAGGARD_RESULTS_CSV_H

#include "results/summary.h"

/* Appends one table for all scenarios: laggard, scenario, seed, fingerprint, the columns of
 * column.h, then point.AXIS and parameters.NAME for all that occur, in the order in which they
 * do. Lines end in CRLF. A value that doesn't exist or isn't finite is an empty field. `version`
 * is the program's. */
void lag_csv_table(GString *text, lag_result_set *const *sets, uint32_t n_sets,
                   const char *version);

/* Single fields: quoted where they must be; the shortest number that reads back exactly. */
void lag_csv_text(GString *text, const char *value);
void lag_csv_number(GString *text, double value);

#endif
