/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The single values of a row, by name: what CSV has as columns and the database too (there with _
 * for the dots). The names are those of the JSON document, flattened. Arrays stay out. */
#ifndef LAGGARD_RESULTS_COLUMN_H
#define LAGGARD_RESULTS_COLUMN_H

#include "results/summary.h"

/* Whose it is: a point's, the same for all its algorithms; a row's; or a row's that is a point's
 * too as long as there are no jobs. */
enum lag_column_place {
    LAG_OF_ROW = 1,
    LAG_OF_POINT = 2,
    LAG_OF_JOB = LAG_OF_ROW | LAG_OF_POINT,
};

struct lag_column {
    const char *name; /* "time_s.mean" */
    int place;        /* enum lag_column_place */
    int kind;         /* how it lies in the row */
    size_t offset;
};

/* Ends with an entry without a name. The order is part of the CSV format: add at the end. */
extern const struct lag_column lag_columns[];

struct lag_value {
    enum {
        LAG_VALUE_NONE, /* not known, not finite, or not recorded */
        LAG_VALUE_TEXT,
        LAG_VALUE_COUNT,
        LAG_VALUE_NUMBER,
    } kind;
    union {
        const char *text; /* borrowed from the row */
        uint64_t count;
        double number;
    };
};
struct lag_value lag_column_value(const struct lag_column *column, const struct lag_result *row);

#endif
