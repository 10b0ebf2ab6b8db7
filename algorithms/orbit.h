/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rings over several lanes: each lane goes round all ranks in an order of its own, an orbit, with
 * its own chunks. */
#ifndef LAGGARD_ALGORITHMS_ORBIT_H
#define LAGGARD_ALGORITHMS_ORBIT_H

#include "sim/laggard.h"

/* An order of n ranks on a ring. The i-th is i x stride mod n where node_size is 0; else the ring
 * goes from node to node of so many ranks, and starts `turn` ranks further on in each. */
struct laggard_orbit {
    uint32_t n, stride, inverse; /* stride x inverse mod n = 1 mod n */
    uint32_t node_size, turn;
};

/* An orbit by stride, which shares no factor with n. */
struct laggard_orbit laggard_orbit_by_stride(uint32_t n, uint32_t stride);

/* The lane-th of several orbits that use ports and pairs evenly: where there are nodes, each
 * leaves and enters them at another rank; where not, each hops by another stride. Lane 0 is the
 * plain order. They repeat when all turns or strides have been taken. */
struct laggard_orbit laggard_orbit_of_lane(uint32_t n, uint32_t ranks_per_node, uint32_t lane);

/* The i-th rank, and which one a rank is. */
uint32_t laggard_orbit_rank(const struct laggard_orbit *orbit, uint32_t i);
uint32_t laggard_orbit_index(const struct laggard_orbit *orbit, uint32_t rank);

/* Makes plan a ring allreduce, reduce-scatter or all-gather (request->collective) on so many
 * orbits, one a lane; takes the array, which g_free frees. Chunk j of a lane belongs to the lane's
 * j-th rank and is the plan's rank x lanes + lane, so that each rank's share is in one piece. */
void laggard_orbit_describe(const struct laggard_request *request, struct laggard_orbit *orbits,
                            uint32_t n_lanes, struct laggard_plan *plan);

#endif
