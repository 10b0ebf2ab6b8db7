/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A protocol: a state machine over engine events (a batch computed, a message delivered, a
 * collective finished, a timer, a death), where a collective (laggard.h) is a plan. One file
 * algorithms/NAME.c that ends in one `const struct laggard_protocol`, and one line in
 * algorithms/protocols.def. What protocols share is in sim/training/ and sim/gradient/.
 * docs/PROTOCOLS.md walks through it. */
#ifndef LAGGARD_SIM_PROTOCOL_H
#define LAGGARD_SIM_PROTOCOL_H

#include "sim/laggard.h"
#include "sim/network/network.h"
#include "sim/plan.h"
#include "sim/straggler.h"

/* What a scenario's workload is: one collective a step, training with many updates, or the sum of
 * a gradient in each iteration. */
enum laggard_workload {
    LAGGARD_COMMUNICATION,
    LAGGARD_TRAINING,
    LAGGARD_GRADIENT,
    LAGGARD_N_WORKLOADS
};

/* As it is written below `workload:`: "collective", "training", "gradient". */
const char *laggard_workload_name(enum laggard_workload workload);

struct lag_training; /* sim/training/training.h */
struct lag_gradient; /* sim/gradient/gradient.h */

/* One run: one replication of one protocol. Borrowed, read-only. */
struct lag_protocol_run {
    uint32_t n_workers;                /* GPUs 0 .. n_workers - 1 of the network */
    uint32_t n_servers;                /* and hosts n_workers .. n_workers + n_servers - 1 of it */
    const struct lag_network *network; /* NULL: the workload gives all times */
    bool shared_ports;                 /* false: a port receives one message at a time, FIFO */
    const double *values;              /* of the protocol's parameters, one each */
    const struct lag_lateness *lateness; /* speeds, laws, deaths; of n_workers ranks */
    const struct laggard_plan *plan;     /* of the collective that it uses, or NULL: none */
    struct lag_chunks chunks;            /* of the plan */
    uint64_t seed;
    uint32_t replication;
    const struct lag_training *training; /* one of the two; the other is NULL */
    const struct lag_gradient *gradient;
};

enum lag_protocol_end {
    LAG_END_OK,
    LAG_END_STALLED,            /* nothing can happen any more, or nothing that helps */
    LAG_END_UNDECODABLE,        /* the gradient can't be had from those who are left */
    LAG_END_TARGET_NOT_REACHED, /* before the horizon, or the last iteration */
    LAG_END_DIVERGED,           /* the learner's parameters are not finite any more */
    LAG_N_ENDS
};
/* "ok", "stalled", "undecodable", "target-not-reached", "diverged" */
const char *lag_protocol_end_name(enum lag_protocol_end end);

/* Where a worker's time went [s]. */
struct lag_worker_use {
    lag_seconds compute;      /* on samples that entered an update */
    lag_seconds wait_peers;   /* for other workers */
    lag_seconds wait_network; /* for messages and collectives */
    lag_seconds dropped;      /* on samples that were thrown away */
};

struct lag_curve_point {
    lag_seconds time;
    double samples;
    uint64_t updates;
    double loss, accuracy; /* of the test set; accuracy NAN: the model has none */
};

/* What one run gave. Made once, used run after run: begin empties it and keeps the memory. */
struct lag_protocol_outcome {
    uint32_t n_workers;
    enum lag_protocol_end end;
    char *message;    /* what ended it and who is waited for; NULL for LAG_END_OK; owned */
    lag_seconds time; /* of the whole run [s] */
    GArray *
        update_times; /* of lag_seconds: when each update (of training) or iteration was complete */
    double samples;   /* that entered updates */
    double samples_computed, samples_dropped;
    GArray *batches;            /* of double: samples of each update */
    GArray *staleness;          /* of double: [v] samples of staleness v */
    struct lag_worker_use *use; /* [n_workers] */
    GArray *curve;              /* of struct lag_curve_point by time; empty without a learner */
    lag_seconds time_to_target; /* NAN: no target, or not reached */
    /* Of gradient workloads. */
    double load;          /* share of the data that a worker holds, the largest */
    double residual;      /* largest relative error of a decoded gradient; NAN without real ones */
    double code_residual; /* largest |1 - a B| over decodes */
    uint64_t n_iterations, n_undecodable, n_approximate;
    /* Means per iteration along what the root waited for [s]. */
    lag_seconds encode, decode, receive, compute;
};

/* init: all memory for n_workers, and as after begin. begin: as of a run that has not happened:
 * LAG_END_OK, all numbers 0 but residual and time_to_target NAN. clear: accepts zeroed, twice. */
void lag_protocol_outcome_init(struct lag_protocol_outcome *outcome, uint32_t n_workers);
void lag_protocol_outcome_begin(struct lag_protocol_outcome *outcome);
void lag_protocol_outcome_clear(struct lag_protocol_outcome *outcome);
typedef struct lag_protocol_outcome lag_protocol_outcome;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(lag_protocol_outcome, lag_protocol_outcome_clear)

/* Sets how a run ended otherwise than well; the first of several calls counts. */
void lag_protocol_outcome_end(struct lag_protocol_outcome *outcome, enum lag_protocol_end end,
                              const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Adds samples of a staleness to the histogram. */
void lag_protocol_outcome_stale(struct lag_protocol_outcome *outcome, uint32_t staleness,
                                double samples);

/* One protocol. Names are unique among collectives and protocols.
 * check: LAGGARD_ERROR_INPUT where values and workload don't fit, or NULL where all do; called once
 * before anything runs.
 * run: one run, into an outcome after begin. False with LAGGARD_ERROR_* only where it can't be run
 * at all; every end that a simulation may have is in the outcome. */
struct laggard_protocol {
    const char *name;    /* as in a scenario */
    const char *summary; /* one line */
    const char *formula; /* of the time of an update or iteration, for people */
    const char *source;  /* where it is from */
    enum laggard_workload workload;
    const struct laggard_parameter *parameters; /* ends with a NULL name; NULL for none */
    uint32_t n_servers;   /* hosts of its own beside the GPUs: the master, the parameter server */
    bool uses_collective; /* the run has a plan, or the workload gives a collective's time */
    bool (*check)(const struct lag_protocol_run *run, GError **error);
    bool (*run)(const struct lag_protocol_run *run, struct lag_protocol_outcome *outcome,
                GError **error);
};

#endif
