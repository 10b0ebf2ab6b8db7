/* SPDX-License-Identifier: GPL-3.0-or-later */
/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014): the
 * generator of the published test vectors of SGD, where a plain seed must give the same indices
 * everywhere. What needs streams by name takes sim/rng.h. */
#ifndef LAGGARD_SIM_LEARNER_SPLITMIX_H
#define LAGGARD_SIM_LEARNER_SPLITMIX_H

#include <stdint.h>

/* The next 64 bits; *state is the seed at first. */
static inline uint64_t lag_splitmix_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A number in [0, 1), of 53 bits. */
static inline double lag_splitmix_uniform(uint64_t *state)
{
    return (double)(lag_splitmix_next(state) >> 11) * (1.0 / 9007199254740992.0);
}

#endif
