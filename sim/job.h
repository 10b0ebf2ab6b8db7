/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profiled training job as operations and what they wait for. All data-parallel ranks and steps
 * do the same operations in the same order: these are the nodes, taken from data-parallel rank 0
 * in the earliest step. A lane is one data-parallel rank in one step: lane = step * n_dp + dp.
 *
 * The rules are those of arXiv:2505.05713, section 3, as its published simulator applies them
 * (docs/WHATIF.md). Operations of one group end together, one work time after the last of them has
 * started. */
#ifndef LAGGARD_SIM_JOB_H
#define LAGGARD_SIM_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "sim/op-kind.h"
#include "sim/units.h"

/* One operation as it was recorded. */
struct lag_op {
    lag_seconds start, duration;
    uint32_t step, dp, stage, rank;
    uint32_t seq;               /* among those of its kind, worker and step */
    int32_t chunk, model_chunk; /* of the model: within the stage, within the model; -1: none */
    int32_t batch;              /* the micro-batch; -1: none */
    uint32_t line;              /* where it is written, for messages */
    enum lag_op_kind kind;
};

struct lag_job_node {
    enum lag_op_kind kind;
    uint32_t stage, seq;
    int32_t chunk, model_chunk, batch;
    int32_t match; /* of a transfer between stages: the node that it feeds or drains; -1: none */
    bool idle;     /* a transfer that was recorded, but has no other end */
    uint32_t group;
};

/* Lists of node ids, one behind the other: list i is item[first[i] .. first[i + 1] - 1]. */
struct lag_job_lists {
    uint32_t *first, *item;
};

typedef struct lag_job {
    uint32_t n_dp, n_stages, n_steps, n_lanes, n_nodes, n_groups;
    uint32_t *step;                 /* [n_steps] their numbers, ascending */
    uint32_t *rank;                 /* [dp * n_stages + stage] */
    struct lag_job_node *nodes;     /* by stage, then in the order of their start */
    struct lag_job_lists waits_for; /* of a node */
    struct lag_job_lists members;   /* of a group, in the order in which groups can run */
    lag_seconds *start;             /* [node * n_lanes + lane] since the step's start [s] */
    lag_seconds *duration;          /* likewise, as recorded [s] */
    lag_seconds *work;              /* likewise: of a transfer from the last start in its group */
    lag_seconds *wall;              /* [n_steps] from the first start to the last end [s] */
    lag_seconds *clock;             /* [dp * n_stages + stage] taken off its times [s]; often 0 */
    uint32_t n_left_out, left_out;  /* steps with other operations than most; the first of them */
    uint32_t n_unaligned;           /* transfers that ended before the last of them had started */
} lag_job;

#define LAG_MOST_PARALLEL 4096 /* data-parallel ranks, and stages */

/* Builds a job; `ops` is sorted on the way. NULL with LAGGARD_ERROR_INPUT: operations are missing or
 * stand twice, ranks are not complete, or operations wait for each other in a circle. */
lag_job *lag_job_new(struct lag_op *ops, size_t n_ops, GError **error);
void lag_job_free(lag_job *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_job, lag_job_free)

static inline size_t lag_job_size(const lag_job *job)
{
    return (size_t)job->n_nodes * job->n_lanes;
}

#endif
