/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a what-if analysis as one JSON document. */
#include <math.h>

#include "results/json-writer.h"
#include "results/whatif.h"

#define LINES    LAG_JSON_LINES
#define ONE_LINE LAG_JSON_ONE_LINE

static void write_steps(struct lag_json *json, const lag_whatif *whatif)
{
    lag_json_open_array(json, "steps", LINES);
    for (uint32_t i = 0; i < whatif->job->n_steps; i++) {
        lag_json_open_object(json, NULL, ONE_LINE);
        lag_json_count(json, "step", whatif->job->step[i]);
        lag_json_number(json, "measured_s", whatif->job->wall[i]);
        lag_json_number(json, "replayed_s", whatif->replayed[i]);
        lag_json_number(json, "ideal_s", whatif->without[i]);
        lag_json_number(json, "slowdown", whatif->replayed[i] / whatif->without[i]);
        lag_json_close(json);
    }
    lag_json_close(json);
}

static void write_workers(struct lag_json *json, const lag_whatif *whatif)
{
    const lag_job *job = whatif->job;

    lag_json_open_array(json, "workers", LINES);
    for (uint32_t i = 0; i < job->n_dp * job->n_stages; i++) {
        lag_json_open_object(json, NULL, ONE_LINE);
        lag_json_count(json, "rank", job->rank[i]);
        lag_json_count(json, "dp", i / job->n_stages);
        lag_json_count(json, "stage", i % job->n_stages);
        lag_json_number(json, "slowdown", whatif->by_worker[i]);
        lag_json_number(json, "critical_path_share", whatif->path_worker[i]);
        lag_json_number(json, "clock_offset_s", job->clock[i]);
        lag_json_close(json);
    }
    lag_json_close(json);
}

/* One row for each data-parallel rank, a number for each stage. */
static void write_map(struct lag_json *json, const lag_whatif *whatif)
{
    const lag_job *job = whatif->job;

    lag_json_open_array(json, "heat_map", LINES);
    for (uint32_t dp = 0; dp < job->n_dp; dp++) {
        lag_json_open_array(json, NULL, ONE_LINE);
        for (uint32_t stage = 0; stage < job->n_stages; stage++)
            lag_json_number(json, NULL, whatif->by_worker[(size_t)dp * job->n_stages + stage]);
        lag_json_close(json);
    }
    lag_json_close(json);
}

static void write_families(struct lag_json *json, const lag_whatif *whatif)
{
    lag_json_open_array(json, "operations", LINES);
    for (int i = 0; i < LAG_N_OP_KINDS; i++) {
        if (isnan(whatif->by_family[i]))
            continue;
        lag_json_open_object(json, NULL, ONE_LINE);
        lag_json_string(json, "name", lag_op_types[i].family);
        lag_json_number(json, "slowdown", whatif->by_family[i]);
        lag_json_number(json, "critical_path_share", whatif->path_family[i]);
        lag_json_close(json);
    }
    lag_json_close(json);
}

static void write_numbers(struct lag_json *json, const char *key, const double *numbers, uint32_t n)
{
    lag_json_open_array(json, key, ONE_LINE);
    for (uint32_t i = 0; i < n; i++)
        lag_json_number(json, NULL, numbers[i]);
    lag_json_close(json);
}

static void write_causes(struct lag_json *json, const lag_whatif *whatif)
{
    lag_json_string(json, "cause", whatif->cause >= 0 ? whatif->causes[whatif->cause].name : NULL);
    lag_json_open_array(json, "causes", LINES);
    for (int i = 0; i < LAG_N_CAUSES; i++) {
        const struct lag_whatif_cause *cause = &whatif->causes[i];
        lag_json_open_object(json, NULL, ONE_LINE);
        lag_json_string(json, "name", cause->name);
        lag_json_number(json, "step_s", cause->step_s);
        lag_json_number(json, "gain_s", whatif->step_s - cause->step_s);
        lag_json_number(json, "size", cause->size);
        lag_json_string(json, "unit", cause->unit);
        lag_json_string(json, "of", cause->what);
        lag_json_string(json, "where", cause->where);
        lag_json_close(json);
    }
    lag_json_close(json);
}

static void write_path(struct lag_json *json, const lag_whatif *whatif)
{
    const lag_job *job = whatif->job;

    lag_json_open_object(json, "critical_path", LINES);
    lag_json_count(json, "step", job->step[whatif->worst_step]);
    lag_json_open_array(json, "operations", LINES);
    for (guint i = 0; i < whatif->path->len; i++) {
        const struct lag_job_segment *at = &g_array_index(whatif->path, struct lag_job_segment, i);
        const struct lag_job_node *node = &job->nodes[at->node];
        size_t worker = (size_t)(at->lane % job->n_dp) * job->n_stages + node->stage;
        lag_json_open_object(json, NULL, ONE_LINE);
        lag_json_string(json, "name", lag_op_types[node->kind].name);
        lag_json_count(json, "seq", node->seq);
        lag_json_count(json, "rank", job->rank[worker]);
        lag_json_number(json, "from_s", at->from);
        lag_json_number(json, "to_s", at->to);
        lag_json_close(json);
    }
    lag_json_close(json);
    lag_json_close(json);
}

static void write_edits(struct lag_json *json, const struct lag_whatif_report *report)
{
    lag_json_open_array(json, "edits", LINES);
    for (uint32_t i = 0; i < report->n_edits; i++) {
        const struct lag_whatif_edit *edit = &report->edits[i];
        lag_json_open_object(json, NULL, ONE_LINE);
        lag_json_string(json, "edit", edit->text != NULL ? edit->text : "all");
        lag_json_number(json, "step_s", edit->step_s);
        lag_json_number(json, "gain_s", report->whatif->step_s - edit->step_s);
        lag_json_number(json, "throughput", edit->throughput);
        lag_json_string(json, "assumes", edit->assumes);
        lag_json_close(json);
    }
    lag_json_close(json);
}

void lag_whatif_json(GString *text, const struct lag_whatif_report *report)
{
    const lag_whatif *whatif = report->whatif;
    const lag_job *job = whatif->job;
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_object(&json, NULL, LINES);
    lag_json_string(&json, "laggard", report->version);
    lag_json_string(&json, "trace", report->file);
    lag_json_count(&json, "data_parallel", job->n_dp);
    lag_json_count(&json, "stages", job->n_stages);
    lag_json_count(&json, "operations_recorded", lag_job_size(job));
    lag_json_count(&json, "steps_left_out", job->n_left_out);
    lag_json_count(&json, "transfers_unaligned", job->n_unaligned);
    lag_json_number(&json, "measured_s", whatif->wall_s);
    lag_json_number(&json, "replayed_s", whatif->step_s);
    lag_json_number(&json, "ideal_s", whatif->ideal_s);
    lag_json_number(&json, "slowdown", whatif->slowdown);
    lag_json_number(&json, "waste", whatif->waste);
    lag_json_number(&json, "m_w", whatif->m_w);
    lag_json_number(&json, "m_s", whatif->m_s);
    lag_json_open_array(&json, "slowest_ranks", ONE_LINE);
    for (uint32_t i = 0; i < whatif->n_slowest; i++)
        lag_json_count(&json, NULL, job->rank[whatif->slowest[i]]);
    lag_json_close(&json);
    write_causes(&json, whatif);
    write_edits(&json, report);
    write_families(&json, whatif);
    write_numbers(&json, "slowdown_of_dp", whatif->by_dp, job->n_dp);
    write_numbers(&json, "slowdown_of_stage", whatif->by_stage, job->n_stages);
    write_map(&json, whatif);
    write_workers(&json, whatif);
    write_steps(&json, whatif);
    write_path(&json, whatif);
    lag_json_close(&json);
    g_string_append_c(text, '\n');
}
