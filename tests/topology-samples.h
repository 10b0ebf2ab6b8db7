/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Topologies of every kind, with random sizes and parameters that fit together. */
#ifndef LAGGARD_TESTS_TOPOLOGY_SAMPLES_H
#define LAGGARD_TESTS_TOPOLOGY_SAMPLES_H

#include "sim/network/compose.h"

#define SAMPLES_PER_KIND       24
#define SAMPLE_MOST_PARAMETERS 8
#define SAMPLE_MOST_NUMBERS    4
#define SAMPLE_RATE            8.0
#define SAMPLE_LATENCY         6.0

struct sample {
    uint32_t n_ranks;
    struct lag_topology_part part;
    struct lag_topology_value values[SAMPLE_MOST_PARAMETERS];
    double numbers[SAMPLE_MOST_PARAMETERS][SAMPLE_MOST_NUMBERS];
    GArray *links;    /* of struct lag_graph_link */
    GPtrArray *names; /* of char *, for them */
    uint64_t seed;
};

/* Draws from g_test_rand_*; up to about 40 ranks. The sample must stay where it is. */
void sample_draw(struct sample *sample, const struct lag_topology_kind *kind);

/* A sample to be filled: one rank, no parameter given. Then gives parameter `name` a number more.
 */
void sample_init(struct sample *sample, const struct lag_topology_kind *kind, uint32_t n_ranks);
void sample_set(struct sample *sample, const char *name, double number);
void sample_link(struct sample *sample, const char *a, const char *b, lag_rate rate);

/* "torus of 12: dims=3,4", newly allocated. */
char *sample_text(const struct sample *sample);

/* The topology, whose GPUs are the endpoints. */
lag_topology *sample_build(const struct sample *sample);
void sample_clear(struct sample *sample);

#endif
