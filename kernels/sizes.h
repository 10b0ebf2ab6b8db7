/* SPDX-License-Identifier: GPL-3.0-or-later */
/* At which sizes a kernel is timed: 1 KiB and up by a factor, as far as the arena reaches. */
#ifndef LAGGARD_KERNELS_SIZES_H
#define LAGGARD_KERNELS_SIZES_H

#include "kernels/backend.h"

#define LAG_MOST_SIZES 96

/* How much memory the vectors may have: an eighth of it, enough to leave the caches. */
uint64_t lag_arena_bytes(const struct lag_device *device, const struct lag_options *options);

/* Values of `n` for a job, increasing; returns how many. */
uint32_t lag_sizes(const struct lag_job *job, const struct lag_device *device, bool quick,
                   uint64_t arena, uint64_t ret[LAG_MOST_SIZES]);

#endif
