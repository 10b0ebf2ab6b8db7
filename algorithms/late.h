/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the algorithms that are made for one late rank have in common. */
#ifndef LAGGARD_ALGORITHMS_LATE_H
#define LAGGARD_ALGORITHMS_LATE_H

#include "algorithms/ring.h"

/* The parameter `straggler`, as an element of an algorithm's parameters. */
#define LAGGARD_STRAGGLER_PARAMETER                                                                \
    {                                                                                              \
        .name = "straggler",                                                                       \
        .help = "the rank that will be late; without it, whoever is missing when all others have " \
                "arrived",                                                                         \
        .type = LAGGARD_RANK, .default_text = "",                                                  \
    }

/* The rounds before the late rank is needed, where they are a ring of all others: a shift. */
static inline bool laggard_late_pattern(const struct laggard_plan *plan, uint32_t shift,
                                        uint32_t round, struct laggard_pattern *ret)
{
    if (round >= plan->n_rounds_before)
        return false;
    *ret = laggard_ring_pattern(plan->n_ranks - 1, shift, round);
    return true;
}

#endif
