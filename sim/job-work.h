/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From recorded times of a job to how long each operation works. */
#ifndef LAGGARD_SIM_JOB_WORK_H
#define LAGGARD_SIM_JOB_WORK_H

#include "sim/job.h"

/* Fills `wall`, and lets start times count from the first start of their step. */
void lag_job_take_start(lag_job *job);

/* Fills `work` and `n_unaligned`: the duration; where several operations end together, from the
 * last start among them to the own end, at least 0. */
void lag_job_take_work(lag_job *job);

/* How long each operation would work without stragglers: the mean (of communication: the median)
 * over all of its kind, in all workers and steps. ideal[node * n_lanes + lane]. */
void lag_job_ideal(const lag_job *job, lag_seconds *ideal);

#endif
