/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run.h"

#include <assert.h>

void lag_run_begin(const struct lag_run *run, struct lag_outcome *outcome)
{
    uint32_t n = run->plan->n_ranks;

    assert(outcome->n_ranks == n);
    /* Not yet: run refuses what no engine heeds. */
    assert(run->ranks == NULL && run->network->n_events == 0 && !run->network->store_and_forward);
    outcome->completion = 0;
    outcome->n_messages = outcome->wire_bytes = 0;
    outcome->last_to_arrive = 0;
    for (uint32_t rank = 0; rank < n; rank++) {
        outcome->done[rank] = outcome->busy[rank] = 0;
        if (run->arrival[rank] >= run->arrival[outcome->last_to_arrive])
            outcome->last_to_arrive = rank;
    }
    outcome->last_arrival = run->arrival[outcome->last_to_arrive];
    outcome->path.recorded = outcome->busy_recorded = false;
}

bool lag_run_contends(const struct lag_run *run)
{
    const struct lag_network *network = run->network;

    return network->fluid &&
           (network->eager || !network->topology->is_switch || !lag_plan_is_one_port(run->plan));
}
