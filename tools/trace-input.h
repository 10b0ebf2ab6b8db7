/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measured table from the command line: which columns mean what, named or guessed. */
#ifndef LAGGARD_TOOLS_TRACE_INPUT_H
#define LAGGARD_TOOLS_TRACE_INPUT_H

#include "results/trace-stats.h"
#include "scenarios/trace.h"

/* As given; NULL: to be guessed. `arrival` may name several columns, "a,b". */
struct lag_trace_options {
    char *step, *rank, *wait, *arrival, *unit;
};
void lag_trace_options_clear(struct lag_trace_options *options);

typedef struct lag_trace_input {
    char *step, *rank; /* columns */
    char *wait;        /* or NULL */
    GStrv compute;     /* of which the arrival is the sum; may be empty */
    char *guessed;     /* "step, rank, wait": what wasn't named; NULL: nothing */
    lag_trace_table *table;
    lag_seconds *by_wait, *by_compute;    /* arrivals by either, or NULL */
    struct lag_measured waited, computed; /* of these; n_steps 0 where there is none */
    struct lag_measured trace;            /* the one that lateness is taken from */
} lag_trace_input;

/* Reads a file. Lateness is taken from the wait where it is named, from the arrival where only
 * that is, else from what the header has, wait first; the other is kept for comparison. NULL with
 * LAGGARD_ERROR_INPUT where the table is wrong, has one rank, or its header is not clear. */
lag_trace_input *lag_trace_input_read(const char *path, const struct lag_trace_options *options,
                                      GError **error);
void lag_trace_input_free(lag_trace_input *input);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_trace_input, lag_trace_input_free)

#endif
