/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edits that change how many operations a job has (job-edit.h). */
#ifndef LAGGARD_SIM_JOB_RESIZE_H
#define LAGGARD_SIM_JOB_RESIZE_H

#include "sim/job-edit.h"

/* edit->count data-parallel ranks. False with LAGGARD_ERROR_INPUT: nothing was measured that a
 * second rank's gathers and scatters could be taken from, or too many. */
bool lag_job_resize_dp(lag_job *job, const struct lag_job_edit *edit, GError **error);

/* edit->count micro-batches a step. False with LAGGARD_ERROR_INPUT: the order of computes is
 * neither 1F1B nor all forwards first, stages have several chunks, or too many. */
bool lag_job_resize_batches(lag_job *job, const struct lag_job_edit *edit, GError **error);

#endif
