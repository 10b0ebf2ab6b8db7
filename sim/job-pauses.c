/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-pauses.h"

#include <stdlib.h>
#include <string.h>

#include "sim/job-measure.h"

#define UNUSUAL 1.5

/* Computes, those of one micro-batch side by side. */
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

/* What a node's work on a lane should be compared with: its worker's pace. */
static lag_seconds pace_of(const lag_job *job, lag_seconds *const *paces, uint32_t node,
                           uint32_t lane)
{
    const struct lag_job_node *at = &job->nodes[node];

    return paces[at->kind][(size_t)(lane % job->n_dp) * job->n_stages + at->stage];
}

/* One lane of one micro-batch's n nodes; `ratios` has room for them. Returns the number of pauses. */
static size_t look_at_batch(const lag_job *job, lag_seconds *const *paces,
                            const struct member *member, uint32_t n, uint32_t lane, double *ratios,
                            lag_seconds *excess)
{
    size_t n_pauses = 0;

    for (uint32_t i = 0; i < n; i++) {
        lag_seconds pace = pace_of(job, paces, member[i].node, lane);
        ratios[i] = pace > 0 ? job->work[(size_t)member[i].node * job->n_lanes + lane] / pace : 1;
    }
    double load = lag_lower_median(ratios, n);
    for (uint32_t i = 0; i < n; i++) {
        size_t at = (size_t)member[i].node * job->n_lanes + lane;
        lag_seconds expected = load * pace_of(job, paces, member[i].node, lane);
        if (job->nodes[member[i].node].kind != LAG_OP_FORWARD ||
            job->work[at] <= UNUSUAL * expected)
            continue;
        excess[at] = job->work[at] - expected;
        n_pauses++;
    }
    return n_pauses;
}

size_t lag_job_pauses(const lag_job *job, lag_seconds *excess)
{
    g_autofree lag_seconds *forward = lag_job_paces(job, LAG_OP_FORWARD);
    g_autofree lag_seconds *backward = lag_job_paces(job, LAG_OP_BACKWARD);
    lag_seconds *const paces[] = {forward, backward};
    g_autofree struct member *members = g_new(struct member, job->n_nodes);
    g_autofree double *ratios = g_new(double, job->n_nodes);
    uint32_t n_members = 0, n;
    size_t n_pauses = 0;

    memset(excess, 0, lag_job_size(job) * sizeof(*excess));
    for (uint32_t i = 0; i < job->n_nodes; i++) {
        if (lag_op_is_compute(job->nodes[i].kind))
            members[n_members++] = (struct member){job->nodes[i].batch, i};
        for (uint32_t lane = 0; job->nodes[i].kind == LAG_OP_GC && lane < job->n_lanes; lane++) {
            size_t at = (size_t)i * job->n_lanes + lane;
            excess[at] = job->work[at];
            n_pauses += excess[at] > 0;
        }
    }
    qsort(members, n_members, sizeof(*members), compare_members);
    for (uint32_t i = 0; i < n_members; i += n) {
        n = 1;
        while (i + n < n_members && members[i + n].batch == members[i].batch &&
               members[i].batch >= 0)
            n++;
        for (uint32_t lane = 0; lane < job->n_lanes; lane++)
            n_pauses += look_at_batch(job, paces, members + i, n, lane, ratios, excess);
    }
    return n_pauses;
}
