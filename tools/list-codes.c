/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/list-codes.h"

#include "algorithms/codes/codes.h"
#include "results/json-writer.h"
#include "results/table.h"

static const struct {
    unsigned bit;
    const char *name;
} uses[] = {
    {LAG_CODE_COPIES,        "copies"       },
    {LAG_CODE_COLLECT,       "collect"      },
    {LAG_CODE_PARTS,         "parts"        },
    {LAG_CODE_CANDIDATES,    "candidates"   },
    {LAG_CODE_LATE,          "late"         },
    {LAG_CODE_LEAST_SQUARES, "least_squares"},
};

static char *uses_text(const struct lag_code_kind *kind)
{
    GString *text = g_string_new(NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(uses); i++)
        if (kind->uses & uses[i].bit)
            g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", uses[i].name);
    return g_string_free(text, FALSE);
}

static void write_kind(struct lag_json *json, const struct lag_code_kind *kind)
{
    lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
    lag_json_string(json, "name", kind->name);
    lag_json_string(json, "summary", kind->summary);
    lag_json_string(json, "source", kind->source);
    lag_json_boolean(json, "approximate", kind->approximate);
    lag_json_open_array(json, "parameters", LAG_JSON_ONE_LINE);
    for (size_t i = 0; i < G_N_ELEMENTS(uses); i++)
        if (kind->uses & uses[i].bit)
            lag_json_string(json, NULL, uses[i].name);
    lag_json_close(json);
    lag_json_close(json);
}

void lag_list_codes(bool json_wanted, GString *text)
{
    g_autoptr(lag_table) table = lag_table_new();
    struct lag_json json;

    if (json_wanted) {
        lag_json_init(&json, text);
        lag_json_open_array(&json, NULL, LAG_JSON_LINES);
        for (size_t i = 0; lag_code_kinds[i] != NULL; i++)
            write_kind(&json, lag_code_kinds[i]);
        lag_json_close(&json);
        return;
    }
    lag_table_column(table, "name", false);
    lag_table_column(table, "decodes", false);
    lag_table_column(table, "parameters", false);
    lag_table_column(table, "summary", false);
    for (size_t i = 0; lag_code_kinds[i] != NULL; i++) {
        lag_table_cell(table, lag_code_kinds[i]->name);
        lag_table_cell(table, lag_code_kinds[i]->approximate ? "with an error" : "exactly");
        lag_table_take_cell(table, uses_text(lag_code_kinds[i]));
        lag_table_cell(table, lag_code_kinds[i]->summary);
    }
    lag_table_print(table, text);
}
