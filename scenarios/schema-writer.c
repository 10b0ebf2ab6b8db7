/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/schema-writer.h"

#include <string.h>

static void append_string(GString *text, const char *string)
{
    g_string_append_c(text, '"');
    for (const char *c = string; *c != '\0'; c++)
        if (*c == '"' || *c == '\\')
            g_string_append_printf(text, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            g_string_append_printf(text, "\\u%04x", (unsigned)*c);
        else
            g_string_append_c(text, *c);
    g_string_append_c(text, '"');
}

static void new_line(struct lag_schema *schema)
{
    g_string_append_printf(schema->text, "\n%*s", (int)(2 * schema->depth), "");
}

/* What stands before a member's value. */
static void begin(struct lag_schema *schema, const char *key)
{
    if (!schema->empty)
        g_string_append_c(schema->text, ',');
    if (schema->depth > 0)
        new_line(schema);
    if (key != NULL) {
        append_string(schema->text, key);
        g_string_append(schema->text, ": ");
    }
    schema->empty = false;
}

void lag_schema_open(struct lag_schema *schema, const char *key, const char *brackets)
{
    begin(schema, key);
    g_string_append_c(schema->text, brackets[0]);
    schema->depth++;
    schema->empty = true;
}

void lag_schema_close(struct lag_schema *schema, const char *brackets)
{
    schema->depth--;
    if (!schema->empty)
        new_line(schema);
    g_string_append_c(schema->text, brackets[1]);
    schema->empty = false;
}

void lag_schema_string(struct lag_schema *schema, const char *key, const char *value)
{
    begin(schema, key);
    append_string(schema->text, value);
}

void lag_schema_word(struct lag_schema *schema, const char *key, const char *word)
{
    begin(schema, key);
    g_string_append(schema->text, word);
}

void lag_schema_words(struct lag_schema *schema, const char *key, const char *words)
{
    g_auto(GStrv) list = g_strsplit(words, "|", -1);

    begin(schema, key);
    g_string_append_c(schema->text, '[');
    for (uint32_t i = 0; list[i] != NULL; i++) {
        g_string_append(schema->text, i > 0 ? ", " : "");
        append_string(schema->text, list[i]);
        if (strcmp(list[i], "true") == 0 || strcmp(list[i], "false") == 0)
            g_string_append_printf(schema->text, ", %s", list[i]);
    }
    g_string_append_c(schema->text, ']');
}
