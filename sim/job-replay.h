/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays a job with given work times. */
#ifndef LAGGARD_SIM_JOB_REPLAY_H
#define LAGGARD_SIM_JOB_REPLAY_H

#include "sim/job.h"

/* Fills end[node * n_lanes + lane], since the step's start [s], for work of the same layout. An
 * operation starts when the last of those it waits for has ended; one that waits for none starts
 * with the step. */
void lag_job_replay(const lag_job *job, const lag_seconds *work, lag_seconds *end);

/* The end of each step [s], and their mean. */
void lag_job_steps(const lag_job *job, const lag_seconds *end, lag_seconds *steps);
lag_seconds lag_job_mean(const lag_job *job, const lag_seconds *steps);

/* When an operation starts, given all ends [s]. */
lag_seconds lag_job_start(const lag_job *job, const lag_seconds *end, uint32_t node, uint32_t lane);

#endif
