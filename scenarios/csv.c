/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/csv.h"

#include <string.h>

static const char byte_order_mark[] = {'\xef', '\xbb', '\xbf'};

void lag_csv_init(struct lag_csv *csv, GBytes *contents)
{
    size_t length = 0;
    const char *text = g_bytes_get_data(contents, &length);

    *csv = (struct lag_csv){.rest = text, .end = length > 0 ? text + length : text};
    csv->fields = g_ptr_array_new();
    csv->text = g_string_new(NULL);
    if (length >= sizeof(byte_order_mark) && memcmp(text, byte_order_mark, 3) == 0)
        csv->rest += sizeof(byte_order_mark);
}

void lag_csv_clear(struct lag_csv *csv)
{
    g_clear_pointer(&csv->fields, g_ptr_array_unref);
    if (csv->text != NULL)
        g_string_free(csv->text, TRUE);
    csv->text = NULL;
}

/* The end of a field that starts at c: the comma after it, or the end of the line. */
static char *field_end(char *c, const char *end)
{
    bool quoted = false;

    while (c < end && (quoted || *c != ',')) {
        quoted = quoted != (*c == '"');
        c++;
    }
    return c;
}

/* What is between start and end, without blanks around it; without quotes, "" inside them being
 * one. */
static char *field_text(char *start, char *end)
{
    size_t kept = 0;

    while (start < end && g_ascii_isspace(*start))
        start++;
    while (start < end && g_ascii_isspace(end[-1]))
        end--;
    *end = '\0';
    if (end - start < 2 || start[0] != '"' || end[-1] != '"')
        return start;
    for (char *c = start + 1; c < end - 1; c++) {
        start[kept++] = *c;
        c += c[0] == '"' && c[1] == '"';
    }
    start[kept] = '\0';
    return start;
}

static void split(struct lag_csv *csv, const char *line, const char *end)
{
    g_string_truncate(csv->text, 0);
    g_string_append_len(csv->text, line, end - line);
    g_ptr_array_set_size(csv->fields, 0);
    for (char *c = csv->text->str;; c++) {
        char *stop = field_end(c, csv->text->str + csv->text->len);
        bool last = stop == csv->text->str + csv->text->len;
        g_ptr_array_add(csv->fields, field_text(c, stop));
        if (last)
            return;
        c = stop;
    }
}

bool lag_csv_next(struct lag_csv *csv)
{
    while (csv->rest < csv->end) {
        const char *line = csv->rest;
        const char *end = memchr(line, '\n', (size_t)(csv->end - line));
        end = end != NULL ? end : csv->end;
        csv->rest = end < csv->end ? end + 1 : end;
        csv->line++;
        while (line < end && g_ascii_isspace(*line))
            line++;
        if (line < end && *line != '#') {
            split(csv, line, end);
            return true;
        }
    }
    return false;
}
