/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A collective on its way: one plan that runs event by event on a traffic, beside whatever else
 * runs there. It may start at any time, its ranks may join as they come, and it tells when it is
 * done. Times are those of the traffic's clock. */
#ifndef LAGGARD_SIM_COLLECTIVE_H
#define LAGGARD_SIM_COLLECTIVE_H

#include "sim/run.h"
#include "sim/traffic.h"

/* It holds the scratch memory of its runs. */
typedef struct lag_collective lag_collective;
lag_collective *lag_collective_new(void);
void lag_collective_free(lag_collective *collective);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_collective, lag_collective_free)

/* Joins a traffic that has begun: once, before its first start on it. */
void lag_collective_attach(lag_collective *collective, lag_traffic *traffic);

/* Whom to tell that a collective is done, in an event of its own, first of all that is due then. */
struct lag_collective_listener {
    void (*done)(void *self, lag_collective *collective);
    void *self;
};

/* Starts a run now, when the one before is done. Ranks arrive at run->arrival, but those that are
 * INFINITY; where run->arrival is NULL they all come through join. run and outcome, which was
 * initialised for the plan's ranks, are borrowed until the end. */
void lag_collective_start(lag_collective *collective, const struct lag_run *run,
                          struct lag_outcome *outcome,
                          const struct lag_collective_listener *listener);

/* A rank whose arrival was not known is there now. */
void lag_collective_join(lag_collective *collective, uint32_t rank);

/* True where all ranks have done all rounds; the outcome is complete then. */
bool lag_collective_is_done(const lag_collective *collective);

#endif
