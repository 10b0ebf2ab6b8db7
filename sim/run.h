/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an engine is given: one collective to run once. */
#ifndef LAGGARD_SIM_RUN_H
#define LAGGARD_SIM_RUN_H

#include "sim/network/network.h"
#include "sim/observer.h"
#include "sim/outcome.h"
#include "sim/plan.h"
#include "sim/volume.h"

/* Everything that a run reads; borrowed, read-only. Both engines take it. */
struct lag_run {
    const struct laggard_plan *plan;
    const struct lag_network *network;
    const uint32_t *ranks; /* [n_ranks] the GPU of each rank of the plan; NULL: its own number */
    const char *name;      /* the job's, for messages; or NULL */
    lag_seconds start;     /* the job's time at this run's time 0, for the network's events [s] */
    struct lag_chunks chunks;
    /* [n_ranks], INFINITY for a rank that never arrives; NULL for those that join (collective.h). */
    const lag_seconds *arrival;
    /* [n_ranks] or NULL: after that time a rank enters no round and no transfer with it starts;
     * those under way end. */
    const lag_seconds *death;
    const struct lag_observer *observer; /* or NULL; replay only */
    const struct lag_volume *volume;     /* of plan and chunks; NULL: added up when it is needed */
    bool bare;                           /* leave busy times and the critical path out: quicker */
};

/* Clears an outcome, which was initialised for the plan's ranks, and notes who arrives last. */
void lag_run_begin(const struct lag_run *run, struct lag_outcome *outcome);

/* A collective of no bytes: every rank is done when it arrives, the collective with the last of
 * them. False with LAGGARD_ERROR_STALLED where that never comes. */
bool lag_run_nothing(const struct lag_run *run, struct lag_outcome *outcome, GError **error);

/* True where transfers may share a link or links change, so that the fluid model differs from
 * alpha-beta: on a full-duplex switch only where a rank has several sends or receives at once, or where data may come before
 * their receiver's round (eager). */
bool lag_run_contends(const struct lag_run *run);

#endif
