/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks of a job's ranks that don't agree. */
#ifndef LAGGARD_SIM_JOB_CLOCK_H
#define LAGGARD_SIM_JOB_CLOCK_H

#include "sim/job.h"

/* The clipping of gradients ends everywhere at once. Fills `clock`: a rank's median offset from
 * the others at that moment, where it is beyond LAG_CLOCK_NOTICED (less may be the rank's own work
 * at the end of it), else 0; and takes it off the rank's start times. */
#define LAG_CLOCK_NOTICED 5e-3 /* [s] */
void lag_job_align(lag_job *job);

/* The median of n > 0 values, which are sorted; of an even number the mean of the two in the
 * middle. */
double lag_median(double *values, size_t n);

#endif
