/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a scenario to a protocol's run, and the protocol's own look at it. */
#include "scenarios/protocol-run.h"

#include <math.h>

#include "algorithms/algorithms.h"
#include "sim/gradient/gradient.h"

/* Bounds of a port that takes so long for a message, or no time at all [B/s]. */
#define SLOWEST 1e-9
#define FASTEST 1e30

struct lag_protocol_run lag_scenario_protocol_run(const lag_scenario *scenario, uint32_t entrant,
                                                  const struct laggard_plan *plan)
{
    bool given = scenario->gradient != NULL && !isnan(scenario->gradient->message_time);
    struct lag_protocol_run run = {
        .n_workers = scenario->n_gpus,
        .n_servers = scenario->n_servers,
        .network = given || scenario->topology == NULL ? NULL : &scenario->network,
        .shared_ports = !scenario->serial_ports,
        .values = scenario->entrants[entrant].values,
        .lateness = &scenario->lateness,
        .plan = plan,
        .seed = scenario->seed,
        .training = scenario->training,
        .gradient = scenario->gradient,
    };

    if (plan != NULL)
        run.chunks = lag_plan_chunks(plan, scenario->size, scenario->element_bytes);
    return run;
}

void lag_scenario_stand_in(lag_scenario *scenario)
{
    const struct lag_gradient *gradient = scenario->gradient;
    bool any = false;

    for (uint32_t i = 0; gradient != NULL && i < scenario->n_entrants; i++)
        any = any || scenario->entrants[i].algorithm != NULL;
    if (!any || scenario->topology != NULL)
        return;
    lag_rate rate = fmin((double)scenario->size / gradient->message_time, FASTEST);
    scenario->topology =
        lag_topology_new_switch(scenario->n_gpus, fmax(rate, SLOWEST), gradient->step_latency);
    scenario->network = (struct lag_network){.topology = scenario->topology, .fluid = true};
}

/* A plan as good as any: for its shape. */
static lag_plan *some_plan(const lag_scenario *scenario, GError **error)
{
    const struct lag_entrant *aggregation = scenario->aggregation;
    const struct laggard_request request = {
        .collective = scenario->collective,
        .n_ranks = scenario->n_ranks,
        .values = aggregation->values,
        .estimate = {.size = scenario->size},
    };

    return lag_plan_new(aggregation->algorithm, &request, error);
}

bool lag_check_protocols(const struct lag_at *root, const lag_scenario *scenario, GError **error)
{
    struct lag_at list = {root, "algorithms", 0, lag_node_get(root->node, "algorithms")};
    g_autoptr(lag_plan) plan = NULL;

    for (uint32_t i = 0; i < scenario->n_entrants && scenario->n_jobs == 0; i++) {
        const struct laggard_protocol *protocol = scenario->entrants[i].protocol;
        struct lag_at at = lag_at_entry(&list, i);
        if (protocol == NULL || protocol->check == NULL)
            continue;
        if (protocol->uses_collective && scenario->aggregation != NULL && plan == NULL)
            plan = some_plan(scenario, error);
        if (protocol->uses_collective && scenario->aggregation != NULL && plan == NULL)
            return lag_refuse_prefix(&at, error);
        struct lag_protocol_run run =
            lag_scenario_protocol_run(scenario, i, protocol->uses_collective ? plan : NULL);
        if (!protocol->check(&run, error))
            return lag_refuse_prefix(&at, error);
    }
    return true;
}
