/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happened, as callbacks, in order of simulated time of their cause. No I/O here. */
#ifndef LAGGARD_SIM_OBSERVER_H
#define LAGGARD_SIM_OBSERVER_H

#include "sim/laggard.h"

/* Any of the functions may be NULL; `self` is handed to each. */
struct lag_observer {
    void *self;
    /* A rank enters a round: now, its own part of the one before is done. */
    void (*entered)(void *self, lag_seconds now, uint32_t lane, uint32_t rank, uint32_t round);
    /* A transfer was decided: it holds its sender's port from `start` to `sent`, for the overhead
     * first, and its data are there at `received`. */
    void (*transfer)(void *self, uint32_t lane, uint32_t round,
                     const struct laggard_transfer *transfer, lag_seconds start, lag_seconds sent,
                     lag_seconds received);
    /* A rank has done its last round of a lane. */
    void (*finished)(void *self, lag_seconds now, uint32_t lane, uint32_t rank);
};

#endif
