/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many bytes each position of a plan sends to each other in all: what a network with fixed routes
 * has to carry. Rounds that are patterns are added up without their transfers. */
#ifndef LAGGARD_SIM_DEMAND_H
#define LAGGARD_SIM_DEMAND_H

#include "sim/plan.h"

struct lag_pair {
    uint32_t src, dst; /* positions; the switch is n_ranks */
    lag_bytes bytes;   /* > 0 */
};

/* Pairs by sender, then by receiver: those of sender p are first_out[p] .. first_out[p + 1] - 1;
 * in[first_in[p]] .. in[first_in[p + 1] - 1] are the numbers of those of receiver p. */
struct lag_demand {
    uint32_t n_positions;
    GArray *pairs; /* of struct lag_pair */
    uint32_t *first_out, *first_in, *in;
};
void lag_demand_init(struct lag_demand *demand, const struct laggard_plan *plan,
                     const struct lag_chunks *chunks);
void lag_demand_clear(struct lag_demand *demand);

static inline const struct lag_pair *lag_pair_at(const struct lag_demand *demand, uint32_t i)
{
    return &g_array_index(demand->pairs, struct lag_pair, i);
}

#endif
