/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chunks that follow each other up and down a tree. A chain is a tree of one child each. */
#ifndef LAGGARD_ALGORITHMS_PIPELINE_H
#define LAGGARD_ALGORITHMS_PIPELINE_H

#include "sim/laggard.h"

#define LAGGARD_MOST_CHILDREN 3

/* One rank's place in a tree: its neighbours (ranks), and how far it is from the root. */
struct laggard_place {
    uint32_t rank;
    uint32_t parent; /* LAGGARD_NONE at the root */
    uint32_t n_children, children[LAGGARD_MOST_CHILDREN];
    uint32_t depth; /* 0 at the root */
};

/* The parameter `chunks`, as an element of an algorithm's parameters. */
#define LAGGARD_MOST_CHUNKS 65536
#define LAGGARD_CHUNKS_PARAMETER(of)                                                               \
    {                                                                                              \
        .name = "chunks",                                                                          \
        .help = "how many chunks " of " is cut into; auto: as the cost model says for rendezvous " \
                "transfers on the given network, up to 4096 (16 where size and network are not "   \
                "known)",                                                                          \
        .type = LAGGARD_COUNT, .default_text = "auto", .min = 1, .max = LAGGARD_MOST_CHUNKS,       \
    }

/* The number of chunks m for a buffer of `share` x the request's size: `value`, or where it is
 * LAGGARD_AUTO, the one that makes m latency + drain share S / (m B) least, which is next to
 * sqrt(drain share S / (latency B)). `drain` is how many times the time of one chunk counts that
 * the pipeline doesn't hide: its rounds before and after the full ones, times the chunks that
 * share a port in each. */
uint32_t laggard_pipeline_chunks(const struct laggard_request *request, double value, double drain,
                                 double share);

/* Rounds of m chunks through a tree of that height: up, down, or for an allreduce both, each
 * chunk turning round at the root a round after it has come. */
uint32_t laggard_pipeline_rounds(enum laggard_collective collective, uint32_t height, uint32_t m);

/* Adds what a rank does in one round: chunks first .. first + m - 1 go up in a reduce, down in a
 * broadcast, up and down in an allreduce. */
void laggard_pipeline_step(enum laggard_collective collective, const struct laggard_place *place,
                           uint32_t height, uint32_t round, uint32_t first, uint32_t m,
                           struct laggard_step *ret);

#endif
