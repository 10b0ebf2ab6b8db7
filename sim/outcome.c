/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/outcome.h"

void lag_outcome_init(struct lag_outcome *outcome, uint32_t n_ranks)
{
    *outcome = (struct lag_outcome){
        .n_ranks = n_ranks,
        .done = g_new0(lag_seconds, n_ranks),
        .busy = g_new0(lag_seconds, n_ranks),
        .path.hops = g_array_new(FALSE, FALSE, sizeof(struct lag_hop)),
    };
}

void lag_outcome_clear(struct lag_outcome *outcome)
{
    if (outcome == NULL)
        return;
    g_free(outcome->done);
    g_free(outcome->busy);
    g_clear_pointer(&outcome->path.hops, g_array_unref);
    *outcome = (struct lag_outcome){0};
}
