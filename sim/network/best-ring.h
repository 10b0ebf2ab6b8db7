/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An order of ranks that suits a ring on a topology where rank order is no cycle.
 *
 * A ring's round is as slow as its slowest edge, so the order looked for has (1) the largest least
 * bandwidth of an edge's way (without contention), (2) then the fewest links over all ways, (3)
 * then the least sum of latencies. Few links are the stand-in for little contention: on a direct
 * topology where a ring of neighbours exists, all its edges are single links and none is shared.
 *
 * Up to 16 ranks the best order is found (Held, Karp: A dynamic programming approach to sequencing
 * problems, 1962, on a threshold of bandwidth that rises as long as there is a ring); above, one
 * from neighbour to nearest neighbour, bettered by 2-opt, where instead of (1) edges count the
 * more the slower they are. Which it was is told. Deterministic. */
#ifndef LAGGARD_SIM_NETWORK_BEST_RING_H
#define LAGGARD_SIM_NETWORK_BEST_RING_H

#include "sim/network/topology.h"

/* Ranks that an order can be asked for: costs take 8 bytes a pair. */
#define LAG_BEST_RING_MOST 2048

struct lag_ring {
    uint32_t *order;     /* [n] from 0 on; owned */
    bool exact;          /* no order is better */
    lag_rate rate;       /* the least of all edges [B/s] */
    uint32_t n_links;    /* of all edges' ways */
    uint32_t most_edges; /* that share a link, or the pool of two */
};
void lag_ring_clear(struct lag_ring *ring);

/* Those who are to be joined: ranks[0 .. n - 1] of a topology, or all n of it where ranks is NULL.
 * Orders are of their numbers 0 .. n - 1. */
struct lag_ring_members {
    const lag_topology *topology;
    const uint32_t *ranks;
    uint32_t n; /* 1 .. LAG_BEST_RING_MOST */
};
void lag_best_ring_find(const struct lag_ring_members *members, struct lag_ring *ret_ring);

/* The same figures of a given order, which is copied. */
void lag_ring_measure(const struct lag_ring_members *members, const uint32_t *order,
                      struct lag_ring *ret_ring);

#endif
