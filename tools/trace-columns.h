/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guesses from a header which columns are the step, the rank, the wait and the arrival. */
#ifndef LAGGARD_TOOLS_TRACE_COLUMNS_H
#define LAGGARD_TOOLS_TRACE_COLUMNS_H

#include <stdbool.h>

#include <glib.h>

enum lag_column_role {
    LAG_COLUMN_STEP,
    LAG_COLUMN_RANK,
    LAG_COLUMN_WAIT,    /* in the collective, or waiting for it to start */
    LAG_COLUMN_ARRIVAL, /* when, or how long computed before; several are added */
};

/* Appends the columns (borrowed from the header) that have the role: one, or for ARRIVAL perhaps
 * more. None where no name says so. False with LAGGARD_ERROR_INPUT where several might be meant;
 * `option` is what would settle it. */
bool lag_columns_guess(const GPtrArray *header, enum lag_column_role role, const char *option,
                       GPtrArray *found, GError **error);

#endif
