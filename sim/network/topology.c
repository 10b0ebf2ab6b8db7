/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/topology.h"

#include <assert.h>
#include <string.h>

#include "sim/network/composition.h"

lag_topology *lag_topology_new_switch(uint32_t n_ranks, lag_rate rate, lag_seconds latency)
{
    const struct lag_topology_request request = {
        .n_ranks = n_ranks,
        .outer = {.kind = lag_topology_kind_find("switch"), .rate = rate, .latency = latency},
    };
    struct lag_topology_fault fault;
    lag_topology *topology = lag_topology_compose(&request, &fault, NULL);

    assert(topology != NULL && "a switch of a positive rate");
    return topology;
}

void lag_topology_free(lag_topology *topology)
{
    if (topology == NULL)
        return;
    lag_composition_free(topology->composition);
    g_free(topology->adjacency.first_out);
    g_free(topology->adjacency.out);
    g_free(topology->adjacency.first_in);
    g_free(topology->adjacency.in);
    g_free(topology->links);
    g_free(topology);
}

lag_rate lag_topology_rate_out(const lag_topology *topology, uint32_t rank)
{
    struct lag_ports ports = lag_topology_ports(topology, rank);
    lag_rate rate = 0;

    for (uint32_t i = 0; i < ports.n_out; i++)
        rate += topology->links[ports.out[i]].rate;
    return rate;
}

void lag_topology_route(const lag_topology *topology, uint32_t src, uint32_t dst, GArray *links)
{
    const struct lag_composition *composition = topology->composition;
    uint64_t pair = (uint64_t)src << 32 | dst;

    if (src == dst)
        return;
    const GArray *prescribed = composition->static_routes != NULL
                                   ? g_hash_table_lookup(composition->static_routes, &pair)
                                   : NULL;
    if (prescribed != NULL)
        g_array_append_vals(links, prescribed->data, prescribed->len);
    else
        lag_composition_route(composition, lag_composition_place(composition, src),
                              lag_composition_place(composition, dst), links);
}

static void append_node_name(const lag_topology *topology, uint32_t node, GString *name)
{
    if (node < topology->n_ranks)
        lag_composition_host_name(topology->composition, node, name);
    else
        lag_composition_name(topology->composition, topology->n_ranks, node, name);
}

char *lag_topology_node_name(const lag_topology *topology, uint32_t node)
{
    g_autoptr(GString) name = g_string_new(NULL);

    append_node_name(topology, node, name);
    return g_string_free(g_steal_pointer(&name), FALSE);
}

char *lag_topology_link_name(const lag_topology *topology, uint32_t link)
{
    g_autoptr(GString) name = g_string_new(NULL);

    append_node_name(topology, topology->links[link].from, name);
    g_string_append(name, "->");
    append_node_name(topology, topology->links[link].to, name);
    return g_string_free(g_steal_pointer(&name), FALSE);
}

/* Nodes that are not GPUs, by name. */
static GHashTable *index_names(const lag_topology *topology)
{
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (uint32_t node = topology->n_ranks; node < topology->n_nodes; node++)
        g_hash_table_insert(names, lag_topology_node_name(topology, node), GUINT_TO_POINTER(node));
    return names;
}

static GHashTable *names_of(const lag_topology *topology)
{
    struct lag_composition *composition = topology->composition;

    if (g_once_init_enter(&composition->has_names)) {
        composition->names = index_names(topology);
        g_once_init_leave(&composition->has_names, 1);
    }
    return composition->names;
}

/* "gpu3", of so many. */
static bool find_numbered(const char *name, const char *start, uint32_t n, uint32_t *ret)
{
    guint64 number;

    if (!g_str_has_prefix(name, start) ||
        !g_ascii_string_to_unsigned(name + strlen(start), 10, 0, UINT32_MAX, &number, NULL) ||
        number >= n)
        return false;
    *ret = (uint32_t)number;
    return true;
}

bool lag_topology_find_node(const lag_topology *topology, const char *name, uint32_t *ret_node)
{
    uint32_t n_gpus = topology->n_ranks - topology->n_servers;
    gpointer node;

    if (find_numbered(name, "gpu", n_gpus, ret_node))
        return true;
    if (find_numbered(name, "server", topology->n_servers, ret_node)) {
        *ret_node += n_gpus;
        return true;
    }
    if (!g_hash_table_lookup_extended(names_of(topology), name, NULL, &node))
        return false;
    *ret_node = GPOINTER_TO_UINT(node);
    return true;
}

/* Looks at the links of the end that has fewer. */
static uint32_t find_between(const lag_topology *topology, uint32_t from, uint32_t to,
                             uint32_t *ret_link)
{
    struct lag_ports a = lag_topology_ports(topology, from), b = lag_topology_ports(topology, to);
    const uint32_t *numbers = a.n_out <= b.n_in ? a.out : b.in;

    for (uint32_t i = 0; i < MIN(a.n_out, b.n_in); i++) {
        const struct lag_link *link = &topology->links[numbers[i]];
        if (link->from == from && link->to == to) {
            *ret_link = numbers[i];
            return 1;
        }
    }
    return 0;
}

uint32_t lag_topology_find_links(const lag_topology *topology, const char *name,
                                 uint32_t ret_links[2])
{
    bool both = strstr(name, "--") != NULL;
    g_auto(GStrv) ends = g_strsplit(name, both ? "--" : "->", 2);
    uint32_t a, b;

    if (g_strv_length(ends) != 2 || !lag_topology_find_node(topology, g_strstrip(ends[0]), &a) ||
        !lag_topology_find_node(topology, g_strstrip(ends[1]), &b))
        return 0;
    uint32_t n = find_between(topology, a, b, &ret_links[0]);
    return both ? n + find_between(topology, b, a, &ret_links[n]) : n;
}

void lag_topology_set_rate(lag_topology *topology, uint32_t link, lag_rate rate)
{
    uint32_t pool = topology->links[link].pool;
    struct lag_ports ports = lag_topology_ports(topology, topology->links[pool].to);

    topology->links[link].rate = topology->links[pool].rate = rate;
    for (uint32_t i = 0; i < ports.n_out; i++)
        if (topology->links[ports.out[i]].pool == pool)
            topology->links[ports.out[i]].rate = rate;
}
