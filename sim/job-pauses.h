/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pauses of a job's workers. */
#ifndef LAGGARD_SIM_JOB_PAUSES_H
#define LAGGARD_SIM_JOB_PAUSES_H

#include "sim/job.h"

/* Garbage collection, which stops a worker: operations of that kind, and forward computes that take
 * over 1.5 times what their worker and micro-batch let expect. Fills `excess`, of the layout of
 * work, with the time that would be gone [s]; returns the number of pauses. */
size_t lag_job_pauses(const lag_job *job, lag_seconds *excess);

#endif
