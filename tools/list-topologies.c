/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/list-topologies.h"

#include <string.h>

#include "results/json-writer.h"
#include "sim/network/topologies.h"

static const char *type_name(enum lag_topology_type type)
{
    static const char *const names[] = {
        [LAG_TOPOLOGY_INTEGER] = "integer",
        [LAG_TOPOLOGY_INTEGERS] = "list of integers",
        [LAG_TOPOLOGY_NUMBERS] = "number or list of numbers",
    };

    return names[type];
}

static void write_parameter(struct lag_json *json, const struct lag_topology_parameter *parameter)
{
    bool has_default = parameter->default_text != NULL && parameter->default_text[0] != '\0';

    lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
    lag_json_string(json, "name", parameter->name);
    lag_json_string(json, "help", parameter->help);
    lag_json_string(json, "type", type_name(parameter->type));
    lag_json_string(json, "default", has_default ? parameter->default_text : NULL);
    lag_json_boolean(json, "required", parameter->required);
    lag_json_number(json, "min", parameter->min);
    lag_json_number(json, "max", parameter->max);
    lag_json_close(json);
}

static void write_kind(struct lag_json *json, const struct lag_topology_kind *kind)
{
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    lag_json_string(json, "name", kind->name);
    lag_json_string(json, "summary", kind->summary);
    lag_json_string(json, "drawing", kind->drawing);
    lag_json_string(json, "bisection", kind->bisection_formula);
    lag_json_string(json, "routing", kind->routing);
    lag_json_open_array(json, "parameters", LAG_JSON_LINES);
    for (uint32_t i = 0; i < lag_topology_kind_n_parameters(kind); i++)
        write_parameter(json, &kind->parameters[i]);
    lag_json_close(json);
    lag_json_close(json);
}

static void append_parameter(GString *text, const struct lag_topology_parameter *parameter)
{
    const char *given = parameter->default_text != NULL ? parameter->default_text : "";

    g_string_append_printf(text, "  %-14s %s", parameter->name, parameter->help);
    if (parameter->required)
        g_string_append(text, " (required)");
    else if (given[0] != '\0')
        g_string_append_printf(text, " (default: %s)", given);
    g_string_append_c(text, '\n');
}

static void append_kind(GString *text, const struct lag_topology_kind *kind)
{
    g_auto(GStrv) lines = g_strsplit(kind->drawing, "\n", -1);

    g_string_append_printf(text, "%s: %s\n\n", kind->name, kind->summary);
    for (uint32_t i = 0; lines[i] != NULL; i++)
        if (lines[i][0] != '\0')
            g_string_append_printf(text, "  %s\n", lines[i]);
    g_string_append_printf(text, "\n  bisection      %s\n  ways           %s\n",
                           kind->bisection_formula, kind->routing);
    for (uint32_t i = 0; i < lag_topology_kind_n_parameters(kind); i++)
        append_parameter(text, &kind->parameters[i]);
}

void lag_list_topologies(bool json_wanted, GString *text)
{
    struct lag_json json;

    if (json_wanted) {
        lag_json_init(&json, text);
        lag_json_open_array(&json, NULL, LAG_JSON_LINES);
        for (uint32_t i = 0; lag_topologies[i] != NULL; i++)
            write_kind(&json, lag_topologies[i]);
        lag_json_close(&json);
        return;
    }
    for (uint32_t i = 0; lag_topologies[i] != NULL; i++) {
        if (i > 0)
            g_string_append_c(text, '\n');
        append_kind(text, lag_topologies[i]);
    }
    g_string_append(text, "\nB: bandwidth of a link, per direction; n: endpoints (GPUs, or NICs of "
                          "nodes)\n");
}
