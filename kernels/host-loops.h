/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels on a host's memory, by one thread; loops that the compiler makes vectors of. */
#ifndef LAGGARD_KERNELS_HOST_LOOPS_H
#define LAGGARD_KERNELS_HOST_LOOPS_H

#include "kernels/kernel.h"

/* Elements `from` to `to` of a job; vector[i] as in backend.h. Not for the matrix product. */
void lag_host_loop(const struct lag_job *job, void *const vector[LAG_MAX_VECTORS], uint64_t from,
                   uint64_t to);

#endif
