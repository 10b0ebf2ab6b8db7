/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/network.h"

bool lag_network_is_one_switch(const struct lag_network *network)
{
    const lag_topology *topology = network->topology;

    for (uint32_t link = 0; link < topology->n_links; link++)
        if (topology->links[link].pool != link)
            return false;
    return topology->is_switch && !network->store_and_forward;
}

struct lag_cost lag_network_cost_of_route(const struct lag_network *network, struct lag_route route,
                                          lag_bytes bytes)
{
    const struct lag_link *links = network->topology->links;
    struct lag_cost cost = {.link = route.links[0]};

    for (uint32_t i = 0; i < route.n_links; i++) {
        const struct lag_link *link = &links[route.links[i]];
        cost.latency += link->latency;
        if (link->rate < links[cost.link].rate)
            cost.link = route.links[i];
    }
    cost.wire = (lag_seconds)bytes / links[cost.link].rate;
    return cost;
}

lag_seconds lag_adding_time(const struct lag_adding *adding, lag_bytes bytes)
{
    double amount = (double)bytes;
    uint32_t last = adding->n - 1, i = 0;

    if (bytes == 0)
        return 0;
    if (adding->n == 0)
        return amount * adding->slope;
    if (amount > adding->bytes[last])
        return adding->seconds[last] + (amount - adding->bytes[last]) * adding->slope;
    while (adding->bytes[i] < amount)
        i++;
    if (i == 0)
        return adding->seconds[0];
    double along = (amount - adding->bytes[i - 1]) / (adding->bytes[i] - adding->bytes[i - 1]);
    return adding->seconds[i - 1] + along * (adding->seconds[i] - adding->seconds[i - 1]);
}
