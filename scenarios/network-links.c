/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `links:` overrides of single links. */
#include "scenarios/network-form.h"

struct override {
    const char *link;
    double bandwidth, latency; /* below 0: not given */
};

static const struct lag_key override_keys[] = {
    {.name = "link",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct override, link),
     .help = "gpu3->switch for one direction, gpu3--switch for both"},
    {.name = "bandwidth",
     .form = &lag_form_rate,
     .offset = offsetof(struct override, bandwidth),
     .help = "of this link, per direction"},
    {.name = "latency",
     .form = &lag_form_duration,
     .offset = offsetof(struct override, latency),
     .help = "of this link alone; a way through the switch has two links"},
    {.name = NULL               },
};
static const struct lag_form override_form = {
    .shape = LAG_MAPPING_OF,
    .what = "a link, {link: gpu3->switch, bandwidth: 25 GB/s}",
    .keys = override_keys};
const struct lag_form lag_form_links = {
    .shape = LAG_LIST_OF, .what = "a list of links", .item = &override_form};

static bool override_link(const struct lag_at *at, lag_topology *topology, GError **error)
{
    struct override override = {.bandwidth = -1, .latency = -1};
    uint32_t links[2], n_links;

    if (!lag_read_form(at, &override_form, &override, error))
        return false;
    if (override.bandwidth < 0 && override.latency < 0)
        return lag_refuse(at, error, "changes nothing; give bandwidth or latency");
    n_links = lag_topology_find_links(topology, override.link, links);
    if (n_links == 0) {
        struct lag_at link = {at, "link", 0, lag_node_get(at->node, "link")};
        return lag_refuse(&link, error,
                          "there is no link '%s'; links are gpu0->switch and switch->gpu0 to "
                          "gpu%u, gpu0--switch means both directions",
                          override.link, topology->n_ranks - 1);
    }
    for (uint32_t i = 0; i < n_links; i++) {
        struct lag_link *link = &topology->links[links[i]];
        link->rate = override.bandwidth < 0 ? link->rate : override.bandwidth;
        link->latency = override.latency < 0 ? link->latency : override.latency;
    }
    return true;
}

bool lag_network_override(const struct lag_at *network, lag_topology *topology, GError **error)
{
    struct lag_at links = {network, "links", 0, lag_node_get(network->node, "links")};

    if (links.node == NULL)
        return true;
    if (!lag_expect(&links, LAG_SEQUENCE, lag_form_links.what, error))
        return false;
    for (uint32_t i = 0; i < links.node->n_entries; i++) {
        struct lag_at link = lag_at_entry(&links, i);
        if (!override_link(&link, topology, error))
            return false;
    }
    return true;
}
