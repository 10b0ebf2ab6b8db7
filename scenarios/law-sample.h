/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples: files with one number a line, '#' comments, and perhaps a name in the first line. */
#ifndef LAGGARD_SCENARIOS_LAW_SAMPLE_H
#define LAGGARD_SCENARIOS_LAW_SAMPLE_H

#include "scenarios/quantity.h"

#define LAG_MOST_VALUES_OF_SAMPLE (1u << 23)

/* Reads a sample of times, whose unit is the end of the name in its first line (delay_ms) or
 * `unit` ("ms", or NULL), or of plain factors, which have none. `name` stands in messages. The
 * values are newly allocated, at least one. False with LAGGARD_ERROR_INPUT. */
bool lag_sample_parse(GBytes *contents, const char *name, bool is_factor, const char *unit,
                      double **ret_values, uint32_t *ret_n, GError **error);

#endif
