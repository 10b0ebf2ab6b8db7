/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "results/format.h"
#include "results/json-writer.h"
#include "results/table.h"
#include "tools/calibrate.h"

static bool in_bytes(const struct lag_calibrated_kernel *kernel)
{
    return strcmp(kernel->unit, "B") == 0;
}

/* "1.5 GFLOP" or "1.5 GFLOP/s". */
static char *format_flops(double flops, const char *end)
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P"};
    size_t i = 0;

    if (!isfinite(flops))
        return g_strdup("-");
    for (; flops >= 999.95 && i + 1 < G_N_ELEMENTS(units); i++)
        flops /= 1000;
    return g_strdup_printf("%.4g %sFLOP%s", flops, units[i], end);
}

/* "1.41 MiB": where two lines meet is no round number. */
static char *bytes_text(double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;

    for (; bytes >= 1000 && i + 1 < G_N_ELEMENTS(units); i++)
        bytes /= 1024;
    return g_strdup_printf("%.3g %s", bytes, units[i]);
}

static char *amount_text(const struct lag_calibrated_kernel *kernel, double amount)
{
    return in_bytes(kernel) ? bytes_text(amount) : format_flops(amount, "");
}

static char *rate_text(const struct lag_calibrated_kernel *kernel, double rate)
{
    return in_bytes(kernel) ? lag_format_rate(rate) : format_flops(rate, "/s");
}

static void add_row(lag_table *table, const struct lag_calibrated_kernel *kernel, uint32_t i)
{
    const struct lag_segment *segment = &kernel->segments[i];

    lag_table_cell(table, i == 0 ? kernel->kernel : "");
    lag_table_cell(table, i == 0 ? kernel->dtype : "");
    lag_table_cell(table, i == 0 ? lag_cache_name(kernel->cache) : "");
    lag_table_take_cell(table, amount_text(kernel, segment->to));
    lag_table_take_cell(table, lag_format_seconds(segment->t0));
    lag_table_take_cell(table, rate_text(kernel, 1 / segment->slope));
    lag_table_take_cell(table, g_strdup_printf("%.1f %%", 100 * segment->residual_median));
    lag_table_take_cell(table, g_strdup_printf("%u", segment->n));
    lag_table_take_cell(table, g_strdup_printf("%u", segment->n_outliers));
}

void lag_calibration_table(GString *text, const lag_calibration_report *report)
{
    const struct lag_calibration_device *device = &report->device;
    g_autoptr(lag_table) table = lag_table_new();
    static const char *const headings[] = {"kernel", "dtype",    "cache",   "up to",   "t0",
                                           "rate",   "residual", "timings", "outliers"};
    bool any = false;

    g_string_append_printf(text, "%s: %s; %s, %s", device->backend, device->name, device->driver,
                           device->toolkit);
    if (device->threads > 0)
        g_string_append_printf(text, ", %u thread%s", device->threads,
                               device->threads == 1 ? "" : "s");
    if (report->db != NULL)
        g_string_append_printf(text, "; kept in %s", report->db);
    g_string_append(text, "\n\n");
    for (size_t i = 0; i < G_N_ELEMENTS(headings); i++)
        lag_table_column(table, headings[i], i >= 3);
    for (guint i = 0; i < report->kernels->len; i++) {
        const struct lag_calibrated_kernel *kernel = g_ptr_array_index(report->kernels, i);
        for (uint32_t k = 0; k < kernel->n_segments; k++)
            add_row(table, kernel, k);
        any = any || kernel->n_segments > 0;
    }
    if (!any)
        return;
    lag_table_print(table, text);
    g_string_append(
        text, "\ntime = t0 + amount / rate up to an amount: bytes of one vector, or FLOP of a "
              "matrix product\n"
              "residual: median of |time - measured| / measured\n");
}

static void print_device(struct lag_json *json, const lag_calibration_report *report)
{
    const struct lag_calibration_device *device = &report->device;

    lag_json_open_object(json, "device", LAG_JSON_LINES);
    lag_json_string(json, "backend", device->backend);
    lag_json_string(json, "name", device->name);
    lag_json_string(json, "uuid", device->uuid);
    lag_json_string(json, "driver", device->driver);
    lag_json_string(json, "toolkit", device->toolkit);
    lag_json_count(json, "threads", device->threads);
    lag_json_count(json, "memory_bytes", device->memory);
    lag_json_count(json, "cache_bytes", device->cache);
    lag_json_number(json, "clock_Hz", device->clock > 0 ? device->clock : NAN);
    lag_json_number(json, "memory_clock_Hz", report->memory_clock > 0 ? report->memory_clock : NAN);
    lag_json_close(json);
}

static void print_timings(struct lag_json *json, const struct lag_calibrated_kernel *kernel)
{
    lag_json_open_array(json, "timings", LAG_JSON_LINES);
    for (guint i = 0; i < kernel->timings->len; i++) {
        const struct lag_timing *timing = &g_array_index(kernel->timings, struct lag_timing, i);
        lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
        lag_json_count(json, "amount", timing->amount);
        lag_json_count(json, "traffic_bytes", timing->traffic);
        lag_json_count(json, "flops", timing->flops);
        lag_json_number(json, "median_s", timing->median);
        lag_json_number(json, "min_s", timing->min);
        lag_json_number(json, "p05_s", timing->p05);
        lag_json_number(json, "p95_s", timing->p95);
        lag_json_number(json, "max_s", timing->max);
        lag_json_number(json, "interval", timing->interval);
        lag_json_count(json, "repetitions", timing->repetitions);
        lag_json_count(json, "batch", timing->batch);
        lag_json_count(json, "outliers", timing->outliers);
        lag_json_close(json);
    }
    lag_json_close(json);
}

static void print_segments(struct lag_json *json, const struct lag_calibrated_kernel *kernel)
{
    lag_json_open_array(json, "fit", LAG_JSON_LINES);
    for (uint32_t i = 0; i < kernel->n_segments; i++) {
        const struct lag_segment *segment = &kernel->segments[i];
        lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
        lag_json_number(json, "from", segment->from);
        lag_json_number(json, "to", segment->to);
        lag_json_number(json, "t0_s", segment->t0);
        lag_json_number(json, "rate", 1 / segment->slope);
        lag_json_count(json, "timings", segment->n);
        lag_json_count(json, "outliers", segment->n_outliers);
        lag_json_number(json, "residual_median", segment->residual_median);
        lag_json_number(json, "residual_max", segment->residual_max);
        lag_json_close(json);
    }
    lag_json_close(json);
}

static void print_kernel(struct lag_json *json, const struct lag_calibrated_kernel *kernel)
{
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    lag_json_string(json, "kernel", kernel->kernel);
    lag_json_string(json, "dtype", kernel->dtype);
    lag_json_string(json, "cache", lag_cache_name(kernel->cache));
    lag_json_string(json, "unit", kernel->unit);
    print_timings(json, kernel);
    print_segments(json, kernel);
    lag_json_close(json);
}

void lag_calibration_json(GString *text, const lag_calibration_report *report, const char *version)
{
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_object(&json, NULL, LAG_JSON_LINES);
    lag_json_string(&json, "laggard", version);
    print_device(&json, report);
    lag_json_string(&json, "database", report->db);
    lag_json_open_array(&json, "kernels", LAG_JSON_LINES);
    for (guint i = 0; i < report->kernels->len; i++)
        print_kernel(&json, g_ptr_array_index(report->kernels, i));
    lag_json_close(&json);
    lag_json_open_array(&json, "skipped", LAG_JSON_LINES);
    for (guint i = 0; i < report->skipped->len; i++) {
        const struct lag_skipped_kernel *skipped = g_ptr_array_index(report->skipped, i);
        lag_json_open_object(&json, NULL, LAG_JSON_ONE_LINE);
        lag_json_string(&json, "kernel", skipped->kernel);
        lag_json_string(&json, "dtype", skipped->dtype);
        lag_json_string(&json, "reason", skipped->reason);
        lag_json_close(&json);
    }
    lag_json_close(&json);
    lag_json_close(&json);
}
