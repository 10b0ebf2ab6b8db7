/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the operations of a job wait for. */
#ifndef LAGGARD_SIM_JOB_GRAPH_H
#define LAGGARD_SIM_JOB_GRAPH_H

#include "sim/job.h"

/* Fills the groups, waits_for and members of a job whose nodes are in launch order, stage after
 * stage, and have their matches. False with LAGGARD_ERROR_INPUT: a transfer has no other end, or a
 * circle. */
bool lag_job_graph(lag_job *job, GError **error);

#endif
