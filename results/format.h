/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities for people: five significant digits and a unit that suits. Texts are newly
 * allocated; what is not finite is "-". */
#ifndef LAGGARD_RESULTS_FORMAT_H
#define LAGGARD_RESULTS_FORMAT_H

#include <glib.h>

#include "sim/units.h"

char *lag_format_seconds(lag_seconds time); /* "3.9309 ms" */
/* In the unit that suits `like`, with four digits after the point: "0.8760 ms". */
char *lag_format_seconds_like(lag_seconds time, lag_seconds like);
char *lag_format_rate(lag_rate rate); /* "273.15 GB/s" */
char *lag_format_bytes(double bytes); /* "1 GiB"; "100 MB" where no binary unit suits */

/* Appends a number's digits; for text by the million lines. */
void lag_append_integer(GString *text, int64_t value);
void lag_append_count(GString *text, uint64_t value);

#endif
