/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/json-writer.h"

#include <assert.h>
#include <math.h>

#include "results/format.h"

void lag_json_init(struct lag_json *json, GString *text)
{
    *json = (struct lag_json){.text = text};
}

/* True where a string stands in JSON as it is: most keys and values. */
static bool is_plain(const char *value)
{
    for (; *value != '\0'; value++)
        if ((unsigned char)*value < 0x20 || (unsigned char)*value >= 0x7f || *value == '"' ||
            *value == '\\')
            return false;
    return true;
}

static void append_escaped(GString *text, const char *value)
{
    g_autofree char *valid = g_utf8_make_valid(value, -1);

    g_string_append_c(text, '"');
    for (const char *p = valid; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            g_string_append_printf(text, "\\%c", *p);
        else if (*p == '\n')
            g_string_append(text, "\\n");
        else if ((unsigned char)*p < 0x20 || *p == 0x7f)
            g_string_append_printf(text, "\\u%04x", (unsigned)*p);
        else
            g_string_append_c(text, *p);
    }
    g_string_append_c(text, '"');
}

static void append_text(GString *text, const char *value)
{
    if (!is_plain(value)) {
        append_escaped(text, value);
        return;
    }
    g_string_append_c(text, '"');
    g_string_append(text, value);
    g_string_append_c(text, '"');
}

static void start_line(struct lag_json *json, uint32_t depth)
{
    g_string_append_c(json->text, '\n');
    for (uint32_t i = 0; i < depth; i++)
        g_string_append(json->text, "  ");
}

/* All that stands before a member's value. */
static void start_member(struct lag_json *json, const char *key)
{
    if (json->depth > 0) {
        uint32_t top = json->depth - 1;
        bool lines = json->open[top].layout == LAG_JSON_LINES;
        if (!json->open[top].empty)
            g_string_append(json->text, lines ? "," : ", ");
        if (lines)
            start_line(json, json->depth);
        json->open[top].empty = false;
    }
    if (key != NULL) {
        append_text(json->text, key);
        g_string_append(json->text, ": ");
    }
}

static void open_value(struct lag_json *json, const char *key, const char *brackets,
                       enum lag_json_layout layout)
{
    bool inside = json->depth > 0 && json->open[json->depth - 1].layout == LAG_JSON_ONE_LINE;

    assert(json->depth < LAG_JSON_MAX_DEPTH);
    start_member(json, key);
    g_string_append_c(json->text, brackets[0]);
    json->open[json->depth].closing = brackets[1];
    json->open[json->depth].empty = true;
    json->open[json->depth].layout = inside ? LAG_JSON_ONE_LINE : layout;
    json->depth++;
}

void lag_json_open_object(struct lag_json *json, const char *key, enum lag_json_layout layout)
{
    open_value(json, key, "{}", layout);
}

void lag_json_open_array(struct lag_json *json, const char *key, enum lag_json_layout layout)
{
    open_value(json, key, "[]", layout);
}

void lag_json_close(struct lag_json *json)
{
    assert(json->depth > 0);
    uint32_t top = --json->depth;
    if (json->open[top].layout == LAG_JSON_LINES && !json->open[top].empty)
        start_line(json, top);
    g_string_append_c(json->text, json->open[top].closing);
    if (top == 0)
        g_string_append_c(json->text, '\n');
}

void lag_json_null(struct lag_json *json, const char *key)
{
    start_member(json, key);
    g_string_append(json->text, "null");
}

void lag_json_string(struct lag_json *json, const char *key, const char *value)
{
    if (value == NULL) {
        lag_json_null(json, key);
        return;
    }
    start_member(json, key);
    append_text(json->text, value);
}

/* The shortest of the texts with 15 to 17 digits that reads back as the same number. */
static void append_number(GString *text, double value)
{
    static const char *const formats[] = {"%.15g", "%.16g", "%.17g"};
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_ascii_formatd(buffer, sizeof buffer, formats[i], value);
        if (g_ascii_strtod(buffer, NULL) == value)
            break;
    }
    g_string_append(text, buffer);
}

void lag_json_number(struct lag_json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        lag_json_null(json, key);
        return;
    }
    start_member(json, key);
    append_number(json->text, value == 0 ? 0 : value); /* no "-0" */
}

void lag_json_integer(struct lag_json *json, const char *key, int64_t value)
{
    start_member(json, key);
    lag_append_integer(json->text, value);
}

void lag_json_count(struct lag_json *json, const char *key, uint64_t value)
{
    start_member(json, key);
    lag_append_count(json->text, value);
}

void lag_json_boolean(struct lag_json *json, const char *key, bool value)
{
    start_member(json, key);
    g_string_append(json->text, value ? "true" : "false");
}
