/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scenario may say, for editors and other programs. */
#ifndef LAGGARD_SCENARIOS_SCHEMA_H
#define LAGGARD_SCENARIOS_SCHEMA_H

#include <glib.h>

/* Appends a JSON Schema (draft 2020-12) that follows from the tables of keys. What it refuses is
 * wrong; what it accepts may still be: it knows no relations between keys. */
void lag_schema_append(GString *text);

#endif
