/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a JSON Schema in the making. */
#ifndef LAGGARD_SCENARIOS_SCHEMA_WRITER_H
#define LAGGARD_SCENARIOS_SCHEMA_WRITER_H

#include "scenarios/form.h"

struct lag_schema {
    GString *text; /* borrowed */
    uint32_t depth;
    bool empty; /* what was opened last has no member yet */
};

/* Members; `key` is NULL in an array and at the top. A container is closed with the same pair of
 * brackets, "{}" or "[]". */
void lag_schema_open(struct lag_schema *schema, const char *key, const char *brackets);
void lag_schema_close(struct lag_schema *schema, const char *brackets);
void lag_schema_string(struct lag_schema *schema, const char *key, const char *value);
/* JSON as it is: a number, true. */
void lag_schema_word(struct lag_schema *schema, const char *key, const char *word);
/* The words of "ring|tree" as an array; true and false also as what YAML takes them for. */
void lag_schema_words(struct lag_schema *schema, const char *key, const char *words);
/* The members of a form's schema, into the object that is open (defined in schema.c). */
void lag_schema_form(struct lag_schema *schema, const struct lag_form *form);

#endif
