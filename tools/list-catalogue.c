/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/list-catalogue.h"

#include <math.h>

#include "results/format.h"
#include "results/json-writer.h"
#include "results/table.h"
#include "scenarios/catalogue.h"

/* A figure that nobody knows is null, or "-". */
static double known(double value)
{
    return value > 0 ? value : NAN;
}

static void write_gpu(struct lag_json *json, const struct lag_gpu *gpu)
{
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    lag_json_string(json, "name", gpu->name);
    lag_json_string(json, "architecture", gpu->architecture);
    lag_json_count(json, "year", gpu->year);
    lag_json_open_object(json, "peak_flops_per_s", LAG_JSON_ONE_LINE);
    for (int p = 0; p < LAG_N_PRECISIONS; p++)
        lag_json_number(json, lag_precision_name((enum lag_precision)p), known(gpu->peak[p]));
    lag_json_close(json);
    lag_json_number(json, "memory_bytes", known(gpu->memory));
    lag_json_number(json, "memory_Bps", known(gpu->memory_rate));
    lag_json_number(json, "links_Bps_per_direction", known(gpu->link_rate));
    lag_json_string(json, "links", gpu->links);
    lag_json_string(json, "host_link", gpu->host_link);
    lag_json_number(json, "power_W", known(gpu->power));
    lag_json_number(json, "measured_matmul_flops_per_s", known(gpu->measured_matmul));
    lag_json_string(json, "trust", lag_trust_name(gpu->trust));
    lag_json_string(json, "source", gpu->source);
    lag_json_string(json, "notes", gpu->notes);
    lag_json_close(json);
}

static void write_link(struct lag_json *json, const struct lag_link_type *link)
{
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    lag_json_string(json, "name", link->name);
    lag_json_string(json, "kind", link->kind);
    lag_json_number(json, "nominal_Bps_per_direction", known(link->nominal));
    lag_json_number(json, "achievable_Bps_per_direction", known(link->achievable));
    lag_json_number(json, "hop_latency_s", known(link->latency));
    lag_json_string(json, "scope", link->scope);
    lag_json_string(json, "trust", lag_trust_name(link->trust));
    lag_json_string(json, "source", link->source);
    lag_json_string(json, "notes", link->notes);
    lag_json_close(json);
}

static void take_number(lag_table *table, double value, double unit)
{
    lag_table_take_cell(table, value > 0 ? g_strdup_printf("%.5g", value / unit) : g_strdup("-"));
}

static void print_gpus(const lag_catalogue *catalogue, GString *text)
{
    static const char *const columns[] = {"memory",   "memory rate", "fp32 TF/s", "fp16 TF/s",
                                          "fp8 TF/s", "links/dir",   "W"};
    g_autoptr(lag_table) table = lag_table_new();

    lag_table_column(table, "name", false);
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        lag_table_column(table, columns[i], true);
    lag_table_column(table, "figures", false);
    for (guint i = 0; i < catalogue->gpus->len; i++) {
        const struct lag_gpu *gpu = &g_array_index(catalogue->gpus, struct lag_gpu, i);
        lag_table_cell(table, gpu->name);
        lag_table_take_cell(table, g_strdup_printf("%g GB", gpu->memory / 1e9));
        lag_table_take_cell(table, lag_format_rate(gpu->memory_rate));
        take_number(table, gpu->peak[LAG_FP32], 1e12);
        take_number(table, gpu->peak[LAG_FP16], 1e12);
        take_number(table, gpu->peak[LAG_FP8], 1e12);
        lag_table_take_cell(table, lag_format_rate(known(gpu->link_rate)));
        take_number(table, gpu->power, 1);
        lag_table_cell(table, lag_trust_name(gpu->trust));
    }
    lag_table_print(table, text);
}

static void print_links(const lag_catalogue *catalogue, GString *text)
{
    g_autoptr(lag_table) table = lag_table_new();

    lag_table_column(table, "name", false);
    lag_table_column(table, "kind", false);
    lag_table_column(table, "data sheet", true);
    lag_table_column(table, "achievable", true);
    lag_table_column(table, "hop latency", true);
    lag_table_column(table, "figures", false);
    for (guint i = 0; i < catalogue->links->len; i++) {
        const struct lag_link_type *link =
            &g_array_index(catalogue->links, struct lag_link_type, i);
        lag_table_cell(table, link->name);
        lag_table_cell(table, link->kind);
        lag_table_take_cell(table, lag_format_rate(known(link->nominal)));
        lag_table_take_cell(table, lag_format_rate(known(link->achievable)));
        lag_table_take_cell(table, lag_format_seconds(known(link->latency)));
        lag_table_cell(table, lag_trust_name(link->trust));
    }
    lag_table_print(table, text);
}

void lag_list_gpus(bool json_wanted, GString *text)
{
    g_autoptr(lag_catalogue) catalogue = lag_catalogue_new();
    struct lag_json json;

    if (!json_wanted) {
        print_gpus(catalogue, text);
        return;
    }
    lag_json_init(&json, text);
    lag_json_open_array(&json, NULL, LAG_JSON_LINES);
    for (guint i = 0; i < catalogue->gpus->len; i++)
        write_gpu(&json, &g_array_index(catalogue->gpus, struct lag_gpu, i));
    lag_json_close(&json);
}

void lag_list_links(bool json_wanted, GString *text)
{
    g_autoptr(lag_catalogue) catalogue = lag_catalogue_new();
    struct lag_json json;

    if (!json_wanted) {
        print_links(catalogue, text);
        return;
    }
    lag_json_init(&json, text);
    lag_json_open_array(&json, NULL, LAG_JSON_LINES);
    for (guint i = 0; i < catalogue->links->len; i++)
        write_link(&json, &g_array_index(catalogue->links, struct lag_link_type, i));
    lag_json_close(&json);
}
