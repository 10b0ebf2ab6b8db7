/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which compute a transfer between stages belongs to. */
#ifndef LAGGARD_SIM_JOB_MATCH_H
#define LAGGARD_SIM_JOB_MATCH_H

#include "sim/job.h"

/* Sets `match` and `idle` of the transfers between stages, from the times of lane 0. The k-th
 * receive (send) of a direction belongs to the k-th compute of it; receives that start after the
 * last compute has started, and sends that end before the first has ended, belong to none. False
 * with LAGGARD_ERROR_INPUT where the numbers don't fit. */
bool lag_job_match(lag_job *job, GError **error);

#endif
