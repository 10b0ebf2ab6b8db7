/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/topology.h"

#include <string.h>

static void switch_route(const lag_topology *topology, uint32_t src, uint32_t dst, GArray *links)
{
    uint32_t way[] = {lag_topology_egress(topology, src), lag_topology_ingress(topology, dst)};

    g_array_append_vals(links, way, G_N_ELEMENTS(way));
}

static void switch_name(const lag_topology *topology, uint32_t node, GString *text)
{
    (void)topology;
    (void)node;
    g_string_append(text, "switch");
}

lag_topology *lag_topology_new_switch(uint32_t n_ranks, lag_rate rate, lag_seconds latency)
{
    static const struct lag_topology_ops ops = {.route = switch_route, .name = switch_name};
    lag_topology *topology = g_new(lag_topology, 1);
    uint32_t the_switch = n_ranks;

    *topology = (lag_topology){
        .ops = &ops,
        .n_ranks = n_ranks,
        .n_nodes = n_ranks + 1,
        .n_links = 2 * n_ranks,
        .links = g_new(struct lag_link, 2 * n_ranks),
        .is_switch = true,
    };
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        uint32_t out = lag_topology_egress(topology, rank);
        uint32_t in = lag_topology_ingress(topology, rank);
        topology->links[out] = (struct lag_link){rank, the_switch, rate, latency / 2, out};
        topology->links[in] = (struct lag_link){the_switch, rank, rate, latency / 2, in};
    }
    return topology;
}

void lag_topology_free(lag_topology *topology)
{
    if (topology == NULL)
        return;
    if (topology->free_shape != NULL)
        topology->free_shape(topology->shape);
    g_free(topology->links);
    g_free(topology);
}

static void append_node_name(const lag_topology *topology, uint32_t node, GString *name)
{
    if (node < topology->n_ranks)
        g_string_append_printf(name, "gpu%u", node);
    else
        topology->ops->name(topology, node, name);
}

char *lag_topology_link_name(const lag_topology *topology, uint32_t link)
{
    g_autoptr(GString) name = g_string_new(NULL);

    append_node_name(topology, topology->links[link].from, name);
    g_string_append(name, "->");
    append_node_name(topology, topology->links[link].to, name);
    return g_strdup(name->str);
}

/* Reads a node's name; false where there is no such node. */
static bool find_node(const lag_topology *topology, const char *name, uint32_t *ret_node)
{
    guint64 rank;

    for (uint32_t node = topology->n_ranks; node < topology->n_nodes; node++) {
        g_autoptr(GString) own = g_string_new(NULL);
        topology->ops->name(topology, node, own);
        if (strcmp(name, own->str) == 0) {
            *ret_node = node;
            return true;
        }
    }
    if (!g_str_has_prefix(name, "gpu") ||
        !g_ascii_string_to_unsigned(name + strlen("gpu"), 10, 0, UINT32_MAX, &rank, NULL) ||
        rank >= topology->n_ranks)
        return false;
    *ret_node = (uint32_t)rank;
    return true;
}

static uint32_t find_between(const lag_topology *topology, uint32_t from, uint32_t to,
                             uint32_t *ret_link)
{
    for (uint32_t i = 0; i < topology->n_links; i++)
        if (topology->links[i].from == from && topology->links[i].to == to) {
            *ret_link = i;
            return 1;
        }
    return 0;
}

uint32_t lag_topology_find_links(const lag_topology *topology, const char *name,
                                 uint32_t ret_links[2])
{
    bool both = strstr(name, "--") != NULL;
    g_auto(GStrv) ends = g_strsplit(name, both ? "--" : "->", 2);
    uint32_t a, b;

    if (g_strv_length(ends) != 2 || !find_node(topology, g_strstrip(ends[0]), &a) ||
        !find_node(topology, g_strstrip(ends[1]), &b))
        return 0;
    uint32_t n = find_between(topology, a, b, &ret_links[0]);
    return both ? n + find_between(topology, b, a, &ret_links[n]) : n;
}
