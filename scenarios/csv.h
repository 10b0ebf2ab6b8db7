/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of comma-separated text. */
#ifndef LAGGARD_SCENARIOS_CSV_H
#define LAGGARD_SCENARIOS_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

struct lag_csv {
    const char *rest, *end; /* what is not read yet */
    uint32_t line;          /* number of the line that was read last, from 1 */
    GString *text;          /* that line, cut up */
    GPtrArray *fields;      /* of that line: char * into `text`, without quotes and outer blanks */
};

/* The contents are borrowed until clear. */
void lag_csv_init(struct lag_csv *csv, GBytes *contents);
void lag_csv_clear(struct lag_csv *csv);

/* The next line that is not blank and not a comment (#); false at the end. */
bool lag_csv_next(struct lag_csv *csv);

#endif
