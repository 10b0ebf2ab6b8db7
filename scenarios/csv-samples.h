/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A data set in a table: one sample a line, its features and, in one column, its label. */
#ifndef LAGGARD_SCENARIOS_CSV_SAMPLES_H
#define LAGGARD_SCENARIOS_CSV_SAMPLES_H

#include "sim/learner/dataset.h"

/* How to read a table. Where a field of the first line is no number (the label's doesn't count
 * where it is a class), that line names the columns. */
struct lag_csv_samples {
    const char *name;  /* for messages */
    const char *label; /* "first", "last" or the name of a column */
    bool classes; /* labels are any texts, classes in their order of appearance; else numbers */
    double scale; /* of the features */
};

/* Every fifth sample is kept for the test. NULL with LAGGARD_ERROR_INPUT: "digits.csv:12: ...". */
lag_dataset *lag_csv_samples_parse(GBytes *contents, const struct lag_csv_samples *how,
                                   GError **error);

#endif
