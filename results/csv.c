/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/csv.h"

#include <math.h>
#include <string.h>

#include "results/column.h"
#include "results/format.h"
#include "results/json-writer.h"

void lag_csv_text(GString *text, const char *value)
{
    if (strpbrk(value, ",\"\r\n") == NULL) {
        g_string_append(text, value);
        return;
    }
    g_string_append_c(text, '"');
    for (; *value != '\0'; value++) {
        if (*value == '"')
            g_string_append_c(text, '"');
        g_string_append_c(text, *value);
    }
    g_string_append_c(text, '"');
}

/* As JSON has it: the shortest that reads back exactly. */
void lag_csv_number(GString *text, double value)
{
    struct lag_json json;

    if (!isfinite(value))
        return;
    lag_json_init(&json, text);
    lag_json_number(&json, NULL, value);
}

static void append_value(GString *text, struct lag_value value)
{
    if (value.kind == LAG_VALUE_TEXT)
        lag_csv_text(text, value.text);
    else if (value.kind == LAG_VALUE_COUNT)
        lag_append_count(text, value.count);
    else if (value.kind == LAG_VALUE_NUMBER)
        lag_csv_number(text, value.number);
}

/* Names of fields, each once, in the order in which they come. */
struct names {
    GPtrArray *list; /* of const char *, borrowed from the rows */
    GHashTable *known;
};

static void names_init(struct names *names)
{
    names->list = g_ptr_array_new();
    names->known = g_hash_table_new(g_str_hash, g_str_equal);
}

static void names_clear(struct names *names)
{
    g_ptr_array_unref(names->list);
    g_hash_table_unref(names->known);
}

static void names_add(struct names *names, const struct lag_field *fields, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (g_hash_table_add(names->known, fields[i].name))
            g_ptr_array_add(names->list, fields[i].name);
}

static void append_names(GString *text, const char *prefix, const struct names *names)
{
    for (guint i = 0; i < names->list->len; i++) {
        g_autofree char *name = g_strconcat(prefix, g_ptr_array_index(names->list, i), NULL);
        g_string_append_c(text, ',');
        lag_csv_text(text, name);
    }
}

static void append_fields(GString *text, const struct names *names, const struct lag_field *fields,
                          uint32_t n)
{
    for (guint i = 0; i < names->list->len; i++) {
        uint32_t j = 0;
        g_string_append_c(text, ',');
        while (j < n && strcmp(fields[j].name, g_ptr_array_index(names->list, i)) != 0)
            j++;
        if (j == n || fields[j].text == NULL)
            continue;
        if (fields[j].is_number)
            lag_csv_number(text, fields[j].number);
        else
            lag_csv_text(text, fields[j].text);
    }
}

static void append_header(GString *text, const struct names *point, const struct names *parameters)
{
    g_string_append(text, "laggard,scenario,seed,fingerprint");
    for (const struct lag_column *column = lag_columns; column->name != NULL; column++) {
        g_string_append_c(text, ',');
        g_string_append(text, column->name);
    }
    append_names(text, "point.", point);
    append_names(text, "parameters.", parameters);
    g_string_append(text, "\r\n");
}

static void append_set(GString *text, const lag_result_set *set, const char *version,
                       const struct names *point, const struct names *parameters)
{
    for (uint32_t i = 0; i < set->n_results; i++) {
        const struct lag_result *row = &set->results[i];
        lag_csv_text(text, version);
        g_string_append_c(text, ',');
        lag_csv_text(text, set->scenario);
        g_string_append_c(text, ',');
        lag_append_count(text, set->seed);
        g_string_append_c(text, ',');
        lag_csv_text(text, set->fingerprint);
        for (const struct lag_column *column = lag_columns; column->name != NULL; column++) {
            g_string_append_c(text, ',');
            append_value(text, lag_column_value(column, row));
        }
        append_fields(text, point, row->point, row->n_coordinates);
        append_fields(text, parameters, row->parameters, row->n_parameters);
        g_string_append(text, "\r\n");
    }
}

void lag_csv_table(GString *text, lag_result_set *const *sets, uint32_t n_sets, const char *version)
{
    struct names point, parameters;

    names_init(&point);
    names_init(&parameters);
    for (uint32_t i = 0; i < n_sets; i++) {
        for (uint32_t j = 0; j < sets[i]->n_results; j++) {
            const struct lag_result *row = &sets[i]->results[j];
            names_add(&point, row->point, row->n_coordinates);
            names_add(&parameters, row->parameters, row->n_parameters);
        }
    }
    append_header(text, &point, &parameters);
    for (uint32_t i = 0; i < n_sets; i++)
        append_set(text, sets[i], version, &point, &parameters);
    names_clear(&point);
    names_clear(&parameters);
}
