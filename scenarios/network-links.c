/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `links:` the links of a graph, and overrides of single links of any kind. */
#include <string.h>

#include "scenarios/nearest.h"
#include "scenarios/network-form.h"

#define MOST_NAMES 100000 /* of nodes that a hint looks at */

struct link_draft {
    const char *link, *a, *b;
    double bandwidth, latency; /* below 0: not given */
    int duplex;                /* likewise */
};

static const struct lag_key override_keys[] = {
    {.name = "link",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct link_draft, link),
     .help = "gpu3->switch for one direction, gpu3--switch for both"},
    {.name = "bandwidth",
     .form = &lag_form_rate,
     .offset = offsetof(struct link_draft, bandwidth),
     .help = "of this link, per direction"},
    {.name = "latency",
     .form = &lag_form_duration,
     .offset = offsetof(struct link_draft, latency),
     .help = "of this link alone; a way through one switch has two links"},
    {.name = NULL               },
};
static const struct lag_form override_form = {
    .shape = LAG_MAPPING_OF,
    .what = "a change of a link, {link: gpu3->switch, bandwidth: 25 GB/s}",
    .keys = override_keys};

static const struct lag_key graph_keys[] = {
    {.name = "a",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct link_draft, a),
     .help = "of a graph: one end, gpu3, or any other name for a switch or a NIC"},
    {.name = "b",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct link_draft, b),
     .help = "of a graph: the other end"},
    {.name = "bandwidth",
     .form = &lag_form_rate,
     .offset = offsetof(struct link_draft, bandwidth),
     .help = "of a graph's link, per direction; the network's where it is left out"},
    {.name = "latency",
     .form = &lag_form_duration,
     .offset = offsetof(struct link_draft, latency),
     .help = "of a graph's link alone; the network's where it is left out"},
    {.name = "duplex",
     .form = &lag_form_duplex,
     .offset = offsetof(struct link_draft, duplex),
     .help = "of a graph's link; half: both directions share its bandwidth"},
    {.name = NULL},
};
static const struct lag_form graph_form = {
    .shape = LAG_MAPPING_OF,
    .what = "a link of a graph, {a: gpu0, b: switch0, bandwidth: 50 GB/s}",
    .keys = graph_keys};
static const struct lag_form *const link_alternatives[] = {&override_form, &graph_form, NULL};
static const struct lag_form link_form = {
    .shape = LAG_ONE_OF,
    .what = "a link, {link: gpu3->switch, bandwidth: 25 GB/s}, or {a: gpu0, b: gpu1}",
    .alternatives = link_alternatives};
const struct lag_form lag_form_links = {
    .shape = LAG_LIST_OF, .what = "a list of links", .item = &link_form};

static bool read_link(const struct lag_at *at, struct link_draft *link, GError **error)
{
    bool of_graph = lag_node_get(at->node, "a") != NULL || lag_node_get(at->node, "b") != NULL;

    *link = (struct link_draft){.bandwidth = -1, .latency = -1, .duplex = -1};
    return lag_read_form(at, of_graph ? &graph_form : &override_form, link, error);
}

/* True where part->part is the kind that is made of links. */
static bool is_graph(const struct lag_part *part)
{
    return strcmp(part->part.kind->name, "graph") == 0;
}

static bool add_link(const struct lag_at *at, const struct link_draft *link,
                     const struct lag_part_draft *draft, struct lag_graph_link *ret, GError **error)
{
    double rate = link->bandwidth >= 0 ? link->bandwidth : draft->bandwidth;
    double latency = link->latency >= 0 ? link->latency : MAX(draft->latency, 0);

    if (!(rate > 0))
        return lag_refuse(at, error,
                          "the key 'bandwidth' is missing, here and for the whole graph");
    *ret = (struct lag_graph_link){
        .a = link->a,
        .b = link->b,
        .rate = rate,
        .latency = latency,
        .half_duplex = link->duplex >= 0 ? link->duplex == 1 : draft->duplex == 1,
    };
    return true;
}

bool lag_read_graph(const struct lag_at *at, const struct lag_part_draft *draft, GPtrArray *keep,
                    struct lag_part *part, GError **error)
{
    struct lag_at links = {at, "links", 0, lag_node_get(at->node, "links")};
    struct lag_graph_link *list;
    struct link_draft link;

    if (links.node == NULL)
        return !is_graph(part) || lag_refuse(at, error,
                                             "the key 'links' is missing: a graph is made of them, "
                                             "[{a: gpu0, b: gpu1, bandwidth: 50 GB/s}]");
    if (!lag_expect(&links, LAG_SEQUENCE, lag_form_links.what, error))
        return false;
    list = g_new0(struct lag_graph_link, links.node->n_entries + 1);
    part->entries = g_new0(uint32_t, links.node->n_entries + 1);
    g_ptr_array_add(keep, list);
    g_ptr_array_add(keep, part->entries);
    for (uint32_t i = 0; i < links.node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(&links, i);
        if (!read_link(&entry, &link, error))
            return false;
        if (link.link != NULL)
            continue;
        if (!is_graph(part))
            return lag_refuse(&entry, error, "a %s makes its own links; 'a' and 'b' are for graph",
                              part->part.kind->name);
        if (!add_link(&entry, &link, draft, &list[part->part.n_links], error))
            return false;
        part->entries[part->part.n_links++] = i;
    }
    part->part.links = list;
    return true;
}

char *lag_hint_node(const lag_topology *topology, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    for (uint32_t node = 0; node < MIN(topology->n_nodes, MOST_NAMES); node++)
        g_ptr_array_add(names, lag_topology_node_name(topology, node));
    return lag_nearest_hint(name, (const char *const *)names->pdata, names->len);
}

/* There is no such link: which end is unknown, or what else the first end is linked with. */
bool lag_refuse_link(const struct lag_at *at, const lag_topology *topology, const char *name,
                     GError **error)
{
    g_auto(GStrv) ends = g_strsplit(name, strstr(name, "->") != NULL ? "->" : "--", 2);
    g_autoptr(GString) others = g_string_new(NULL);
    uint32_t node = 0;

    if (g_strv_length(ends) != 2)
        return lag_refuse(at, error,
                          "'%s' is no link; write gpu0->%s for one direction, gpu0--%s "
                          "for both",
                          name, "switch", "switch");
    for (uint32_t i = 0; i < 2; i++) {
        if (lag_topology_find_node(topology, ends[i], &node))
            continue;
        g_autofree char *hint = lag_hint_node(topology, ends[i]);
        return lag_refuse(at, error, "there is no link '%s': nothing is called '%s'%s", name,
                          ends[i], hint);
    }
    lag_topology_find_node(topology, ends[0], &node);
    struct lag_ports ports = lag_topology_ports(topology, node);
    for (uint32_t i = 0; i < MIN(ports.n_out, 8); i++) {
        g_autofree char *link = lag_topology_link_name(topology, ports.out[i]);
        g_string_append_printf(others, "%s%s", i > 0 ? ", " : "", link);
    }
    return lag_refuse(at, error, "there is no link '%s'; those of %s are %s%s", name, ends[0],
                      others->str, ports.n_out > 8 ? " and more" : "");
}

static bool override_link(const struct lag_at *at, lag_topology *topology, GError **error)
{
    struct lag_at name = {at, "link", 0, lag_node_get(at->node, "link")};
    struct link_draft draft;
    uint32_t links[2], n_links;

    if (!read_link(at, &draft, error))
        return false;
    if (draft.link == NULL) /* a graph's */
        return true;
    if (draft.bandwidth < 0 && draft.latency < 0)
        return lag_refuse(at, error, "changes nothing; give bandwidth or latency");
    n_links = lag_topology_find_links(topology, draft.link, links);
    if (n_links == 0)
        return lag_refuse_link(&name, topology, draft.link, error);
    for (uint32_t i = 0; i < n_links; i++) {
        if (draft.bandwidth >= 0)
            lag_topology_set_rate(topology, links[i], draft.bandwidth);
        if (draft.latency >= 0)
            topology->links[links[i]].latency = draft.latency;
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
