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

/* How it is guessed where it isn't fixed, and how its chunks are padded; the three stand first. */
enum {
    LAGGARD_LATE_STRAGGLER,
    LAGGARD_LATE_HIT_RATE,
    LAGGARD_LATE_PADDING,
    LAGGARD_N_LATE
};
#define LAGGARD_HIT_RATE_PARAMETER                                                                 \
    {                                                                                              \
        .name = "hit_rate",                                                                        \
        .help = "the straggler is predicted before each step: right with this probability, else "  \
                "any other rank",                                                                  \
        .type = LAGGARD_SHARE, .default_text = "",                                                 \
    }
#define LAGGARD_PADDING_PARAMETER                                                                  \
    {                                                                                              \
        .name = "padding",                                                                         \
        .help = "chunks are the smallest multiple of it that is over size / chunks, as in the "    \
                "authors' code (1KiB, in v2 4KiB)",                                                \
        .type = LAGGARD_CHOICE, .default_text = "none", .choices = "none|1KiB|4KiB",               \
    }

/* Reads them into a plan. False with LAGGARD_ERROR_INPUT where two of them exclude each other. */
static inline bool laggard_late_read(const double *values, struct laggard_plan *plan,
                                     GError **error)
{
    static const uint32_t paddings[] = {0, 1024, 4096};
    double hit_rate = values[LAGGARD_LATE_HIT_RATE];

    plan->late_rank = (uint32_t)values[LAGGARD_LATE_STRAGGLER];
    plan->padding = paddings[(size_t)values[LAGGARD_LATE_PADDING]];
    plan->predicts = hit_rate != LAGGARD_NONE;
    plan->hit_rate = plan->predicts ? hit_rate : 0;
    if (!plan->predicts || plan->late_rank == LAGGARD_NONE)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "straggler fixes the rank that hit_rate would predict: leave one of them out");
    return false;
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
