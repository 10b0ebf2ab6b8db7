/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an engine is given: one collective to run once. */
#ifndef LAGGARD_SIM_RUN_H
#define LAGGARD_SIM_RUN_H

#include "sim/network/network.h"
#include "sim/observer.h"
#include "sim/outcome.h"
#include "sim/plan.h"

/* Everything that a run reads; borrowed, read-only. Both engines take it. */
struct lag_run {
    const struct laggard_plan *plan;
    const struct lag_network *network;
    struct lag_chunks chunks;
    const lag_seconds *arrival;          /* [n_ranks], INFINITY for a rank that never arrives */
    const lag_seconds *death;            /* [n_ranks] or NULL: enters no round from then on */
    const struct lag_observer *observer; /* or NULL; replay only */
    bool bare;                           /* leave busy times and the critical path out: quicker */
};

/* Clears an outcome, which was initialised for the plan's ranks, and notes who arrives last. */
void lag_run_begin(const struct lag_run *run, struct lag_outcome *outcome);

/* True where transfers may share a link, so that the fluid model differs from alpha-beta: on a
 * switch, where a rank has several sends or receives at once, or receives before it waits. */
bool lag_run_contends(const struct lag_run *run);

#endif
