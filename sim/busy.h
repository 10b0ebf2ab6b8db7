/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in which a rank's ports move data, where several may do so at once: the length of a union
 * of intervals. */
#ifndef LAGGARD_SIM_BUSY_H
#define LAGGARD_SIM_BUSY_H

#include <stdbool.h>

#include <glib.h>

#include "sim/units.h"

struct lag_interval {
    lag_seconds from, to;
};

struct lag_busy {
    GArray *marks; /* of (rank, interval) */
};
void lag_busy_init(struct lag_busy *busy);
void lag_busy_clear(struct lag_busy *busy);
void lag_busy_reset(struct lag_busy *busy);

/* From about 8 million intervals on it keeps no more, and knows nothing. */
void lag_busy_add(struct lag_busy *busy, uint32_t rank, struct lag_interval interval);

/* Adds the length of each rank's union to total[rank]; false where there were too many intervals.
 * Sorts what was added. */
bool lag_busy_sum(struct lag_busy *busy, lag_seconds *total);

/* The same for two intervals. */
static inline lag_seconds lag_busy_two(struct lag_interval a, struct lag_interval b)
{
    lag_seconds both = MIN(a.to, b.to) - MAX(a.from, b.from);
    lag_seconds sum = (a.to - a.from) + (b.to - b.from);

    return MIN(sum, sum - both); /* both < 0: they are apart. A minimum needs no branch. */
}

#endif
