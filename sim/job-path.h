/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path of a replayed job: the operations without which a step would end earlier. */
#ifndef LAGGARD_SIM_JOB_PATH_H
#define LAGGARD_SIM_JOB_PATH_H

#include "sim/job.h"

struct lag_job_segment {
    uint32_t node, lane;
    lag_seconds from, to; /* since the step's start; from: the last start in its group */
};

/* The path of one step, first operation first, as struct lag_job_segment: each begins where the one
 * before ends, the first at 0, the last ends with the step. Operations that take no time are left
 * out. Among equals the first decides. `end` is of lag_job_replay. */
GArray *lag_job_path(const lag_job *job, const lag_seconds *end, uint32_t step);

#endif
