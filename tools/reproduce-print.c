/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "results/csv.h"
#include "results/json-writer.h"
#include "results/table.h"
#include "tools/data-folder.h"
#include "tools/reproduce.h"

const char *lag_reproduced_name(enum lag_reproduced_verdict verdict)
{
    static const char *const names[] = {
        [LAG_REPRODUCED] = "reproduced",
        [LAG_NOT_REPRODUCED] = "NOT REPRODUCED",
        [LAG_FITTED] = "fitted",
        [LAG_NO_RESULT] = "NO RESULT",
        [LAG_BETTER] = "better",
        [LAG_SAME] = "the same",
        [LAG_WORSE] = "WORSE",
        [LAG_AS_MEASURED] = "measured",
        [LAG_NOT_SIMULATED] = "not simulated",
        [LAG_SHOWN] = "explored",
    };

    return names[verdict];
}

static char *number_text(double number, const char *unit)
{
    if (!isfinite(number))
        return g_strdup("-");
    if (strcmp(unit, "count") == 0 || strcmp(unit, "B") == 0) /* all digits */
        return g_strdup_printf("%.10g%s", number, strcmp(unit, "B") == 0 ? " B" : "");
    return g_strdup_printf("%.6g %s", number, unit);
}

/* Half a unit in the last place is shown as it is: three digits. */
static char *tolerance_text(const struct lag_published_row *row)
{
    if (!isfinite(row->tolerance))
        return g_strdup("-");
    return g_strdup_printf("%.3g", row->tolerance);
}

static char *deviation_text(double deviation)
{
    if (!isfinite(deviation))
        return g_strdup("-");
    return fabs(deviation) < 5e-6 ? g_strdup("0 %") : g_strdup_printf("%+.3f %%", 100 * deviation);
}

static void count_verdicts(const lag_reproduction *reproduction, GString *text)
{
    bool is_first = true;

    for (int verdict = LAG_REPRODUCED; verdict <= LAG_SHOWN; verdict++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < reproduction->paper->n_rows; i++)
            n += reproduction->rows[i].verdict == (enum lag_reproduced_verdict)verdict;
        if (n == 0)
            continue;
        g_string_append_printf(text, "%s%u %s", is_first ? "" : ", ", n,
                               lag_reproduced_name((enum lag_reproduced_verdict)verdict));
        is_first = false;
    }
    g_string_append_c(text, '\n');
}

void lag_reproduction_table(const lag_reproduction *reproduction, GString *text)
{
    static const struct {
        const char *name;
        bool right;
    } columns[] = {
        {"row",       false},
        {"what",      false},
        {"kind",      false},
        {"published", true },
        {"simulated", true },
        {"deviation", true },
        {"tolerance", true },
        {"verdict",   false},
        {"source",    false},
    };
    g_autoptr(lag_table) table = lag_table_new();

    g_string_append_printf(text, "%s: %s\n%s\n\n", reproduction->paper->name,
                           reproduction->paper->title, reproduction->paper->source);
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        lag_table_column(table, columns[i].name, columns[i].right);
    for (uint32_t i = 0; i < reproduction->paper->n_rows; i++) {
        const struct lag_reproduced_row *row = &reproduction->rows[i];
        const struct lag_published_row *published = row->published;
        lag_table_cell(table, published->id);
        lag_table_cell(table, published->what);
        lag_table_cell(table, lag_published_kind_name(published->kind));
        lag_table_take_cell(table, number_text(published->value, published->unit));
        lag_table_take_cell(table, number_text(row->simulated, published->unit));
        lag_table_take_cell(table, deviation_text(row->deviation));
        lag_table_take_cell(table, tolerance_text(published));
        lag_table_cell(table, lag_reproduced_name(row->verdict));
        lag_table_cell(table, published->source);
    }
    lag_table_print(table, text);
    for (uint32_t i = 0; i < reproduction->paper->n_rows; i++)
        if (reproduction->rows[i].message != NULL)
            g_string_append_printf(text, "%s: %s\n", reproduction->rows[i].published->id,
                                   reproduction->rows[i].message);
    g_string_append_c(text, '\n');
    count_verdicts(reproduction, text);
}

static void append_csv_row(const lag_reproduction *reproduction, uint32_t i, GString *text)
{
    const struct lag_reproduced_row *row = &reproduction->rows[i];
    const struct lag_published_row *published = row->published;
    const char *words[] = {reproduction->paper->name, published->id, published->what,
                           lag_published_kind_name(published->kind), published->unit};
    double numbers[] = {published->value, row->simulated, row->deviation, published->tolerance};

    for (size_t k = 0; k < G_N_ELEMENTS(words); k++) {
        lag_csv_text(text, words[k]);
        g_string_append_c(text, ',');
    }
    for (size_t k = 0; k < G_N_ELEMENTS(numbers); k++) {
        lag_csv_number(text, numbers[k]);
        g_string_append_c(text, ',');
    }
    lag_csv_text(text, lag_reproduced_name(row->verdict));
    g_string_append_c(text, ',');
    lag_csv_text(text, published->source);
    g_string_append(text, "\r\n");
}

void lag_reproduction_csv(lag_reproduction *const *all, uint32_t n, GString *text)
{
    g_string_append(text, "paper,id,what,kind,unit,published,simulated,deviation,tolerance,verdict,"
                          "source\r\n");
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t i = 0; i < all[p]->paper->n_rows; i++)
            append_csv_row(all[p], i, text);
}

static void write_row(struct lag_json *json, const struct lag_reproduced_row *row)
{
    const struct lag_published_row *published = row->published;

    lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
    lag_json_string(json, "id", published->id);
    lag_json_string(json, "what", published->what);
    lag_json_string(json, "kind", lag_published_kind_name(published->kind));
    lag_json_string(json, "unit", published->unit);
    lag_json_number(json, "published", published->value);
    lag_json_number(json, "simulated", row->simulated);
    lag_json_number(json, "deviation", row->deviation);
    lag_json_number(json, "tolerance", published->tolerance);
    lag_json_string(json, "verdict", lag_reproduced_name(row->verdict));
    lag_json_string(json, "message", row->message);
    lag_json_string(json, "scenario", published->scenario);
    lag_json_string(json, "point", published->point);
    lag_json_string(json, "expression", published->expression);
    lag_json_string(json, "source", published->source);
    lag_json_close(json);
}

void lag_reproduction_json(lag_reproduction *const *all, uint32_t n, const char *version,
                           GString *text)
{
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_object(&json, NULL, LAG_JSON_LINES);
    lag_json_string(&json, "laggard", version);
    lag_json_open_array(&json, "papers", LAG_JSON_LINES);
    for (uint32_t p = 0; p < n; p++) {
        lag_json_open_object(&json, NULL, LAG_JSON_LINES);
        lag_json_string(&json, "name", all[p]->paper->name);
        lag_json_string(&json, "title", all[p]->paper->title);
        lag_json_string(&json, "source", all[p]->paper->source);
        lag_json_count(&json, "failed", all[p]->n_failed);
        lag_json_open_array(&json, "rows", LAG_JSON_LINES);
        for (uint32_t i = 0; i < all[p]->paper->n_rows; i++)
            write_row(&json, &all[p]->rows[i]);
        lag_json_close(&json);
        lag_json_close(&json);
    }
    lag_json_close(&json);
    lag_json_close(&json);
}

static void write_paper(struct lag_json *json, const lag_published *paper)
{
    lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
    lag_json_string(json, "name", paper->name);
    lag_json_string(json, "title", paper->title);
    lag_json_string(json, "source", paper->source);
    lag_json_count(json, "rows", paper->n_rows);
    lag_json_close(json);
}

bool lag_list_papers(bool json_wanted, GString *text, GError **error)
{
    g_autofree char *folder = lag_data_folder(NULL);
    g_auto(GStrv) names = lag_papers(folder, error);
    g_autoptr(lag_table) table = lag_table_new();
    struct lag_json json;

    if (names == NULL)
        return false;
    lag_json_init(&json, text);
    if (json_wanted)
        lag_json_open_array(&json, NULL, LAG_JSON_LINES);
    lag_table_column(table, "name", false);
    lag_table_column(table, "rows", true);
    lag_table_column(table, "title", false);
    for (char **name = names; *name != NULL; name++) {
        g_autoptr(lag_published) paper = lag_paper_load(folder, *name, error);
        if (paper == NULL)
            return false;
        if (json_wanted)
            write_paper(&json, paper);
        lag_table_cell(table, paper->name);
        lag_table_take_cell(table, g_strdup_printf("%u", paper->n_rows));
        lag_table_cell(table, paper->title);
    }
    if (json_wanted)
        lag_json_close(&json);
    else
        lag_table_print(table, text);
    return true;
}
