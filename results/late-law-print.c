/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "results/late-law.h"

#define DIGITS "%.6g"

static void append_number(GString *text, double value)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append(text, g_ascii_formatd(buffer, sizeof buffer, DIGITS, value));
}

/* A time that reads back: six digits and a unit. */
static void append_time(GString *text, lag_seconds time)
{
    static const struct {
        const char *name;
        double per_second;
    } units[] = {
        {" s",  1  },
        {" ms", 1e3},
        {" us", 1e6},
        {" ns", 1e9}
    };
    size_t i = 0;

    while (time > 0 && i + 1 < G_N_ELEMENTS(units) && time * units[i].per_second < 1)
        i++;
    append_number(text, time * units[i].per_second);
    g_string_append(text, units[i].name);
}

static void append_parameters(const struct lag_law *law, GString *text)
{
    const struct lag_law_parameter *parameter = law->type->parameters;

    for (uint32_t i = 0; parameter[i].name != NULL; i++) {
        g_string_append_printf(text, "%s%s: ", i > 0 ? ", " : "", parameter[i].name);
        if (parameter[i].unit == LAG_LAW_OWN_UNIT)
            append_time(text, law->p[i]);
        else
            append_number(text, law->p[i]);
    }
}

void lag_late_print_law(const struct lag_law *law, GString *text)
{
    if (law->type == NULL) {
        g_string_append(text, "0 s");
    } else if (strcmp(law->type->name, "constant") == 0) {
        append_time(text, law->p[0]);
    } else {
        g_string_append_printf(text, "{%s: {", law->type->name);
        append_parameters(law, text);
        g_string_append(text, "}}");
    }
}

void lag_late_print_ranks(const struct lag_late *late, GString *text)
{
    g_string_append_c(text, '[');
    for (uint32_t i = 0; i < late->n_ranks;) {
        uint32_t end = i + 1;
        while (end < late->n_ranks && late->ranks[end] == late->ranks[end - 1] + 1)
            end++;
        if (end - i < 3)
            end = i + 1;
        g_string_append_printf(text, "%s%u", i > 0 ? ", " : "", late->ranks[i]);
        if (end - i > 1)
            g_string_append_printf(text, "-%u", late->ranks[end - 1]);
        i = end;
    }
    g_string_append_c(text, ']');
}

void lag_late_laws_print(const lag_late_laws *laws, GString *text)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < laws->n_entries; i++)
        n += laws->entries[i].law.type != NULL;
    g_string_append(text, n > 0 ? "stragglers:\n" : "stragglers: []\n");
    for (uint32_t i = 0; i < laws->n_entries; i++) {
        const struct lag_late *entry = &laws->entries[i];
        if (entry->law.type == NULL)
            continue;
        g_string_append(text, "  - {ranks: ");
        lag_late_print_ranks(entry, text);
        g_string_append(text, ", delay: ");
        lag_late_print_law(&entry->law, text);
        g_string_append(text, "}\n");
    }
}
