/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-replay.h"

#include <math.h>
#include <string.h>

static inline lag_seconds later(lag_seconds a, lag_seconds b)
{
    return a > b ? a : b;
}

/* Lets `last` be at least the ends of all that a node waits for. */
static void raise_to_starts(const lag_job *job, const lag_seconds *end, uint32_t node,
                            lag_seconds *last)
{
    for (uint32_t j = job->waits_for.first[node]; j < job->waits_for.first[node + 1]; j++) {
        const lag_seconds *other = end + (size_t)job->waits_for.item[j] * job->n_lanes;
        for (uint32_t lane = 0; lane < job->n_lanes; lane++)
            last[lane] = later(last[lane], other[lane]);
    }
}

static void level_dp(const lag_job *job, lag_seconds *last)
{
    for (uint32_t lane = 0; lane < job->n_lanes; lane += job->n_dp) {
        lag_seconds most = last[lane];
        for (uint32_t dp = 1; dp < job->n_dp; dp++)
            most = later(most, last[lane + dp]);
        for (uint32_t dp = 0; dp < job->n_dp; dp++)
            last[lane + dp] = most;
    }
}

void lag_job_replay(const lag_job *job, const lag_seconds *work, lag_seconds *end)
{
    g_autofree lag_seconds *last = g_new(lag_seconds, job->n_lanes);

    for (uint32_t group = 0; group < job->n_groups; group++) {
        const uint32_t *member = job->members.item + job->members.first[group];
        uint32_t n = job->members.first[group + 1] - job->members.first[group];
        memset(last, 0, job->n_lanes * sizeof(*last));
        for (uint32_t i = 0; i < n; i++)
            raise_to_starts(job, end, member[i], last);
        if (lag_op_types[job->nodes[member[0]].kind].across_dp)
            level_dp(job, last);
        for (uint32_t i = 0; i < n; i++) {
            size_t at = (size_t)member[i] * job->n_lanes;
            for (uint32_t lane = 0; lane < job->n_lanes; lane++)
                end[at + lane] = last[lane] + work[at + lane];
        }
    }
}

void lag_job_steps(const lag_job *job, const lag_seconds *end, lag_seconds *steps)
{
    memset(steps, 0, job->n_steps * sizeof(*steps));
    for (uint32_t node = 0; node < job->n_nodes; node++)
        for (uint32_t lane = 0; lane < job->n_lanes; lane++)
            steps[lane / job->n_dp] =
                later(steps[lane / job->n_dp], end[(size_t)node * job->n_lanes + lane]);
}

lag_seconds lag_job_mean(const lag_job *job, const lag_seconds *steps)
{
    lag_seconds sum = 0;

    for (uint32_t step = 0; step < job->n_steps; step++)
        sum += steps[step];
    return sum / job->n_steps;
}

lag_seconds lag_job_start(const lag_job *job, const lag_seconds *end, uint32_t node, uint32_t lane)
{
    lag_seconds start = 0;

    for (uint32_t j = job->waits_for.first[node]; j < job->waits_for.first[node + 1]; j++)
        start = later(start, end[(size_t)job->waits_for.item[j] * job->n_lanes + lane]);
    return start;
}
