/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the algorithms that run a ring, or part of one, have in common. */
#ifndef LAGGARD_ALGORITHMS_RING_H
#define LAGGARD_ALGORITHMS_RING_H

#include "sim/laggard.h"

/* The chunk that member i of m sends in a round of a ring: i - shift - round, mod m. With shift 0
 * the sum of chunk i + 1 is complete at i after m - 1 rounds, with shift 1 that of chunk i. */
static inline uint32_t laggard_ring_chunk(uint32_t i, uint32_t m, uint32_t shift, uint32_t round)
{
    uint32_t back = shift + (round < m ? round : round - m); /* rounds are under 2 m */

    return i >= back ? i - back : i + m - back;
}

/* Of a whole collective on a ring of all ranks: a scattered sum must end at the rank of its number,
 * and only the first n - 1 rounds reduce, but in an all-gather none. */
static inline uint32_t laggard_ring_shift(const struct laggard_plan *plan)
{
    return plan->collective == LAGGARD_REDUCE_SCATTER ? 1 : 0;
}

static inline enum laggard_kind laggard_ring_kind(const struct laggard_plan *plan, uint32_t round)
{
    bool reduces = plan->collective != LAGGARD_ALL_GATHER && round < plan->n_ranks - 1;

    return reduces ? LAGGARD_REDUCE : LAGGARD_STORE;
}

static inline uint32_t laggard_ring_rounds(enum laggard_collective collective, uint32_t n)
{
    return collective == LAGGARD_ALLREDUCE ? 2 * (n - 1) : n - 1;
}

/* Adds what member i of m does in a round of a ring of positions 0 .. m - 1. */
static inline void laggard_ring_step(struct laggard_step *step, uint32_t i, uint32_t m,
                                     uint32_t shift, uint32_t round, enum laggard_kind kind)
{
    uint32_t next = i + 1 < m ? i + 1 : 0, previous = i > 0 ? i - 1 : m - 1;

    laggard_send(step, i, next, laggard_ring_chunk(i, m, shift, round), 1, kind);
    laggard_receive(step, previous, i, laggard_ring_chunk(previous, m, shift, round), 1, kind);
}

/* The same round as a pattern. */
static inline struct laggard_pattern laggard_ring_pattern(uint32_t m, uint32_t shift,
                                                          uint32_t round)
{
    return (struct laggard_pattern){
        .shape = LAGGARD_SHIFT,
        .count = m,
        .hop = 1,
        .n_chunks = 1,
        .offset = laggard_ring_chunk(0, m, shift, round),
    };
}

#endif
