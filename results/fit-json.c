/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "results/fit-report.h"
#include "results/json-writer.h"

static void write_quantiles(struct lag_json *json, const char *key, const struct lag_quantiles *q)
{
    lag_json_open_object(json, key, LAG_JSON_ONE_LINE);
    lag_json_count(json, "n", q->n);
    lag_json_number(json, "mean", q->mean);
    lag_json_number(json, "stddev", q->sd);
    lag_json_number(json, "min", q->min);
    lag_json_number(json, "p10", q->p10);
    lag_json_number(json, "p25", q->p25);
    lag_json_number(json, "p50", q->p50);
    lag_json_number(json, "p75", q->p75);
    lag_json_number(json, "p90", q->p90);
    lag_json_number(json, "max", q->max);
    lag_json_close(json);
}

static void write_slope(struct lag_json *json, const char *key, struct lag_slope slope)
{
    lag_json_open_object(json, key, LAG_JSON_ONE_LINE);
    lag_json_number(json, "slope", slope.slope);
    lag_json_number(json, "standard_error", slope.error);
    lag_json_close(json);
}

static void write_rank(struct lag_json *json, uint32_t number, const struct lag_rank_stats *rank)
{
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    lag_json_count(json, "rank", number);
    lag_json_count(json, "last", rank->n_last);
    lag_json_number(json, "share", rank->share);
    lag_json_number(json, "share_ci95_low", rank->share_low);
    lag_json_number(json, "share_ci95_high", rank->share_high);
    lag_json_boolean(json, "persistent", rank->persistent);
    lag_json_number(json, "lateness_s", rank->lateness);
    lag_json_number(json, "lateness_stddev_s", rank->lateness_sd);
    lag_json_number(json, "wait_s", rank->wait);
    lag_json_number(json, "idle", rank->idle);
    write_quantiles(json, "gap_s", &rank->gap);
    lag_json_number(json, "last_autocorrelation", rank->last_correlation);
    lag_json_number(json, "lateness_autocorrelation", rank->lateness_correlation);
    write_slope(json, "drift_s_per_step", rank->drift);
    lag_json_close(json);
}

static void write_stats(struct lag_json *json, const lag_trace_stats *stats)
{
    lag_json_count(json, "ties", stats->n_ties);
    write_quantiles(json, "gap_s", &stats->gap);
    write_quantiles(json, "spread_s", &stats->spread);
    write_slope(json, "gap_drift_s_per_step", stats->gap_drift);
    write_slope(json, "spread_drift_s_per_step", stats->spread_drift);
    lag_json_open_object(json, "idle", LAG_JSON_ONE_LINE);
    lag_json_number(json, "mean", stats->idle);
    lag_json_number(json, "min", stats->idle_low);
    lag_json_number(json, "max", stats->idle_high);
    lag_json_close(json);
    lag_json_open_object(json, "persistence", LAG_JSON_ONE_LINE);
    lag_json_number(json, "last_autocorrelation", stats->last_correlation);
    lag_json_count(json, "runs", stats->n_runs);
    lag_json_number(json, "mean_run", stats->mean_run);
    lag_json_number(json, "mean_run_by_chance", stats->expected_run);
    lag_json_count(json, "longest_run", stats->longest_run);
    lag_json_number(json, "halves_spearman", stats->halves);
    lag_json_close(json);
    lag_json_open_array(json, "ranks", LAG_JSON_LINES);
    for (uint32_t i = 0; i < stats->n_ranks; i++)
        write_rank(json, i, &stats->ranks[i]);
    lag_json_close(json);
}

static void write_comparison(struct lag_json *json, const struct lag_fit_report *report)
{
    static const char *const causes[] = {
        [LAG_CAUSE_COMPUTE] = "compute",
        [LAG_CAUSE_NETWORK] = "network",
        [LAG_CAUSE_MIXED] = "mixed",
        [LAG_CAUSE_NONE] = "none",
    };
    const struct lag_comparison *c = report->comparison;

    if (c == NULL) {
        lag_json_null(json, "cause");
        return;
    }
    lag_json_open_object(json, "cause", LAG_JSON_ONE_LINE);
    lag_json_string(json, "verdict", causes[c->cause]);
    lag_json_string(json, "compute_columns", report->computed);
    lag_json_number(json, "explained", c->explained);
    lag_json_number(json, "correlation", c->correlation);
    lag_json_number(json, "within_correlation", c->within_correlation);
    lag_json_count(json, "same_last", c->n_agree);
    lag_json_number(json, "compute_gap_mean_s", c->mean_gap);
    lag_json_close(json);
}

static void write_fit(struct lag_json *json, const struct lag_fit *fit)
{
    const struct lag_law_parameter *parameter = fit->law.type->parameters;

    lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
    lag_json_string(json, "law", fit->law.type->name);
    lag_json_open_object(json, "parameters", LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; parameter[i].name != NULL; i++)
        lag_json_number(json, parameter[i].name, fit->law.p[i]);
    lag_json_close(json);
    lag_json_open_object(json, "standard_errors", LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; parameter[i].name != NULL; i++)
        lag_json_number(json, parameter[i].name, fit->error[i]);
    lag_json_close(json);
    lag_json_number(json, "log_likelihood", fit->log_likelihood);
    lag_json_number(json, "bic", fit->bic);
    lag_json_number(json, "ks_distance", fit->distance);
    lag_json_close(json);
}

static void write_late(struct lag_json *json, const char *key, const struct lag_late *late)
{
    g_autoptr(GString) law = g_string_new(NULL);

    lag_json_open_object(json, key, LAG_JSON_LINES);
    lag_json_open_array(json, "ranks", LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; i < late->n_ranks; i++)
        lag_json_count(json, NULL, late->ranks[i]);
    lag_json_close(json);
    lag_json_boolean(json, "persistent", late->persistent);
    lag_json_count(json, "values", late->n_late);
    lag_json_count(json, "zeros", late->n_first);
    lag_late_print_law(&late->law, law);
    lag_json_string(json, "delay", law->str);
    lag_json_open_array(json, "laws", LAG_JSON_LINES);
    for (uint32_t i = 0; i < late->n_fits; i++)
        write_fit(json, &late->fits[i]);
    lag_json_close(json);
    lag_json_close(json);
}

static void write_laws(struct lag_json *json, const lag_late_laws *laws)
{
    lag_json_open_array(json, "singles", LAG_JSON_LINES);
    for (uint32_t i = 0; i < laws->n_singles; i++)
        write_late(json, NULL, &laws->singles[i]);
    lag_json_close(json);
    write_late(json, "others", &laws->others);
    lag_json_boolean(json, "others_alike", laws->alike);
    lag_json_open_array(json, "stragglers", LAG_JSON_LINES);
    for (uint32_t i = 0; i < laws->n_entries; i++)
        write_late(json, NULL, &laws->entries[i]);
    lag_json_close(json);
    lag_json_number(json, "origin_s", laws->origin);
    lag_json_number(json, "drawn_gap_s", laws->gap);
    lag_json_number(json, "drawn_spread_s", laws->spread);
}

void lag_fit_json(GString *text, const struct lag_fit_report *report, const char *version)
{
    const struct lag_measured *trace = report->trace;
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_object(&json, NULL, LAG_JSON_LINES);
    lag_json_string(&json, "laggard", version);
    lag_json_string(&json, "file", report->file);
    lag_json_string(&json, "columns", report->columns);
    lag_json_string(&json, "guessed", report->guessed);
    lag_json_count(&json, "n_ranks", trace->n_ranks);
    lag_json_count(&json, "steps", trace->n_steps);
    lag_json_count(&json, "first_step", trace->step[0]);
    lag_json_count(&json, "last_step", trace->step[trace->n_steps - 1]);
    lag_json_count(&json, "skipped_steps", report->n_skipped);
    lag_json_count(&json, "warm_up_steps", report->n_warm_up);
    lag_json_count(&json, "missing_steps", report->n_missing);
    write_stats(&json, report->stats);
    write_comparison(&json, report);
    write_laws(&json, report->laws);
    lag_json_close(&json);
    g_string_append_c(text, '\n');
}

void lag_fit_yaml(GString *text, const struct lag_fit_report *report)
{
    const struct lag_measured *trace = report->trace;
    g_autofree char *columns = g_strdup_printf("%s, %s", report->file, report->columns);

    /* a comment ends where the line does */
    g_string_append_printf(text, "# fitted to %s; %u ranks, steps %" PRIu64 " to %" PRIu64 "\n",
                           g_strdelimit(columns, "\r\n\t", ' '), trace->n_ranks, trace->step[0],
                           trace->step[trace->n_steps - 1]);
    lag_fit_drawn(text, report);
    lag_late_laws_print(report->laws, text);
}
