/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timelines of a job as Chrome trace events (Perfetto reads them), written piece by piece. */
#ifndef LAGGARD_RESULTS_JOB_TRACE_H
#define LAGGARD_RESULTS_JOB_TRACE_H

#include <stdbool.h>

#include "sim/job.h"

/* One timeline: a process for each worker, a thread for each stream. */
struct lag_job_timeline {
    const char *name; /* "measured" */
    const lag_job *job;
    const lag_seconds *end;    /* of lag_job_replay; NULL: as recorded */
    const lag_seconds *offset; /* [n_steps] where each step begins [s] */
};

/* Writes a document with n timelines over the same steps. `flush` takes what has gathered in
 * `text`, and empties it. False with its error. */
bool lag_job_trace(const struct lag_job_timeline *timelines, uint32_t n, GString *text,
                   bool (*flush)(GString *text, void *data, GError **error), void *data,
                   GError **error);

#endif
