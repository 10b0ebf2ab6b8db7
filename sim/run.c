/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run.h"

#include <assert.h>
#include <math.h>

/* Notes who arrives first and last; nobody is known yet where there are no arrivals. */
static void note_arrivals(const struct lag_run *run, struct lag_outcome *outcome)
{
    outcome->last_to_arrive = 0;
    outcome->first_arrival = INFINITY;
    outcome->last_arrival = 0;
    for (uint32_t rank = 0; run->arrival != NULL && rank < outcome->n_ranks; rank++) {
        outcome->first_arrival = MIN(outcome->first_arrival, run->arrival[rank]);
        if (run->arrival[rank] >= run->arrival[outcome->last_to_arrive])
            outcome->last_to_arrive = rank;
    }
    if (run->arrival != NULL)
        outcome->last_arrival = run->arrival[outcome->last_to_arrive];
}

void lag_run_begin(const struct lag_run *run, struct lag_outcome *outcome)
{
    assert(outcome->n_ranks == run->plan->n_ranks);
    assert(!run->plan->predicts || run->plan->late_rank != LAGGARD_NONE); /* guessed by now */
    outcome->completion = 0;
    outcome->n_messages = outcome->wire_bytes = 0;
    for (uint32_t rank = 0; rank < outcome->n_ranks; rank++)
        outcome->done[rank] = outcome->busy[rank] = 0;
    note_arrivals(run, outcome);
    outcome->late_rank = run->plan->late_rank;
    outcome->path.recorded = outcome->busy_recorded = outcome->links_recorded = false;
    if (run->network->n_events > 0)
        lag_outcome_record_links(outcome, run->network->topology->n_links);
}

bool lag_run_contends(const struct lag_run *run)
{
    const struct lag_network *network = run->network;

    return network->fluid &&
           (network->eager || network->n_events > 0 || !lag_network_is_one_switch(network) ||
            !lag_plan_is_one_port(run->plan));
}

bool lag_run_nothing(const struct lag_run *run, struct lag_outcome *outcome, GError **error)
{
    lag_run_begin(run, outcome);
    uint32_t last = outcome->last_to_arrive;
    outcome->completion = outcome->last_arrival;
    memcpy(outcome->done, run->arrival, outcome->n_ranks * sizeof *outcome->done);
    outcome->busy_recorded = outcome->path.recorded = true;
    outcome->path.shares = (struct lag_shares){.wait = outcome->completion};
    outcome->path.first_rank = outcome->path.last_rank = last;
    g_array_set_size(outcome->path.hops, 0);
    if (isfinite(outcome->completion))
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_STALLED, "rank %u never arrives", last);
    return false;
}
