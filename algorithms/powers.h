/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Powers of two, for algorithms that halve and double. */
#ifndef LAGGARD_ALGORITHMS_POWERS_H
#define LAGGARD_ALGORITHMS_POWERS_H

#include <stdint.h>

/* ceil(log2 n), for n >= 1. */
static inline uint32_t laggard_ceil_log2(uint32_t n)
{
    uint32_t log = 0;

    while ((uint64_t)1 << log < n)
        log++;
    return log;
}

/* The largest power of two that is not over n >= 1. */
static inline uint32_t laggard_floor_power(uint32_t n)
{
    uint32_t power = 1;

    while (power <= n / 2)
        power *= 2;
    return power;
}

#endif
