/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/csv.h"

#include <string.h>

static const char byte_order_mark[] = {'\xef', '\xbb', '\xbf'};

void lag_csv_init(struct lag_csv *csv, GBytes *contents)
{
    size_t length = 0;
    const char *text = g_bytes_get_data(contents, &length);

    *csv = (struct lag_csv){.rest = text, .end = length > 0 ? text + length : text};
    csv->fields = g_ptr_array_new_with_free_func(g_free);
    if (length >= sizeof(byte_order_mark) && memcmp(text, byte_order_mark, 3) == 0)
        csv->rest += sizeof(byte_order_mark);
}

void lag_csv_clear(struct lag_csv *csv)
{
    g_clear_pointer(&csv->fields, g_ptr_array_unref);
}

/* The end of a field that starts at c: the comma after it, or the end of the line. */
static const char *field_end(const char *c, const char *end)
{
    bool quoted = false;

    while (c < end && (quoted || *c != ',')) {
        quoted = quoted != (*c == '"');
        c++;
    }
    return c;
}

/* Without blanks around it; without quotes, "" inside them being one. */
static char *field_text(const char *start, const char *end)
{
    char *text = g_strstrip(g_strndup(start, (size_t)(end - start)));
    size_t length = strlen(text), kept = 0;

    if (length < 2 || text[0] != '"' || text[length - 1] != '"')
        return text;
    for (size_t i = 1; i + 1 < length; i++) {
        text[kept++] = text[i];
        i += text[i] == '"' && text[i + 1] == '"';
    }
    text[kept] = '\0';
    return text;
}

static void split(struct lag_csv *csv, const char *line, const char *end)
{
    g_ptr_array_set_size(csv->fields, 0);
    for (const char *c = line;; c++) {
        const char *stop = field_end(c, end);
        g_ptr_array_add(csv->fields, field_text(c, stop));
        if (stop == end)
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
