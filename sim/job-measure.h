/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast the workers, links and micro-batches of a job are. Medians of an even number are the
 * lower of the two in the middle, so that one odd one out of two does not count. */
#ifndef LAGGARD_SIM_JOB_MEASURE_H
#define LAGGARD_SIM_JOB_MEASURE_H

#include "sim/job.h"

/* The lower median of n > 0 values, which are sorted. */
double lag_lower_median(double *values, size_t n);

/* Worker (dp, stage) is dp * n_stages + stage. Its median work of a kind [s], 0 where it has
 * none; newly allocated. */
lag_seconds *lag_job_paces(const lag_job *job, enum lag_op_kind kind);

/* The median of such paces over a stage's workers [s]; newly allocated, [n_stages]. */
lag_seconds *lag_job_stage_paces(const lag_job *job, const lag_seconds *paces);

/* How much a micro-batch asks for, as a multiple of the usual: the median over the stages of work /
 * the stage's pace. load[node * n_lanes + lane], the same for all nodes of that kind with the same
 * micro-batch; 1 for nodes of other kinds. Newly allocated. */
double *lag_job_loads(const lag_job *job, enum lag_op_kind kind);

/* A pipeline link joins `stage` of one data-parallel rank and the next stage; the data link of a
 * stage joins its data-parallel ranks. */
enum lag_link_kind {
    LAG_LINK_PIPELINE,
    LAG_LINK_DATA
};
#define LAG_EVERY UINT32_MAX
struct lag_job_link {
    enum lag_link_kind kind;
    uint32_t dp, stage; /* LAG_EVERY: all; of a data link dp is LAG_EVERY */
};

/* True where a node's transfers of a data-parallel rank use a link. */
bool lag_job_uses(const lag_job *job, const struct lag_job_link *link, uint32_t node, uint32_t dp);

/* The link with the slowest transfers against the usual of their kind, and how many times slower
 * that is; 1 where there are no links to compare. */
struct lag_job_link lag_job_slowest_link(const lag_job *job, double *ret_factor);

#endif
