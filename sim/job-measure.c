/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-measure.h"

#include <stdlib.h>

#include "sim/job-clock.h"

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

double lag_lower_median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare_numbers);
    return values[(n - 1) / 2];
}

/* The end of a stage's nodes, given their first. */
static uint32_t stage_end(const lag_job *job, uint32_t first)
{
    uint32_t end = first;

    while (end < job->n_nodes && job->nodes[end].stage == job->nodes[first].stage)
        end++;
    return end;
}

/* Appends the work of a node on the lanes of one data-parallel rank; returns how many there are. */
static size_t take_lanes(const lag_job *job, uint32_t node, uint32_t dp, double *values)
{
    size_t n = 0;

    for (uint32_t lane = dp; lane < job->n_lanes; lane += job->n_dp)
        values[n++] = job->work[(size_t)node * job->n_lanes + lane];
    return n;
}

lag_seconds *lag_job_paces(const lag_job *job, enum lag_op_kind kind)
{
    lag_seconds *paces = g_new0(lag_seconds, (size_t)job->n_dp * job->n_stages);
    g_autofree double *values = g_new(double, lag_job_size(job));
    uint32_t end;

    for (uint32_t first = 0; first < job->n_nodes; first = end) {
        end = stage_end(job, first);
        for (uint32_t dp = 0; dp < job->n_dp; dp++) {
            size_t n = 0;
            for (uint32_t node = first; node < end; node++)
                if (job->nodes[node].kind == kind)
                    n += take_lanes(job, node, dp, values + n);
            if (n > 0)
                paces[(size_t)dp * job->n_stages + job->nodes[first].stage] =
                    lag_lower_median(values, n);
        }
    }
    return paces;
}

lag_seconds *lag_job_stage_paces(const lag_job *job, const lag_seconds *paces)
{
    lag_seconds *result = g_new(lag_seconds, job->n_stages);
    g_autofree double *values = g_new(double, job->n_dp);

    for (uint32_t stage = 0; stage < job->n_stages; stage++) {
        for (uint32_t dp = 0; dp < job->n_dp; dp++)
            values[dp] = paces[(size_t)dp * job->n_stages + stage];
        result[stage] = lag_lower_median(values, job->n_dp);
    }
    return result;
}

/* The nodes of a kind, those of one micro-batch side by side. */
struct member {
    int32_t batch;
    uint32_t node;
};

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->batch != y->batch)
        return x->batch < y->batch ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static GArray *sort_members(const lag_job *job, enum lag_op_kind kind)
{
    GArray *members = g_array_new(FALSE, FALSE, sizeof(struct member));

    for (uint32_t i = 0; i < job->n_nodes; i++) {
        struct member member = {job->nodes[i].batch, i};
        if (job->nodes[i].kind == kind)
            g_array_append_val(members, member);
    }
    g_array_sort(members, compare_members);
    return members;
}

/* The loads of one micro-batch's n nodes. */
static void load_batch(const lag_job *job, const struct member *member, uint32_t n,
                       const lag_seconds *pace, double *loads)
{
    g_autofree double *ratios = g_new(double, n);

    for (uint32_t lane = 0; lane < job->n_lanes; lane++) {
        for (uint32_t i = 0; i < n; i++) {
            lag_seconds usual = pace[job->nodes[member[i].node].stage];
            lag_seconds work = job->work[(size_t)member[i].node * job->n_lanes + lane];
            ratios[i] = usual > 0 ? work / usual : 1;
        }
        double load = lag_lower_median(ratios, n);
        for (uint32_t i = 0; i < n; i++)
            loads[(size_t)member[i].node * job->n_lanes + lane] = load;
    }
}

double *lag_job_loads(const lag_job *job, enum lag_op_kind kind)
{
    g_autofree lag_seconds *paces = lag_job_paces(job, kind);
    g_autofree lag_seconds *pace = lag_job_stage_paces(job, paces);
    g_autoptr(GArray) members = sort_members(job, kind);
    const struct member *member = (const struct member *)(void *)members->data;
    double *loads = g_new(double, lag_job_size(job));
    uint32_t n;

    for (size_t i = 0; i < lag_job_size(job); i++)
        loads[i] = 1;
    for (uint32_t i = 0; i < members->len; i += n) {
        for (n = 1;
             i + n < members->len && member[i + n].batch == member[i].batch && member[i].batch >= 0;
             n++)
            continue;
        load_batch(job, member + i, n, pace, loads);
    }
    return loads;
}

bool lag_job_uses(const lag_job *job, const struct lag_job_link *link, uint32_t node, uint32_t dp)
{
    const struct lag_job_node *at = &job->nodes[node];
    uint32_t stage = at->stage;

    if (link->kind == LAG_LINK_DATA)
        return (at->kind == LAG_OP_PARAMS_GATHER || at->kind == LAG_OP_GRADS_SCATTER ||
                at->kind == LAG_OP_SEPARATE_GRADS) &&
               (link->stage == LAG_EVERY || link->stage == stage);
    if (!lag_op_is_p2p(at->kind) || at->idle || (link->dp != LAG_EVERY && link->dp != dp))
        return false;
    if (at->kind == LAG_OP_FORWARD_RECV || at->kind == LAG_OP_BACKWARD_SEND)
        stage = (stage + job->n_stages - 1) % job->n_stages;
    return link->stage == LAG_EVERY || link->stage == stage;
}

/* times[(kind * n_dp + dp) * n_stages + stage]: the median work of transfers of a kind in a worker;
 * -1 where it has none. */
static double *transfer_times(const lag_job *job)
{
    size_t n_workers = (size_t)job->n_dp * job->n_stages;
    double *times = g_new(double, LAG_N_OP_KINDS *n_workers);
    bool has[LAG_N_OP_KINDS] = {false};

    for (size_t i = 0; i < LAG_N_OP_KINDS * n_workers; i++)
        times[i] = -1;
    for (uint32_t node = 0; node < job->n_nodes; node++)
        has[job->nodes[node].kind] = true;
    for (enum lag_op_kind kind = 0; kind < LAG_N_OP_KINDS; kind++) {
        if (!has[kind] || !lag_op_types[kind].communicates)
            continue;
        g_autofree lag_seconds *paces = lag_job_paces(job, kind);
        for (size_t i = 0; i < n_workers; i++)
            times[kind * n_workers + i] = paces[i] > 0 ? paces[i] : -1;
    }
    return times;
}

/* The median of the times of a kind that are there, or 0. */
static double usual_time(const double *times, size_t n)
{
    g_autofree double *values = g_new(double, n + 1);
    size_t n_values = 0;

    for (size_t i = 0; i < n; i++)
        if (times[i] > 0)
            values[n_values++] = times[i];
    return n_values > 0 ? lag_lower_median(values, n_values) : 0;
}

/* How much slower than usual the transfers of each kind are in each worker; 0: it has none. */
static void take_slowness(const double *times, size_t n_workers, double *slow)
{
    for (enum lag_op_kind kind = 0; kind < LAG_N_OP_KINDS; kind++) {
        double usual = usual_time(times + kind * n_workers, n_workers);
        for (size_t i = kind * n_workers; i < (kind + 1) * n_workers; i++)
            slow[i] = usual > 0 && times[i] > 0 ? times[i] / usual : 0;
    }
}

/* The mean over a link's two directions and ends, or 0. */
static double pipeline_factor(const lag_job *job, const double *slow, uint32_t dp, uint32_t stage)
{
    size_t n_workers = (size_t)job->n_dp * job->n_stages, near, far;
    double sum = 0;
    uint32_t n = 0;

    near = (size_t)dp * job->n_stages + stage;
    far = (size_t)dp * job->n_stages + (stage + 1) % job->n_stages;
    const double parts[] = {
        slow[LAG_OP_FORWARD_SEND * n_workers + near], slow[LAG_OP_BACKWARD_RECV * n_workers + near],
        slow[LAG_OP_FORWARD_RECV * n_workers + far], slow[LAG_OP_BACKWARD_SEND * n_workers + far]};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        sum += parts[i];
        n += parts[i] > 0;
    }
    return n > 0 ? sum / n : 0;
}

/* The same of a stage's gathers and scatters. */
static double data_factor(const lag_job *job, const double *slow, uint32_t stage)
{
    size_t n_workers = (size_t)job->n_dp * job->n_stages;
    double sum = 0;
    uint32_t n = 0;

    for (uint32_t dp = 0; dp < job->n_dp; dp++) {
        for (enum lag_op_kind kind = LAG_OP_PARAMS_GATHER; kind <= LAG_OP_SEPARATE_GRADS; kind++) {
            double part = slow[kind * n_workers + (size_t)dp * job->n_stages + stage];
            sum += part;
            n += part > 0;
        }
    }
    return n > 0 ? sum / n : 0;
}

struct lag_job_link lag_job_slowest_link(const lag_job *job, double *ret_factor)
{
    size_t n_workers = (size_t)job->n_dp * job->n_stages;
    g_autofree double *times = transfer_times(job);
    g_autofree double *slow = g_new(double, LAG_N_OP_KINDS *n_workers);
    struct lag_job_link slowest = {LAG_LINK_PIPELINE, 0, 0};

    take_slowness(times, n_workers, slow);
    *ret_factor = 1;
    for (uint32_t stage = 0; stage < job->n_stages; stage++) {
        double factor = data_factor(job, slow, stage);
        if (factor > *ret_factor) {
            slowest = (struct lag_job_link){LAG_LINK_DATA, LAG_EVERY, stage};
            *ret_factor = factor;
        }
        for (uint32_t dp = 0; dp < job->n_dp; dp++) {
            factor = pipeline_factor(job, slow, dp, stage);
            if (factor > *ret_factor) {
                slowest = (struct lag_job_link){LAG_LINK_PIPELINE, dp, stage};
                *ret_factor = factor;
            }
        }
    }
    return slowest;
}
