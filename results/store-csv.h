/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stored run as CSV: byte for byte what csv.h makes of the same rows, but a row at a time. */
#ifndef LAGGARD_RESULTS_STORE_CSV_H
#define LAGGARD_RESULTS_STORE_CSV_H

#include "results/database.h"

/* Hands text on; false with an error ends it all. */
typedef bool (*lag_text_sink)(void *data, const GString *text, GError **error);

/* Rows by point, then by algorithm. Counts beyond 2^63 - 1, which a database doesn't have, are
 * empty. */
bool lag_store_csv(const lag_database *database, int64_t run, lag_text_sink sink, void *data,
                   GError **error);

#endif
