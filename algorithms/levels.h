/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allreduces made of levels: ranks form a grid of levels (a node's ranks, a rack's nodes; the
 * dimensions of a torus); a reduce-scatter inside each line of the first level leaves every rank a
 * part, the lines of the next go on with that, the last level allreduces, and all-gathers lead
 * back. */
#ifndef LAGGARD_ALGORITHMS_LEVELS_H
#define LAGGARD_ALGORITHMS_LEVELS_H

#include "sim/laggard.h"

#define LAGGARD_MOST_LEVELS 3

/* A level: lines of `size` ranks that are `stride` apart, and what they run. */
struct laggard_level {
    const struct laggard_algorithm *algorithm;
    uint32_t size, stride;
};

/* The sizes of all levels of all lanes multiply to the request's ranks. Fills the plan: lane i does
 * its share of the buffer through levels[i][0], levels[i][1], .. False with LAGGARD_ERROR_INPUT
 * where an algorithm doesn't take its level. All lanes must come to as many chunks. */
bool laggard_levels_describe(const struct laggard_request *request,
                             const struct laggard_level (*levels)[LAGGARD_MOST_LEVELS],
                             uint32_t n_levels, uint32_t n_lanes, struct laggard_plan *plan,
                             GError **error);

/* The divisor of n that is next to its square root, and not above it. */
uint32_t laggard_square_divisor(uint32_t n);

#endif
