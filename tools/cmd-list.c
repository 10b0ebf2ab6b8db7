/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "algorithms/algorithms.h"
#include "results/json-writer.h"
#include "results/table.h"
#include "sim/law.h"
#include "tools/command.h"
#include "tools/list-catalogue.h"
#include "tools/list-codes.h"
#include "tools/list-topologies.h"
#include "tools/output.h"
#include "tools/reproduce.h"

struct entry {
    const char *name, *summary;
};

static const struct entry collective_list[] = {
    {"allreduce",      "every rank ends with the sum of all buffers"},
    {"reduce-scatter", "every rank ends with its share of the sum"  },
    {"all-gather",     "every rank ends with the shares of all"     },
    {"broadcast",      "every rank ends with the root's buffer"     },
    {"reduce",         "the root ends with the sum"                 },
    {NULL,             NULL                                         },
};

static void append_entries(const struct entry *entries, bool json_wanted, GString *text)
{
    g_autoptr(lag_table) table = lag_table_new();
    struct lag_json json;

    lag_json_init(&json, text);
    if (json_wanted)
        lag_json_open_array(&json, NULL, LAG_JSON_LINES);
    lag_table_column(table, "name", false);
    lag_table_column(table, "summary", false);
    for (; entries->name != NULL; entries++) {
        lag_table_cell(table, entries->name);
        lag_table_cell(table, entries->summary);
        if (!json_wanted)
            continue;
        lag_json_open_object(&json, NULL, LAG_JSON_ONE_LINE);
        lag_json_string(&json, "name", entries->name);
        lag_json_string(&json, "summary", entries->summary);
        lag_json_close(&json);
    }
    if (json_wanted)
        lag_json_close(&json);
    else
        lag_table_print(table, text);
}

static const char *type_name(enum laggard_type type)
{
    static const char *const names[] = {
        [LAGGARD_INTEGER] = "integer",   [LAGGARD_COUNT] = "integer or auto",
        [LAGGARD_RANK] = "rank",         [LAGGARD_CHOICE] = "choice",
        [LAGGARD_SHARE] = "share, 90 %", [LAGGARD_TIME] = "time, 1 ms",
        [LAGGARD_NUMBER] = "number",
    };

    return names[type];
}

static void write_parameter(struct lag_json *json, const struct laggard_parameter *parameter)
{
    lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
    lag_json_string(json, "name", parameter->name);
    lag_json_string(json, "help", parameter->help);
    lag_json_string(json, "type", type_name(parameter->type));
    lag_json_string(json, "default",
                    parameter->default_text[0] == '\0' ? NULL : parameter->default_text);
    if (parameter->max > parameter->min) {
        lag_json_number(json, "min", parameter->min);
        lag_json_number(json, "max", parameter->max);
    }
    if (parameter->type == LAGGARD_CHOICE)
        lag_json_string(json, "choices", parameter->choices);
    lag_json_close(json);
}

static void write_algorithm(struct lag_json *json, const struct laggard_algorithm *algorithm)
{
    uint32_t n_parameters = lag_algorithm_n_parameters(algorithm);

    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    lag_json_string(json, "name", algorithm->name);
    lag_json_string(json, "summary", algorithm->summary);
    lag_json_string(json, "formula", algorithm->formula);
    lag_json_string(json, "source", algorithm->source);
    lag_json_open_array(json, "collectives", LAG_JSON_ONE_LINE);
    for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++)
        if (algorithm->collectives & LAGGARD_BIT(c))
            lag_json_string(json, NULL, laggard_collective_name((enum laggard_collective)c));
    lag_json_close(json);
    lag_json_open_array(json, "needs", LAG_JSON_ONE_LINE);
    if (algorithm->needs & LAGGARD_ADDING_SWITCH)
        lag_json_string(json, NULL, "switch that adds");
    if (algorithm->needs & LAGGARD_POWER_OF_TWO)
        lag_json_string(json, NULL, "2^k ranks");
    lag_json_close(json);
    lag_json_open_array(json, "parameters", LAG_JSON_LINES);
    for (uint32_t i = 0; i < n_parameters; i++)
        write_parameter(json, &algorithm->parameters[i]);
    lag_json_close(json);
    lag_json_close(json);
}

static char *collective_words(unsigned collectives)
{
    g_autoptr(GString) words = g_string_new(NULL);

    for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++)
        if (collectives & LAGGARD_BIT(c))
            g_string_append_printf(words, "%s%s", words->len > 0 ? ", " : "",
                                   laggard_collective_name((enum laggard_collective)c));
    return g_strdup(words->str);
}

static void append_algorithms(bool json_wanted, GString *text)
{
    g_autoptr(lag_table) table = lag_table_new();
    struct lag_json json;

    if (json_wanted) {
        lag_json_init(&json, text);
        lag_json_open_array(&json, NULL, LAG_JSON_LINES);
        for (size_t i = 0; lag_algorithms[i] != NULL; i++)
            write_algorithm(&json, lag_algorithms[i]);
        lag_json_close(&json);
        return;
    }
    lag_table_column(table, "name", false);
    lag_table_column(table, "collectives", false);
    lag_table_column(table, "needs", false);
    lag_table_column(table, "summary", false);
    for (size_t i = 0; lag_algorithms[i] != NULL; i++) {
        const struct laggard_algorithm *algorithm = lag_algorithms[i];
        lag_table_cell(table, algorithm->name);
        lag_table_take_cell(table, collective_words(algorithm->collectives));
        lag_table_cell(table, algorithm->needs & LAGGARD_POWER_OF_TWO    ? "2^k ranks"
                              : algorithm->needs & LAGGARD_ADDING_SWITCH ? "switch that adds"
                                                                         : "");
        lag_table_cell(table, algorithm->summary);
    }
    lag_table_print(table, text);
}

static const char *drawn_text(enum lag_law_time time)
{
    static const char *const texts[] = {
        [LAG_EACH_STEP] = "each step",
        [LAG_ONCE_A_JOB] = "once a job",
        [LAG_MARKOV] = "moves each step",
    };

    return texts[time];
}

static const char *unit_text(enum lag_law_unit unit)
{
    static const char *const texts[] = {
        [LAG_LAW_OWN_UNIT] = "time or factor",
        [LAG_LAW_POSITIVE] = "number above 0",
        [LAG_LAW_REAL] = "number",
        [LAG_LAW_PROBABILITY] = "probability",
    };

    return texts[unit];
}

/* As it stands behind the law's name in a scenario. */
static char *law_parameters(const struct lag_law_type *type)
{
    g_autoptr(GString) text = g_string_new("{");

    if (type->made == LAG_LAW_OF_VALUE)
        return g_strdup(type->parameters[0].name);
    if (type->made == LAG_LAW_OF_PARTS)
        return g_strdup("[{weight, law}, ...]");
    if (type->made == LAG_LAW_OF_SAMPLE)
        return g_strdup("{file, unit}");
    for (uint32_t i = 0; type->parameters[i].name != NULL; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", type->parameters[i].name);
    g_string_append_c(text, '}');
    return g_strdup(text->str);
}

static void write_law(struct lag_json *json, const struct lag_law_type *type)
{
    g_autofree char *form = law_parameters(type);

    lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
    lag_json_string(json, "name", type->name);
    lag_json_string(json, "summary", type->summary);
    lag_json_string(json, "source", type->source);
    lag_json_string(json, "form", form);
    lag_json_string(json, "mean", type->mean_formula);
    lag_json_string(json, "drawn", drawn_text(type->time));
    lag_json_string(json, "of", type->factor_only ? "factors" : "both");
    lag_json_open_array(json, "parameters", LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; type->parameters[i].name != NULL; i++) {
        lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
        lag_json_string(json, "name", type->parameters[i].name);
        lag_json_string(json, "type", unit_text(type->parameters[i].unit));
        lag_json_string(json, "help", type->parameters[i].help);
        lag_json_close(json);
    }
    lag_json_close(json);
    lag_json_close(json);
}

static void append_laws(bool json_wanted, GString *text)
{
    static const char *const columns[] = {"name", "parameters", "of", "drawn", "mean", "summary"};
    g_autoptr(lag_table) table = lag_table_new();
    struct lag_json json;

    if (json_wanted) {
        lag_json_init(&json, text);
        lag_json_open_array(&json, NULL, LAG_JSON_LINES);
        for (size_t i = 0; lag_law_types[i] != NULL; i++)
            write_law(&json, lag_law_types[i]);
        lag_json_close(&json);
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        lag_table_column(table, columns[i], false);
    for (size_t i = 0; lag_law_types[i] != NULL; i++) {
        const struct lag_law_type *type = lag_law_types[i];
        lag_table_cell(table, type->name);
        lag_table_take_cell(table, law_parameters(type));
        lag_table_cell(table, type->factor_only ? "factors" : "both");
        lag_table_cell(table, drawn_text(type->time));
        lag_table_cell(table, type->mean_formula);
        lag_table_cell(table, type->summary);
    }
    lag_table_print(table, text);
}

/* What can be listed: entries, or what a function appends. */
static const struct list {
    const char *name;
    const struct entry *entries;
    void (*append)(bool json_wanted, GString *text);
    bool (*read)(bool json_wanted, GString *text, GError **error); /* what may not be there */
} lists[] = {
    {"algorithms",  NULL,            append_algorithms,   NULL           },
    {"topologies",  NULL,            lag_list_topologies, NULL           },
    {"laws",        NULL,            append_laws,         NULL           },
    {"gpus",        NULL,            lag_list_gpus,       NULL           },
    {"links",       NULL,            lag_list_links,      NULL           },
    {"collectives", collective_list, NULL,                NULL           },
    {"codes",       NULL,            lag_list_codes,      NULL           },
    {"papers",      NULL,            NULL,                lag_list_papers},
};

static bool append_list(char *const *what, const char *format, GString *text, GError **error)
{
    static const char *const formats[] = {"table", "json", NULL};
    const char *names[G_N_ELEMENTS(lists) + 1] = {NULL};

    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        names[i] = lists[i].name;
    if (!lag_command_count(what, 1, 1, "WHAT", error))
        return false;
    int list = lag_command_choice("list", what[0], names, error);
    int chosen = list < 0 ? -1 : lag_command_choice("--format", format, formats, error);
    if (chosen < 0)
        return false;
    if (lists[list].read != NULL)
        return lists[list].read(chosen == 1, text, error);
    if (lists[list].append != NULL)
        lists[list].append(chosen == 1, text);
    else
        append_entries(lists[list].entries, chosen == 1, text);
    return true;
}

int lag_cmd_list(const struct lag_command *command, int argc, char **argv)
{
    g_auto(GStrv) what = NULL;
    g_autofree char *format = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = {
        {"format",           0, 0, G_OPTION_ARG_STRING,       &format, "how to print (default: table)",
         "table|json"                                                                                       },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &what,   NULL,                            NULL},
        {NULL,               0, 0, G_OPTION_ARG_NONE,         NULL,    NULL,                            NULL},
    };

    if (!lag_command_parse(command, entries, &argc, &argv, &error) ||
        !append_list(what, format, text, &error) || !lag_output_text(NULL, text, &error))
        return lag_command_fail(error);
    return LAG_EXIT_OK;
}
