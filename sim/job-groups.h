/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which operations of a job end together, and an order in which all can run. */
#ifndef LAGGARD_SIM_JOB_GROUPS_H
#define LAGGARD_SIM_JOB_GROUPS_H

#include "sim/job.h"

struct lag_job_pair {
    uint32_t list, item;
};

/* From pairs (sorted on the way) to n lists. */
void lag_job_lists_init(struct lag_job_lists *lists, GArray *pairs, uint32_t n);
void lag_job_lists_clear(struct lag_job_lists *lists);

/* Fills the nodes' groups and the members of a job whose waits_for is there, in an order in which
 * groups can run. False with LAGGARD_ERROR_INPUT: a transfer has no other end, or operations wait
 * for each other in a circle. */
bool lag_job_group(lag_job *job, GError **error);

#endif
