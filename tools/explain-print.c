/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "results/format.h"
#include "results/json.h"
#include "results/table.h"
#include "tools/explain.h"

/* "-" for a number that a failed row doesn't have. */
static void append_time(GString *text, const char *before, lag_seconds time, lag_seconds like,
                        const char *after)
{
    g_autofree char *number = lag_format_seconds_like(time, like);

    g_string_append_printf(text, "%s%s%s", before, number, after);
}

static void append_sent(GString *text, const struct lag_portrait *p)
{
    g_autofree char *least = lag_format_bytes(p->sent_min);
    g_autofree char *most = lag_format_bytes(p->sent_max);

    g_string_append_printf(text, "  sent         %s", least);
    if (p->sent_min != p->sent_max)
        g_string_append_printf(text, " to %s", most);
    g_string_append(text, " by each rank\n");
}

static void append_bound(GString *text, const struct lag_portrait *p)
{
    if (!isfinite(p->bound))
        return;
    append_time(text, "  lower bound  ", p->bound, p->at_zero,
                " without delay: 2(n-1) S / the rates of all ports, and a latency");
    if (p->bound > 0)
        g_string_append_printf(text, "; simulated %.2f %% above it",
                               100 * (p->at_zero / p->bound - 1));
    g_string_append_c(text, '\n');
}

#define MANY_RANKS 16 /* more are counted, not named */

static void append_ranks(GString *text, const struct lag_critical_path *path)
{
    g_string_append_printf(text, "from rank %u to rank %u, over ", path->first_rank,
                           path->last_rank);
    if (path->n_ranks > MANY_RANKS) {
        g_string_append_printf(text, "%u ranks\n", path->n_ranks);
        return;
    }
    for (uint32_t i = 0; i < path->n_ranks; i++)
        g_string_append_printf(text, "%s%u", i > 0 ? " " : "", path->ranks[i]);
    g_string_append_c(text, '\n');
}

/* What the completion gains while the path stays the critical one. */
static void append_sensitivity(GString *text, const struct lag_critical_path *path)
{
    g_autofree char *bytes = lag_format_bytes(path->bytes);

    if (path->contention > 0)
        return;
    g_string_append_printf(text,
                           "  sensitivity  %.6g latencies and %s on the path: 1 us more latency "
                           "costs %.6g us,\n               ",
                           path->latencies, bytes, path->latencies);
    append_time(text, "1 % more time for each byte ", 0.01 * path->bandwidth, path->bandwidth,
                "\n");
}

static void append_path(GString *text, const struct lag_portrait *p)
{
    const struct lag_critical_path *path = &p->row->path;
    lag_seconds like = p->at_zero;

    if (p->row->status != LAG_OK) {
        g_string_append_printf(text, "  in scenario  %s: %s\n", lag_status_name(p->row->status),
                               p->row->message);
        return;
    }
    append_time(text, "  in scenario  ", p->row->exposed.mean, like, " exposed, ");
    append_time(text, "", p->row->time.mean, like, " in all\n");
    g_string_append(text, "  path         ");
    if (!path->recorded) {
        g_string_append(text, "too long to record\n");
        return;
    }
    append_time(text, "compute ", path->compute, like, ", ");
    append_time(text, "wait ", path->wait, like, ", ");
    append_time(text, "latency ", path->latency, like, ", ");
    append_time(text, "bandwidth ", path->bandwidth, like, ",\n               ");
    append_time(text, "overhead ", path->overhead, like, ", ");
    if (path->adding > 0)
        append_time(text, "adding ", path->adding, like, ", ");
    append_time(text, "contention ", path->contention, like, "; ");
    append_ranks(text, path);
    append_sensitivity(text, path);
    g_string_append_printf(text, "  bottleneck   %s\n", p->row->bottleneck);
}

static void append_order(GString *text, const struct lag_portrait *p)
{
    if (p->order == NULL)
        return;
    g_string_append(text, "  order       ");
    for (uint32_t i = 0; i < p->n_order; i++)
        g_string_append_printf(text, " %u", p->ranks != NULL ? p->ranks[p->order[i]] : p->order[i]);
    g_string_append_c(text, '\n');
}

static void append_portrait(GString *text, const lag_topology *topology,
                            const struct lag_portrait *p)
{
    if (p->job != NULL)
        g_string_append_printf(text, "\njob %s, %s: %s\n", p->job, p->label, p->algorithm->summary);
    else
        g_string_append_printf(text, "\n%s: %s\n", p->label, p->algorithm->summary);
    g_string_append_printf(text, "  source       %s\n", p->algorithm->source);
    g_string_append_printf(text, "  formula      %s\n", p->algorithm->formula);
    g_string_append_printf(text, "  steps        %u round%s", p->n_rounds,
                           p->n_rounds == 1 ? "" : "s");
    if (p->n_rounds_before > 0)
        g_string_append_printf(text, ": %u before the late rank is needed, %u after",
                               p->n_rounds_before, p->n_rounds - p->n_rounds_before);
    if (p->n_rounds_missed > 0)
        g_string_append_printf(text, "; %u more than the fewest possible", p->n_rounds_missed);
    g_string_append_printf(text, "\n  chunks       %u\n", p->n_chunks);
    append_order(text, p);
    append_sent(text, p);
    lag_loads_text(&p->loads, topology, p->at_zero, text);
    append_bound(text, p);
    append_time(text, "  exposed      ", p->at_zero, p->at_zero, " without delay, ");
    append_time(text, "", p->hidden, p->at_zero, "");
    g_string_append_printf(text, " with rank %u late enough to hide all that can be\n", p->late);
    append_path(text, p);
}

static void append_pair(GString *text, const lag_explanation *explanation,
                        const struct lag_pair *pair)
{
    const char *a = explanation->portraits[pair->a].label;
    const char *b = explanation->portraits[pair->b].label;
    bool a_wins = pair->result.verdict == LAG_A_FROM || pair->result.verdict == LAG_A_ALWAYS;
    const char *winner = a_wins ? a : b, *loser = a_wins ? b : a;

    switch (pair->result.verdict) {
    case LAG_A_FROM:
    case LAG_B_FROM:
        g_string_append_printf(text, "  %s beats %s when rank %u is late by more than ", winner,
                               loser, pair->late);
        append_time(text, "", pair->result.delay, explanation->portraits[pair->a].at_zero * 0.99999,
                    "\n");
        break;
    case LAG_A_ALWAYS:
    case LAG_B_ALWAYS:
        g_string_append_printf(text, "  %s is never slower than %s, at any delay of rank %u\n",
                               winner, loser, pair->late);
        break;
    case LAG_EQUAL:
        g_string_append_printf(text, "  %s and %s take the same time at any delay of rank %u\n", a,
                               b, pair->late);
        break;
    }
}

/* What the rivals take, a line each. */
static void append_rivals(GString *text, const lag_explanation *explanation)
{
    static const char *const columns[] = {"rounds", "most sent", "without delay", "all hidden"};
    g_autoptr(lag_table) table = lag_table_new();

    if (explanation->n_shown == explanation->n_portraits)
        return;
    g_string_append_printf(text, "\nexposed times of all that accept this (late: rank %u)\n\n",
                           explanation->portraits[0].late);
    lag_table_column(table, "algorithm", false);
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        lag_table_column(table, columns[i], true);
    for (uint32_t i = 0; i < explanation->n_portraits; i++) {
        const struct lag_portrait *p = &explanation->portraits[i];
        lag_seconds like = explanation->portraits[0].at_zero;
        lag_table_cell(table, p->label);
        lag_table_take_cell(table, g_strdup_printf("%u", p->n_rounds));
        lag_table_take_cell(table, lag_format_bytes(p->sent_max));
        lag_table_take_cell(table, lag_format_seconds_like(p->at_zero, like));
        lag_table_take_cell(table, lag_format_seconds_like(p->hidden, like));
    }
    lag_table_print(table, text);
}

void lag_explanation_text(const lag_explanation *explanation, const char *preface, GString *text)
{
    const lag_topology *topology = explanation->scenario->topology;

    g_string_append_printf(text, "%s\n", preface);
    lag_network_text(topology, &explanation->route, text);
    for (uint32_t i = 0; i < explanation->n_shown; i++)
        append_portrait(text, topology, &explanation->portraits[i]);
    append_rivals(text, explanation);
    if (explanation->n_pairs > 0)
        g_string_append(text, "\nbreak-even, all other ranks at 0:\n");
    for (uint32_t i = 0; i < explanation->n_pairs; i++)
        append_pair(text, explanation, &explanation->pairs[i]);
}

static void write_order(struct lag_json *json, const struct lag_portrait *p)
{
    lag_json_open_array(json, "order", LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; i < p->n_order; i++)
        lag_json_count(json, NULL, p->order[i]);
    lag_json_close(json);
}

static void write_portrait(struct lag_json *json, const lag_topology *topology,
                           const struct lag_portrait *p)
{
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    if (p->job != NULL)
        lag_json_string(json, "job", p->job);
    lag_json_string(json, "algorithm", p->algorithm->name);
    lag_json_string(json, "label", p->label);
    lag_json_string(json, "summary", p->algorithm->summary);
    lag_json_string(json, "source", p->algorithm->source);
    lag_json_string(json, "formula", p->algorithm->formula);
    lag_json_count(json, "rounds", p->n_rounds);
    lag_json_count(json, "chunks", p->n_chunks);
    lag_json_count(json, "rounds_before_arrival", p->n_rounds_before);
    lag_json_count(json, "rounds_after_arrival", p->n_rounds - p->n_rounds_before);
    lag_json_count(json, "rounds_missed", p->n_rounds_missed);
    if (p->order != NULL)
        write_order(json, p);
    lag_json_number(json, "sent_min_bytes", p->sent_min);
    lag_json_number(json, "sent_max_bytes", p->sent_max);
    lag_loads_json(json, &p->loads, topology, p->at_zero);
    lag_json_number(json, "lower_bound_s", p->bound);
    lag_json_count(json, "late_rank", p->late);
    lag_json_number(json, "exposed_without_delay_s", p->at_zero);
    lag_json_number(json, "exposed_hidden_s", p->hidden);
    lag_json_string(json, "status", lag_status_name(p->row->status));
    lag_json_number(json, "exposed_s", p->row->exposed.mean);
    lag_json_number(json, "time_s", p->row->time.mean);
    lag_json_path(json, "critical_path", &p->row->path);
    lag_json_string(json, "bottleneck", p->row->bottleneck);
    lag_json_close(json);
}

static void write_pair(struct lag_json *json, const lag_explanation *explanation,
                       const struct lag_pair *pair)
{
    static const char *const verdicts[] = {
        [LAG_A_FROM] = "from",    [LAG_B_FROM] = "until", [LAG_A_ALWAYS] = "always",
        [LAG_B_ALWAYS] = "never", [LAG_EQUAL] = "equal",
    };

    lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
    lag_json_string(json, "label", explanation->portraits[pair->a].label);
    lag_json_string(json, "beats", explanation->portraits[pair->b].label);
    lag_json_string(json, "verdict", verdicts[pair->result.verdict]);
    lag_json_number(json, "delay_s", pair->result.delay);
    lag_json_count(json, "late_rank", pair->late);
    lag_json_close(json);
}

void lag_explanation_json(const lag_explanation *explanation, const char *preface, GString *text)
{
    const lag_topology *topology = explanation->scenario->topology;
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_object(&json, NULL, LAG_JSON_LINES);
    lag_json_string(&json, "scenario", preface);
    lag_network_json(&json, topology, &explanation->route);
    lag_json_open_array(&json, "algorithms", LAG_JSON_LINES);
    for (uint32_t i = 0; i < explanation->n_portraits; i++)
        write_portrait(&json, topology, &explanation->portraits[i]);
    lag_json_close(&json);
    lag_json_open_array(&json, "break_even", LAG_JSON_LINES);
    for (uint32_t i = 0; i < explanation->n_pairs; i++)
        write_pair(&json, explanation, &explanation->pairs[i]);
    lag_json_close(&json);
    lag_json_close(&json);
}
