/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of coded aggregation share: a bed that runs one tree on a cluster of so many GPUs. */
#ifndef LAGGARD_TESTS_GRADIENT_HELPERS_H
#define LAGGARD_TESTS_GRADIENT_HELPERS_H

#include "algorithms/codes/codes.h"
#include "sim/gradient/tree-run.h"
#include "tests/helpers.h"

struct tree_bed {
    struct lag_gradient gradient;
    struct lag_lateness lateness;
    struct lag_tree_setup setup;
    struct lag_protocol_run run;
    struct lag_protocol_outcome outcome;
    lag_code *code;
    struct lag_trace trace; /* compute times, if they are given */
    lag_topology *topology;
    struct lag_network network;
};

/* A tree with a code by name ("auto": the recommended one) and a cluster that it fills; d = N points,
 * no compute time, message_time 0, one iteration. */
void tree_bed_init(struct tree_bed *bed, uint32_t degree, uint32_t depth, uint32_t stragglers,
                   const char *code);
void tree_bed_clear(struct tree_bed *bed);

/* Compute times of the workers, [n_steps][N]; borrowed. */
void tree_bed_compute(struct tree_bed *bed, double *times, uint32_t n_steps);

/* Puts it on one switch, alpha-beta or fluid. */
void tree_bed_network(struct tree_bed *bed, bool fluid, lag_rate rate, lag_seconds latency);

/* Runs it from an outcome that is empty. */
void tree_bed_run(struct tree_bed *bed);

/* The time of an iteration, from 0 on. */
lag_seconds tree_bed_iteration(const struct tree_bed *bed, uint32_t i);

#endif
