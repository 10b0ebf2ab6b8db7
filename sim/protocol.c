/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/protocol.h"

#include <math.h>
#include <string.h>

const char *laggard_workload_name(enum laggard_workload workload)
{
    static const char *const names[LAGGARD_N_WORKLOADS] = {
        [LAGGARD_COMMUNICATION] = "collective",
        [LAGGARD_TRAINING] = "training",
        [LAGGARD_GRADIENT] = "gradient",
    };

    return names[workload];
}

const char *lag_protocol_end_name(enum lag_protocol_end end)
{
    static const char *const names[LAG_N_ENDS] = {
        [LAG_END_OK] = "ok",
        [LAG_END_STALLED] = "stalled",
        [LAG_END_UNDECODABLE] = "undecodable",
        [LAG_END_TARGET_NOT_REACHED] = "target-not-reached",
        [LAG_END_DIVERGED] = "diverged",
    };

    return names[end];
}

void lag_protocol_outcome_init(struct lag_protocol_outcome *outcome, uint32_t n_workers)
{
    *outcome = (struct lag_protocol_outcome){
        .n_workers = n_workers,
        .update_times = g_array_new(FALSE, FALSE, sizeof(lag_seconds)),
        .batches = g_array_new(FALSE, FALSE, sizeof(double)),
        .staleness = g_array_new(FALSE, TRUE, sizeof(double)),
        .use = g_new0(struct lag_worker_use, n_workers),
        .curve = g_array_new(FALSE, FALSE, sizeof(struct lag_curve_point)),
    };
    lag_protocol_outcome_begin(outcome);
}

void lag_protocol_outcome_begin(struct lag_protocol_outcome *outcome)
{
    struct lag_protocol_outcome empty = {
        .n_workers = outcome->n_workers,
        .update_times = g_array_set_size(outcome->update_times, 0),
        .batches = g_array_set_size(outcome->batches, 0),
        .staleness = g_array_set_size(outcome->staleness, 0),
        .use = outcome->use,
        .curve = g_array_set_size(outcome->curve, 0),
        .time_to_target = NAN,
        .residual = NAN,
    };

    memset(outcome->use, 0, outcome->n_workers * sizeof *outcome->use);
    g_free(outcome->message);
    *outcome = empty;
}

void lag_protocol_outcome_clear(struct lag_protocol_outcome *outcome)
{
    g_clear_pointer(&outcome->update_times, g_array_unref);
    g_clear_pointer(&outcome->batches, g_array_unref);
    g_clear_pointer(&outcome->staleness, g_array_unref);
    g_clear_pointer(&outcome->curve, g_array_unref);
    g_clear_pointer(&outcome->use, g_free);
    g_clear_pointer(&outcome->message, g_free);
}

void lag_protocol_outcome_end(struct lag_protocol_outcome *outcome, enum lag_protocol_end end,
                              const char *format, ...)
{
    va_list arguments;

    if (outcome->end != LAG_END_OK)
        return;
    va_start(arguments, format);
    outcome->message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    outcome->end = end;
}

void lag_protocol_outcome_stale(struct lag_protocol_outcome *outcome, uint32_t staleness,
                                double samples)
{
    if (staleness >= outcome->staleness->len)
        g_array_set_size(outcome->staleness, staleness + 1);
    g_array_index(outcome->staleness, double, staleness) += samples;
}
