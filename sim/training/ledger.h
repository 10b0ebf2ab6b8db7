/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written down while a run of training goes on, and when it is over: the global parameters
 * and their version, whose time went where, the samples' fate, tests, target and limits. Engines of
 * protocols hold one, and tell it what happens; it stops the clock. */
#ifndef LAGGARD_SIM_TRAINING_LEDGER_H
#define LAGGARD_SIM_TRAINING_LEDGER_H

#include "sim/engine.h"
#include "sim/protocol.h"
#include "sim/training/training.h"

typedef struct lag_ledger {
    const struct lag_protocol_run *run; /* borrowed, as the next two */
    lag_engine *engine;
    struct lag_protocol_outcome *outcome;
    lag_learner *learner;
    uint32_t n_parameters;
    double *x;        /* [n_parameters] the global parameters */
    uint64_t version; /* updates so far */
    bool over;
} lag_ledger;

void lag_ledger_init(lag_ledger *ledger);
void lag_ledger_clear(lag_ledger *ledger);

/* At time 0, on an engine that was begun anew: parameters as they start, tested where there is a
 * learner; `weights` as lag_learner_new says. `over` where the target is met already. */
void lag_ledger_begin(lag_ledger *ledger, const struct lag_protocol_run *run, lag_engine *engine,
                      struct lag_protocol_outcome *outcome, const double *weights);

/* A worker has computed samples. Compute time counts when a piece is done, not before. Gives the
 * run up after too many events. */
void lag_ledger_computed(lag_ledger *ledger, uint32_t worker, double samples, lag_seconds duration);

/* Of what it had computed so much is thrown away; or it was given up while it ran (no samples). */
void lag_ledger_dropped(lag_ledger *ledger, uint32_t worker, double samples, lag_seconds duration);
void lag_ledger_given_up(lag_ledger *ledger, uint32_t worker, lag_seconds duration);

/* It waited, for others and for the network. */
void lag_ledger_waited(lag_ledger *ledger, uint32_t worker, lag_seconds peers, lag_seconds network);

/* Samples that were computed on a version are about to enter the next update: before it. */
void lag_ledger_used(lag_ledger *ledger, uint64_t version, double samples);

/* x was changed by so many samples: one more version. `finite`: what the learner's step said. Tests
 * and stops the clock where it is time. */
void lag_ledger_updated(lag_ledger *ledger, double samples, bool finite);

/* Nothing that helps can happen any more: the run is over, with a message. */
void lag_ledger_stall(lag_ledger *ledger, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The run is over. */
void lag_ledger_finish(lag_ledger *ledger);

#endif
