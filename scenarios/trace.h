/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured arrivals from a table: CSV with a header line and '#' comments, one row for each step
 * and rank, columns by name. */
#ifndef LAGGARD_SCENARIOS_TRACE_H
#define LAGGARD_SCENARIOS_TRACE_H

#include <glib.h>

#include "sim/straggler.h"

/* Which columns mean what. A column's unit is its suffix, _s _ms _us, or else `unit`. */
struct lag_trace_columns {
    const char *step, *rank;
    const char *const *times; /* their sum is the arrival, or the wait; ends with NULL */
    bool is_wait;     /* the times are waits: arrival = the step's largest wait - the rank's own */
    const char *unit; /* "ms", or NULL */
};

/* Reads a trace; `name` stands in messages ("steps.csv:12: ..."). Steps come in the order of their
 * numbers, whatever these are; ranks are 0 to n - 1. NULL with LAGGARD_ERROR_INPUT. */
struct lag_trace *lag_trace_parse(GBytes *contents, const char *name,
                                  const struct lag_trace_columns *columns, GError **error);
void lag_trace_free(struct lag_trace *trace);

/* The same table as it is written: is_wait changes nothing here. */
typedef struct lag_trace_table {
    uint32_t n_steps, n_ranks, n_times;
    uint64_t *step;    /* [n_steps] their numbers, ascending */
    lag_seconds *time; /* time[(column * n_steps + step) * n_ranks + rank] [s] */
} lag_trace_table;
lag_trace_table *lag_trace_table_parse(GBytes *contents, const char *name,
                                       const struct lag_trace_columns *columns, GError **error);
void lag_trace_table_free(lag_trace_table *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_trace_table, lag_trace_table_free)

#endif
