/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whom a plan that predicts its late rank takes for it, step after step: the one who will arrive
 * last with the plan's hit rate, else one of the others, all with the same probability. */
#ifndef LAGGARD_SIM_GUESS_H
#define LAGGARD_SIM_GUESS_H

#include "sim/plan.h"
#include "sim/rng.h"

struct lag_guess {
    struct lag_stream stream;
    double hit_rate;
    uint32_t n_ranks;
};

/* The stream depends on seed and replication alone, and each guess takes as much of it, so that all
 * algorithms of a point have the same luck. Not to be copied. */
void lag_guess_init(struct lag_guess *guess, const struct laggard_plan *plan, uint64_t seed,
                    uint32_t replication);

/* The guess for a step in which the ranks arrive so, [n_ranks]. */
uint32_t lag_guess_next(struct lag_guess *guess, const lag_seconds *arrival);

#endif
