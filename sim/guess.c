/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/guess.h"

void lag_guess_init(struct lag_guess *guess, const struct laggard_plan *plan, uint64_t seed,
                    uint32_t replication)
{
    lag_stream_init(&guess->stream, seed, replication, LAG_PURPOSE_PREDICTION, 0, 0);
    guess->hit_rate = plan->hit_rate;
    guess->n_ranks = plan->n_ranks;
}

uint32_t lag_guess_next(struct lag_guess *guess, const lag_seconds *arrival)
{
    double luck = gsl_rng_uniform(&guess->stream.rng);
    double which = gsl_rng_uniform(&guess->stream.rng);
    uint32_t last = 0;

    for (uint32_t rank = 1; rank < guess->n_ranks; rank++)
        if (arrival[rank] >= arrival[last])
            last = rank;
    if (luck < guess->hit_rate || guess->n_ranks == 1)
        return last;
    uint32_t other = (uint32_t)(which * (guess->n_ranks - 1));
    return other < last ? other : other + 1;
}
