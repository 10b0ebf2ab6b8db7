/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to a profiled job: what would its steps take if? Each kind of edit is one function and
 * one line in job-edit.c's table. */
#ifndef LAGGARD_SIM_JOB_EDIT_H
#define LAGGARD_SIM_JOB_EDIT_H

#include "sim/job-measure.h"

enum lag_edit_kind {
    LAG_EDIT_SPEED_UP,
    LAG_EDIT_BALANCE,
    LAG_EDIT_EQUALISE,
    LAG_EDIT_LINK,
    LAG_EDIT_GC,
    LAG_EDIT_DATA_PARALLEL,
    LAG_EDIT_BATCHES,
    LAG_N_EDIT_KINDS
};

struct lag_job_edit {
    enum lag_edit_kind kind;
    uint32_t rank;            /* speed-up: as the trace numbers it */
    struct lag_job_link link; /* scale-link */
    double factor;            /* speed-up, scale-link; 0: as fast as the others */
    uint32_t count;           /* data-parallel, micro-batches */
};

struct lag_edit_type {
    const char *name;
    const char *assumes; /* one line: what the new step time takes for granted */
    bool (*apply)(lag_job *job, const struct lag_job_edit *edit, GError **error);
};
extern const struct lag_edit_type lag_edit_types[LAG_N_EDIT_KINDS];

/* A changed copy: work, and where the edit needs it the nodes and lanes; it has no recorded times
 * (start, duration, wall are NULL). NULL with LAGGARD_ERROR_INPUT. */
lag_job *lag_job_edited(const lag_job *job, const struct lag_job_edit *edit, GError **error);

/* "speed-up: {rank: 5, factor: 2}", newly allocated. */
char *lag_job_edit_text(const struct lag_job_edit *edit);

#endif
