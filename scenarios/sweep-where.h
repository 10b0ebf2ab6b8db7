/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `where:` of a sweep: which combinations of the axes' values are points. It is a list of cases; a
 * combination that any of them describes is kept. */
#ifndef LAGGARD_SCENARIOS_SWEEP_WHERE_H
#define LAGGARD_SCENARIOS_SWEEP_WHERE_H

#include "scenarios/sweep.h"

extern const struct lag_form lag_form_where;

/* What a case says of one axis. */
struct lag_condition {
    uint32_t axis;
    bool *holds; /* [values of the axis] */
};

/* Reads the list at `at`, for the axes of a sweep, into an array of arrays of struct lag_condition:
 * one for each case, all of whose conditions are to hold. NULL with LAGGARD_ERROR_INPUT, also where
 * a case has a value that its axis lacks. Caller owns the reference. */
GPtrArray *lag_where_read(const struct lag_at *at, const GArray *axes, GError **error);

/* True where a combination is kept; values[axis] is the number of a value. */
bool lag_where_keeps(const GPtrArray *where, const uint32_t *values);

#endif
