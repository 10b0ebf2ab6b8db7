/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training workload: workers take gradients of batches of samples, which enter updates of one
 * vector of parameters; a protocol says when. What all of them have in common: the sizes, how long
 * data take to be summed, and when the run is over. */
#ifndef LAGGARD_SIM_TRAINING_TRAINING_H
#define LAGGARD_SIM_TRAINING_TRAINING_H

#include "sim/learner/learner.h"
#include "sim/units.h"

enum lag_target {
    LAG_TARGET_NONE,
    LAG_TARGET_LOSS,     /* of the test samples, at most so much */
    LAG_TARGET_ACCURACY, /* at least so much */
};

/* A worker that was dead works again, from a time on. */
struct lag_return {
    uint32_t worker;
    lag_seconds at; /* of the run [s] */
};

/* Borrowed, read-only. How long a sample takes on each GPU is the run's lateness: its compute is
 * that of one sample [s]. */
struct lag_training {
    uint32_t batch;       /* samples of a worker's batch, >= 1 */
    lag_seconds overhead; /* of each batch, and each micro-batch, beside its samples [s] */
    lag_seconds
        collective_time; /* T_c; to a parameter server half of it each way; NAN: over the network */
    lag_bytes bytes;     /* of a gradient, or the parameters, on the network */
    uint64_t n_updates;  /* the run is over after so many; 0: no such limit */
    double n_samples;    /* likewise, samples that entered updates */
    lag_seconds horizon; /* likewise; what happens at that time still counts; INFINITY */
    uint64_t most_events;  /* after which it is given up */
    lag_seconds detection; /* T_det, from a death until the others go on without; INFINITY: never */
    enum lag_target target;
    double target_value;
    const struct lag_learner_setup *learner; /* NULL: for times only */
    uint32_t n_returns;
    const struct lag_return *returns; /* [n_returns] */
};

/* As it is where nothing is said: one sample a batch, no overhead, no limit but 10^9 events. */
void lag_training_init(struct lag_training *training);

#endif
