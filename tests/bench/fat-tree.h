/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contended case that bench-fabric and bench-simgrid simulate: a ring on a 2-level fat-tree,
 * 4:1 oversubscribed, seeded random placement, every rank late by another time and every port of
 * another rate. Leaves of 8 hosts, 2 spines; a leaf's cable to a spine has the rate of one port,
 * each direction. All latency is on the ports' links, so that all ways are equally long. In C and
 * C++. */
#ifndef LAGGARD_TESTS_BENCH_FAT_TREE_H
#define LAGGARD_TESTS_BENCH_FAT_TREE_H

#include <stdint.h>

#define TREE_RATE    100e9 /* of a port, at most, and of a cable [B/s] */
#define TREE_LATENCY 5e-6  /* end to end [s] */
#define TREE_BYTES   ((uint64_t)1 << 30)
#define TREE_HOSTS   8u /* of a leaf */
#define TREE_SPINES  2u

/* splitmix64 (Steele, Lea, Flood 2014): the same numbers in both programs. */
static inline uint64_t tree_hash(uint64_t key)
{
    uint64_t z = key * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double tree_uniform(uint64_t purpose, uint64_t rank)
{
    return (double)(tree_hash(purpose << 32 | (rank + 1)) >> 11) * 0x1p-53;
}

/* leaf[rank] of each rank: Fisher and Yates over the hosts. */
static inline void tree_place(uint32_t n_ranks, uint32_t *leaf)
{
    for (uint32_t i = 0; i < n_ranks; i++)
        leaf[i] = i / TREE_HOSTS;
    for (uint32_t i = n_ranks; i-- > 1;) {
        uint32_t k = (uint32_t)(tree_hash(UINT64_C(1) << 32 | i) % (i + 1)), swap = leaf[i];
        leaf[i] = leaf[k];
        leaf[k] = swap;
    }
}

static inline uint32_t tree_spine(uint32_t src, uint32_t dst)
{
    return (uint32_t)(tree_hash((uint64_t)src << 32 | dst) % TREE_SPINES);
}

/* Rate of a rank's port, out (0) or in (1), within 10 %. */
static inline double tree_port_rate(uint32_t rank, uint32_t direction)
{
    return TREE_RATE * (0.9 + 0.1 * tree_uniform(2 + direction, rank));
}

/* Arrivals within a round of each other. */
static inline double tree_arrival(uint32_t n_ranks, uint32_t rank)
{
    return ((double)TREE_BYTES / n_ranks / TREE_RATE + TREE_LATENCY) * tree_uniform(4, rank);
}

#endif
