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
    g_free(outcome->link_bytes);
    g_free(outcome->link_capacity);
    g_clear_pointer(&outcome->path.hops, g_array_unref);
    *outcome = (struct lag_outcome){0};
}

void lag_outcome_record_links(struct lag_outcome *outcome, uint32_t n_links)
{
    if (outcome->n_links != n_links) {
        outcome->link_bytes = g_renew(double, outcome->link_bytes, n_links);
        outcome->link_capacity = g_renew(double, outcome->link_capacity, n_links);
        outcome->n_links = n_links;
    }
    for (uint32_t link = 0; link < n_links; link++)
        outcome->link_bytes[link] = outcome->link_capacity[link] = 0;
    outcome->links_recorded = true;
}
