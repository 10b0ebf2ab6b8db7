/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-path.h"

#include "sim/job-replay.h"

/* An operation on a lane. */
struct spot {
    uint32_t node, lane;
};

static struct spot last_of_step(const lag_job *job, const lag_seconds *end, uint32_t step)
{
    struct spot last = {0, step * job->n_dp};

    for (uint32_t node = 0; node < job->n_nodes; node++)
        for (uint32_t lane = step * job->n_dp; lane < (step + 1) * job->n_dp; lane++)
            if (end[(size_t)node * job->n_lanes + lane] >
                end[(size_t)last.node * job->n_lanes + last.lane])
                last = (struct spot){node, lane};
    return last;
}

/* Who of its group started last. */
static struct spot last_to_start(const lag_job *job, const lag_seconds *end, struct spot spot,
                                 lag_seconds *ret_start)
{
    const struct lag_job_node *node = &job->nodes[spot.node];
    bool across = lag_op_types[node->kind].across_dp;
    uint32_t first = across ? spot.lane - spot.lane % job->n_dp : spot.lane;
    struct spot last = spot;

    *ret_start = lag_job_start(job, end, spot.node, spot.lane);
    for (uint32_t i = job->members.first[node->group]; i < job->members.first[node->group + 1];
         i++) {
        for (uint32_t lane = first; lane < first + (across ? job->n_dp : 1); lane++) {
            lag_seconds start = lag_job_start(job, end, job->members.item[i], lane);
            if (start > *ret_start) {
                last = (struct spot){job->members.item[i], lane};
                *ret_start = start;
            }
        }
    }
    return last;
}

/* Moves a spot to what it waited for; false where it waited for nothing. */
static bool step_back(const lag_job *job, const lag_seconds *end, struct spot *spot)
{
    uint32_t first = job->waits_for.first[spot->node], n = job->waits_for.first[spot->node + 1];
    uint32_t best;

    if (first == n)
        return false;
    best = job->waits_for.item[first];
    for (uint32_t i = first + 1; i < n; i++) {
        uint32_t other = job->waits_for.item[i];
        if (end[(size_t)other * job->n_lanes + spot->lane] >
            end[(size_t)best * job->n_lanes + spot->lane])
            best = other;
    }
    spot->node = best;
    return true;
}

GArray *lag_job_path(const lag_job *job, const lag_seconds *end, uint32_t step)
{
    GArray *path = g_array_new(FALSE, FALSE, sizeof(struct lag_job_segment));
    struct spot spot = last_of_step(job, end, step);
    bool more = true;

    while (more) {
        struct lag_job_segment segment = {spot.node, spot.lane, 0,
                                          end[(size_t)spot.node * job->n_lanes + spot.lane]};
        spot = last_to_start(job, end, spot, &segment.from);
        if (segment.to > segment.from)
            g_array_append_val(path, segment);
        more = step_back(job, end, &spot);
    }
    for (guint i = 0; i < path->len / 2; i++) {
        struct lag_job_segment *a = &g_array_index(path, struct lag_job_segment, i);
        struct lag_job_segment *b = &g_array_index(path, struct lag_job_segment, path->len - 1 - i);
        struct lag_job_segment kept = *a;
        *a = *b;
        *b = kept;
    }
    return path;
}
