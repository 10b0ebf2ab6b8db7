/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/replay.h"

#include <assert.h>

#include "sim/collective.h"
#include "sim/fault.h"
#include "sim/stall.h"

struct lag_replay {
    lag_traffic traffic;
    GPtrArray *collectives; /* of lag_collective, made as they are needed */
};

lag_replay *lag_replay_new(void)
{
    lag_replay *replay = g_new0(lag_replay, 1);

    lag_traffic_init(&replay->traffic);
    replay->collectives = g_ptr_array_new_with_free_func((GDestroyNotify)lag_collective_free);
    return replay;
}

void lag_replay_free(lag_replay *replay)
{
    if (replay == NULL)
        return;
    lag_traffic_clear(&replay->traffic);
    g_ptr_array_unref(replay->collectives);
    g_free(replay);
}

const char *lag_replay_objection(const struct laggard_plan *plan, const struct lag_network *network)
{
    if (plan->has_switch && !network->topology->is_switch)
        return "a switch takes part in it, and the network is more than one switch";
    return NULL;
}

static lag_collective *collective_at(lag_replay *replay, uint32_t i)
{
    if (i == replay->collectives->len)
        g_ptr_array_add(replay->collectives, lag_collective_new());
    return g_ptr_array_index(replay->collectives, i);
}

/* All ended, or the deadlock report. */
static bool report(lag_replay *replay, uint32_t n_runs, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (uint32_t i = 0; i < n_runs; i++) {
        lag_collective *collective = collective_at(replay, i);
        if (lag_collective_is_done(collective))
            continue;
        g_string_append(text, text->len == 0 ? " with " : "; ");
        lag_stall_describe(collective, text);
    }
    if (text->len == 0)
        return true;
    lag_fault_describe(&replay->traffic, text);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_STALLED, "stalled at %.9g s%s",
                replay->traffic.engine.now, text->str);
    return false;
}

static bool run_all(lag_replay *replay, const struct lag_run *runs, uint32_t n_runs,
                    struct lag_outcome *outcomes, bool shares, GError **error)
{
    assert(n_runs <= LAG_REPLAY_MOST_RUNS);
    lag_traffic_begin(&replay->traffic, runs->network, runs->start, shares);
    for (uint32_t i = 0; i < n_runs; i++) {
        assert(lag_replay_objection(runs[i].plan, runs[i].network) == NULL);
        lag_collective_attach(collective_at(replay, i), &replay->traffic);
        lag_collective_start(collective_at(replay, i), &runs[i], &outcomes[i], NULL);
    }
    lag_engine_run(&replay->traffic.engine);
    return report(replay, n_runs, error);
}

bool lag_replay_run(lag_replay *replay, const struct lag_run *run, struct lag_outcome *outcome,
                    GError **error)
{
    return run_all(replay, run, 1, outcome, lag_run_contends(run), error);
}

bool lag_replay_run_together(lag_replay *replay, const struct lag_run *runs, uint32_t n_runs,
                             struct lag_outcome *outcomes, GError **error)
{
    return run_all(replay, runs, n_runs, outcomes, runs->network->fluid, error);
}
