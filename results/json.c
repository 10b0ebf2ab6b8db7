/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/json.h"

void lag_json_fields(struct lag_json *json, const char *key, const struct lag_field *fields,
                     uint32_t n_fields)
{
    lag_json_open_object(json, key, LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; i < n_fields; i++) {
        if (fields[i].text != NULL && fields[i].is_number)
            lag_json_number(json, fields[i].name, fields[i].number);
        else
            lag_json_string(json, fields[i].name, fields[i].text);
    }
    lag_json_close(json);
}

static void write_statistics(struct lag_json *json, const char *key, const struct lag_statistics *s)
{
    lag_json_open_object(json, key, LAG_JSON_ONE_LINE);
    lag_json_number(json, "mean", s->mean);
    lag_json_number(json, "stddev", s->stddev);
    lag_json_number(json, "min", s->min);
    lag_json_number(json, "p50", s->p50);
    lag_json_number(json, "p95", s->p95);
    lag_json_number(json, "p99", s->p99);
    lag_json_number(json, "max", s->max);
    lag_json_number(json, "ci95_low", s->ci95_low);
    lag_json_number(json, "ci95_high", s->ci95_high);
    lag_json_number(json, "p50_low", s->p50_low);
    lag_json_number(json, "p50_high", s->p50_high);
    lag_json_number(json, "p95_low", s->p95_low);
    lag_json_number(json, "p95_high", s->p95_high);
    lag_json_number(json, "p99_low", s->p99_low);
    lag_json_number(json, "p99_high", s->p99_high);
    lag_json_close(json);
}

void lag_json_path(struct lag_json *json, const char *key, const struct lag_critical_path *path)
{
    if (!path->recorded) {
        lag_json_null(json, key);
        return;
    }
    lag_json_open_object(json, key, LAG_JSON_LINES);
    lag_json_count(json, "first_rank", path->first_rank);
    lag_json_count(json, "last_rank", path->last_rank);
    lag_json_open_array(json, "ranks", LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; i < path->n_ranks; i++)
        lag_json_count(json, NULL, path->ranks[i]);
    lag_json_close(json);
    lag_json_number(json, "compute_s", path->compute);
    lag_json_number(json, "wait_s", path->wait);
    lag_json_number(json, "latency_s", path->latency);
    lag_json_number(json, "bandwidth_s", path->bandwidth);
    lag_json_number(json, "overhead_s", path->overhead);
    lag_json_number(json, "adding_s", path->adding);
    lag_json_number(json, "contention_s", path->contention);
    lag_json_open_array(json, "links", LAG_JSON_LINES);
    for (uint32_t i = 0; i < path->n_links; i++) {
        lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
        lag_json_string(json, "name", path->links[i].name);
        lag_json_number(json, "share", path->links[i].share);
        lag_json_close(json);
    }
    lag_json_close(json);
    lag_json_close(json);
}

/* What the completion gains for each second of latency, and for each second per byte of 1 / rate,
 * while the path stays the critical one. Sharing links makes it no derivative. */
static void write_sensitivity(struct lag_json *json, const struct lag_critical_path *path)
{
    if (!path->recorded || path->contention > 0) {
        lag_json_null(json, "sensitivity");
        return;
    }
    lag_json_open_object(json, "sensitivity", LAG_JSON_ONE_LINE);
    lag_json_number(json, "latency", path->latencies);
    lag_json_number(json, "inverse_bandwidth_B", path->bytes);
    lag_json_close(json);
}

/* One number for each rank; an empty array where there are none. */
static void write_ranks(struct lag_json *json, const char *key, const double *values, uint32_t n)
{
    lag_json_open_array(json, key, LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; values != NULL && i < n; i++)
        lag_json_number(json, NULL, values[i]);
    lag_json_close(json);
}

static void write_rank_numbers(struct lag_json *json, const struct lag_result *result)
{
    if (result->group != NULL)
        lag_json_open_array(json, "group", LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; result->group != NULL && i < result->n_ranks; i++)
        lag_json_count(json, NULL, result->group[i]);
    if (result->group != NULL)
        lag_json_close(json);
    write_ranks(json, "ranks_wait_s", result->ranks_wait, result->n_ranks);
    write_ranks(json, "ranks_idle_s", result->ranks_idle, result->n_ranks);
    write_ranks(json, "ranks_done_s", result->ranks_done, result->n_ranks);
    lag_json_open_array(json, "arrived_last", LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; result->arrived_last != NULL && i < result->n_ranks; i++)
        lag_json_count(json, NULL, result->arrived_last[i]);
    lag_json_close(json);
}

static void write_links(struct lag_json *json, const struct lag_result *result)
{
    lag_json_open_array(json, "links", LAG_JSON_LINES);
    for (uint32_t i = 0; i < result->n_links; i++) {
        const struct lag_link_use *link = &result->links[i];
        lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
        lag_json_string(json, "name", link->name);
        lag_json_number(json, "bytes", link->bytes);
        lag_json_number(json, "utilisation", link->utilisation);
        if (result->job != NULL)
            lag_json_number(json, "utilisation_all_jobs", link->utilisation_all);
        lag_json_close(json);
    }
    lag_json_close(json);
}

static void write_order(struct lag_json *json, const struct lag_result *result)
{
    lag_json_open_array(json, "order", LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; i < result->n_ranks; i++)
        lag_json_count(json, NULL, result->order[i]);
    lag_json_close(json);
}

static void write_result(struct lag_json *json, const struct lag_result *result)
{
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    if (result->job != NULL)
        lag_json_string(json, "job", result->job);
    lag_json_string(json, "algorithm", result->algorithm);
    lag_json_string(json, "label", result->label);
    lag_json_fields(json, "parameters", result->parameters, result->n_parameters);
    lag_json_string(json, "status", lag_status_name(result->status));
    if (result->message != NULL)
        lag_json_string(json, "message", result->message);
    lag_json_fields(json, "point", result->point, result->n_coordinates);
    lag_json_string(json, "engine", result->engine);
    lag_json_string(json, "transfers", result->transfers);
    lag_json_count(json, "ranks", result->n_ranks);
    lag_json_count(json, "size_bytes", result->size);
    lag_json_count(json, "steps", result->n_steps);
    lag_json_count(json, "replications", result->n_replications);
    lag_json_count(json, "rounds", result->n_rounds);
    if (result->n_chunks > 0)
        lag_json_count(json, "chunks", result->n_chunks);
    if (result->order != NULL)
        write_order(json, result);
    lag_json_count(json, "messages", result->n_messages);
    lag_json_count(json, "wire_bytes", result->wire_bytes);
    write_statistics(json, "time_s", &result->time);
    write_statistics(json, "exposed_s", &result->exposed);
    lag_json_number(json, "algbw_Bps", result->algbw);
    lag_json_number(json, "busbw_Bps", result->busbw);
    lag_json_number(json, "speedup_vs_first", result->speedup);
    lag_json_string(json, "bottleneck", result->bottleneck);
    if (result->source_of_times != NULL)
        lag_json_string(json, "source_of_times", result->source_of_times);
    if (result->throughput > 0)
        lag_json_number(json, "throughput_samples_per_s", result->throughput);
    lag_json_path(json, "critical_path", &result->path);
    write_sensitivity(json, &result->path);
    write_rank_numbers(json, result);
    write_links(json, result);
    lag_json_close(json);
}

static void write_document(struct lag_json *json, const lag_result_set *set, const char *version)
{
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    lag_json_string(json, "laggard", version);
    lag_json_string(json, "scenario", set->scenario);
    lag_json_count(json, "seed", set->seed);
    lag_json_string(json, "fingerprint", set->fingerprint);
    lag_json_open_array(json, "results", LAG_JSON_LINES);
    for (uint32_t i = 0; i < set->n_results; i++)
        write_result(json, &set->results[i]);
    lag_json_close(json);
    lag_json_close(json);
}

void lag_json_documents(GString *text, lag_result_set *const *sets, uint32_t n_sets,
                        const char *version)
{
    struct lag_json json;

    lag_json_init(&json, text);
    if (n_sets != 1)
        lag_json_open_array(&json, NULL, LAG_JSON_LINES);
    for (uint32_t i = 0; i < n_sets; i++)
        write_document(&json, sets[i], version);
    if (n_sets != 1)
        lag_json_close(&json);
}
