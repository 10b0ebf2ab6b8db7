/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-work.h"

#include <math.h>

#include "sim/job-clock.h"

void lag_job_take_start(lag_job *job)
{
    g_autofree lag_seconds *first = g_new(lag_seconds, job->n_steps);
    size_t n = lag_job_size(job);

    job->wall = g_new(lag_seconds, job->n_steps);
    for (uint32_t step = 0; step < job->n_steps; step++) {
        first[step] = INFINITY;
        job->wall[step] = -INFINITY;
    }
    for (size_t i = 0; i < n; i++) {
        size_t step = i % job->n_lanes / job->n_dp;
        first[step] = fmin(first[step], job->start[i]);
        job->wall[step] = fmax(job->wall[step], job->start[i] + job->duration[i]);
    }
    for (size_t i = 0; i < n; i++)
        job->start[i] -= first[i % job->n_lanes / job->n_dp];
    for (uint32_t step = 0; step < job->n_steps; step++)
        job->wall[step] -= first[step];
}

/* The last start among a group's members on each lane, and where they are of all data-parallel
 * ranks, among these too. */
static void last_starts(const lag_job *job, uint32_t group, lag_seconds *last)
{
    const uint32_t *member = job->members.item + job->members.first[group];
    uint32_t n = job->members.first[group + 1] - job->members.first[group];

    for (uint32_t lane = 0; lane < job->n_lanes; lane++) {
        last[lane] = job->start[(size_t)member[0] * job->n_lanes + lane];
        for (uint32_t i = 1; i < n; i++)
            last[lane] = fmax(last[lane], job->start[(size_t)member[i] * job->n_lanes + lane]);
    }
    for (uint32_t lane = 0;
         lag_op_types[job->nodes[member[0]].kind].across_dp && lane < job->n_lanes;
         lane += job->n_dp) {
        for (uint32_t dp = 1; dp < job->n_dp; dp++)
            last[lane] = fmax(last[lane], last[lane + dp]);
        for (uint32_t dp = 1; dp < job->n_dp; dp++)
            last[lane + dp] = last[lane];
    }
}

void lag_job_take_work(lag_job *job)
{
    g_autofree lag_seconds *last = g_new(lag_seconds, job->n_lanes);

    job->work = g_new(lag_seconds, lag_job_size(job));
    for (uint32_t group = 0; group < job->n_groups; group++) {
        last_starts(job, group, last);
        for (uint32_t i = job->members.first[group]; i < job->members.first[group + 1]; i++) {
            for (uint32_t lane = 0; lane < job->n_lanes; lane++) {
                size_t at = (size_t)job->members.item[i] * job->n_lanes + lane;
                bool alone = job->start[at] >= last[lane];
                lag_seconds work = job->start[at] + job->duration[at] - last[lane];
                job->work[at] = alone ? job->duration[at] : fmax(work, 0);
                job->n_unaligned += work < 0;
            }
        }
    }
}

void lag_job_ideal(const lag_job *job, lag_seconds *ideal)
{
    g_autofree lag_seconds *values = g_new(lag_seconds, lag_job_size(job));

    for (enum lag_op_kind kind = 0; kind < LAG_N_OP_KINDS; kind++) {
        size_t n = 0;
        double sum = 0;
        for (uint32_t node = 0; node < job->n_nodes; node++) {
            if (job->nodes[node].kind != kind)
                continue;
            for (uint32_t lane = 0; lane < job->n_lanes; lane++, n++) {
                values[n] = job->work[(size_t)node * job->n_lanes + lane];
                sum += values[n];
            }
        }
        if (n == 0)
            continue;
        double typical = lag_op_types[kind].communicates ? lag_median(values, n) : sum / (double)n;
        for (uint32_t node = 0; node < job->n_nodes; node++)
            if (job->nodes[node].kind == kind)
                for (uint32_t lane = 0; lane < job->n_lanes; lane++)
                    ideal[(size_t)node * job->n_lanes + lane] = typical;
    }
}
