/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-clock.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

double lag_median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare_numbers);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* A node of the clipping in each stage, or NULL where one has none. */
static uint32_t *find_clips(const lag_job *job)
{
    g_autofree uint32_t *clip = g_new(uint32_t, job->n_stages);
    uint32_t n_found = 0;

    for (uint32_t i = 0; i < job->n_nodes; i++) {
        if (job->nodes[i].kind != LAG_OP_CLIP || job->nodes[i].seq != 0)
            continue;
        clip[job->nodes[i].stage] = i;
        n_found++;
    }
    return n_found == job->n_stages ? g_steal_pointer(&clip) : NULL;
}

static lag_seconds end_at(const lag_job *job, uint32_t node, uint32_t step, uint32_t dp)
{
    size_t at = (size_t)node * job->n_lanes + (size_t)step * job->n_dp + dp;

    return job->start[at] + job->duration[at];
}

/* offset[worker * n_steps + step]: the end of the worker's clipping after the median of all. */
static double *measure(const lag_job *job, const uint32_t *clip)
{
    size_t n_workers = (size_t)job->n_dp * job->n_stages;
    double *offset = g_new(double, n_workers * job->n_steps);
    g_autofree double *ends = g_new(double, n_workers);

    for (uint32_t step = 0; step < job->n_steps; step++) {
        for (size_t i = 0; i < n_workers; i++)
            ends[i] = end_at(job, clip[i % job->n_stages], step, (uint32_t)(i / job->n_stages));
        double middle = lag_median(ends, n_workers);
        for (size_t i = 0; i < n_workers; i++)
            offset[i * job->n_steps + step] =
                end_at(job, clip[i % job->n_stages], step, (uint32_t)(i / job->n_stages)) - middle;
    }
    return offset;
}

void lag_job_align(lag_job *job)
{
    size_t n_workers = (size_t)job->n_dp * job->n_stages;
    g_autofree uint32_t *clip = find_clips(job);

    job->clock = g_new0(lag_seconds, n_workers);
    if (clip == NULL || n_workers < 2)
        return;
    g_autofree double *offset = measure(job, clip);
    for (size_t i = 0; i < n_workers; i++) {
        double middle = lag_median(offset + i * job->n_steps, job->n_steps);
        if (fabs(middle) > LAG_CLOCK_NOTICED)
            job->clock[i] = middle;
    }
    for (uint32_t node = 0; node < job->n_nodes; node++) {
        for (uint32_t lane = 0; lane < job->n_lanes; lane++) {
            size_t worker = (size_t)(lane % job->n_dp) * job->n_stages + job->nodes[node].stage;
            job->start[(size_t)node * job->n_lanes + lane] -= job->clock[worker];
        }
    }
}
