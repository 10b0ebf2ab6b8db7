/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many bytes a plan moves. Rounds that are patterns are added up without their transfers. */
#ifndef LAGGARD_SIM_VOLUME_H
#define LAGGARD_SIM_VOLUME_H

#include "sim/plan.h"

struct lag_volume {
    uint64_t n_messages;
    lag_bytes bytes;            /* of all of them */
    lag_bytes *sent, *received; /* [n_ranks] through the ports of each position, or NULL */
};

/* Adds up all rounds of all lanes; where the plan has a switch, what goes up to it and what comes
 * down from it are messages of their own. Fills what `sent` and `received` point to, where they aren't
 * NULL. */
void lag_volume_of(const struct laggard_plan *plan, const struct lag_chunks *chunks,
                   struct lag_volume *volume);

#endif
