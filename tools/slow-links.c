/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/slow-links.h"

#include <string.h>

void lag_slow_links_clear(struct lag_slow_links *slow)
{
    g_clear_pointer(&slow->topology.links, g_free);
}

const struct lag_network *lag_slow_network(struct lag_slow_links *slow,
                                           const lag_scenario *scenario, const double *factors)
{
    size_t n_bytes = scenario->topology->n_links * sizeof(struct lag_link);
    struct lag_link *links = g_realloc(slow->topology.links, n_bytes);

    memcpy(links, scenario->topology->links, n_bytes);
    slow->topology = *scenario->topology;
    slow->topology.links = links;
    for (uint32_t i = 0; i < slow->topology.n_links; i++) {
        struct lag_link *link = &links[i];
        if (link->from < scenario->n_gpus)
            link->rate /= factors[link->from];
        if (link->to < scenario->n_gpus)
            link->rate /= factors[link->to];
    }
    slow->network = scenario->network;
    slow->network.topology = &slow->topology;
    return &slow->network;
}
