/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rails: endpoint e of the nodes is on rail e mod r, and a leaf switch joins the endpoints of one
 * rail of so many nodes (a unit). Spines join all leaves. NVIDIA DGX SuperPOD reference
 * architecture.
 *
 * Pairs of links: endpoint e - leaf: e. Leaf l - spine j: next, l s + j. Leaf l is rail l mod r of
 * unit l / r. */
#include <math.h>

#include "sim/network/fragment.h"

enum {
    RAILS,
    NODES_PER_LEAF,
    OVERSUBSCRIPTION,
    SPINES,
};

struct rails {
    uint32_t n_rails, per_leaf, n_units, n_leaves, n_spines;
};

static uint32_t leaf_of(const struct rails *rails, uint32_t endpoint)
{
    uint32_t unit = endpoint / rails->n_rails / rails->per_leaf;

    return unit * rails->n_rails + endpoint % rails->n_rails;
}

static void add_links(struct lag_fragment *fragment, const struct rails *rails, double up)
{
    uint32_t n = fragment->n_endpoints;
    lag_seconds latency = fragment->part.latency / 2;
    lag_rate rate = fragment->part.rate;

    for (uint32_t e = 0; e < n; e++)
        lag_fragment_add_pair(fragment, e, n + leaf_of(rails, e), rate, latency);
    for (uint32_t leaf = 0; leaf < rails->n_leaves; leaf++)
        for (uint32_t j = 0; j < rails->n_spines; j++)
            lag_fragment_add_pair(fragment, n + leaf, n + rails->n_leaves + j,
                                  rate * up / rails->n_spines, latency);
}

static bool build(struct lag_fragment *fragment, struct lag_topology_fault *fault, GError **error)
{
    const struct lag_topology_value *values = fragment->part.values;
    struct rails *rails = g_new0(struct rails, 1);
    uint32_t nodes_per_leaf = lag_fragment_integer(fragment, NODES_PER_LEAF);

    fragment->shape = rails;
    fragment->free_shape = g_free;
    rails->n_rails = fragment->rails = lag_fragment_integer(fragment, RAILS);
    uint32_t n_nodes = (fragment->n_endpoints + rails->n_rails - 1) / rails->n_rails;
    rails->per_leaf = nodes_per_leaf > 0 ? nodes_per_leaf : n_nodes;
    rails->n_units = (n_nodes + rails->per_leaf - 1) / rails->per_leaf;
    rails->n_leaves = rails->n_units * rails->n_rails;
    double up = rails->per_leaf / lag_fragment_number(fragment, OVERSUBSCRIPTION, 0);
    if (values[SPINES].n > 0)
        rails->n_spines = lag_fragment_integer(fragment, SPINES);
    else if (rails->n_leaves > 1)
        rails->n_spines = (uint32_t)ceil(up * (1 - 1e-12));
    if (rails->n_spines == 0 && rails->n_units > 1)
        return lag_topology_refuse(fault, LAG_FAULT_PARAMETER, SPINES, error,
                                   "%u leaves on a rail can't reach each other without spines",
                                   rails->n_units);
    fragment->is_split = rails->n_spines == 0 && rails->n_rails > 1;
    if (!lag_fragment_has_room((uint64_t)rails->n_leaves * rails->n_spines, fault, error))
        return false;
    add_links(fragment, rails, up);
    fragment->n_nodes += rails->n_leaves + rails->n_spines;
    return true;
}

static void route(const struct lag_fragment *fragment, struct lag_way *way)
{
    const struct rails *rails = fragment->shape;
    uint32_t a = leaf_of(rails, way->src), b = leaf_of(rails, way->dst);

    if (a != b && rails->n_spines == 0)
        return;
    lag_way_add(way, 2 * way->src);
    if (a != b) {
        uint32_t spine = lag_way_choose(way, rails->n_spines);
        lag_way_add(way, 2 * (fragment->n_endpoints + a * rails->n_spines + spine));
        lag_way_add(way, 2 * (fragment->n_endpoints + b * rails->n_spines + spine) + 1);
    }
    lag_way_add(way, 2 * way->dst + 1);
}

static void node_name(const struct lag_fragment *fragment, uint32_t node, GString *name)
{
    const struct rails *rails = fragment->shape;
    uint32_t i = node - fragment->n_endpoints;

    if (i >= rails->n_leaves)
        g_string_append_printf(name, "spine%u", i - rails->n_leaves);
    else if (rails->n_units == 1)
        g_string_append_printf(name, "rail%u", i);
    else
        g_string_append_printf(name, "unit%u.rail%u", i / rails->n_rails, i % rails->n_rails);
}

static const struct lag_topology_parameter parameters[] = {
    [RAILS] = {.name = "rails",
               .help = "NIC i of each node is on rail i mod this",
               .type = LAG_TOPOLOGY_INTEGER,
               .required = true,
               .default_text = "",
               .min = 1,
               .max = 4096},
    [NODES_PER_LEAF] = {.name = "nodes_per_leaf",
               .help = "nodes that the leaves of a unit join; all, if not given",
               .type = LAG_TOPOLOGY_INTEGER,
               .default_text = "",
               .min = 1,
               .max = 65536},
    [OVERSUBSCRIPTION] = {.name = "oversubscription",
               .help = "capacity below a leaf over that to the spines",
               .type = LAG_TOPOLOGY_NUMBERS,
               .default_text = "1",
               .min = 0.01,
               .max = 65536},
    [SPINES] = {.name = "spines",
               .help = "links up of a leaf, each to another spine; 0: rails meet inside nodes "
                        "only", .type = LAG_TOPOLOGY_INTEGER,
               .default_text = "",
               .min = 0,
               .max = 65536},
    {.name = NULL    },
};

const struct lag_topology_kind lag_topology_kind_rail = {
    .name = "rail",
    .summary = "NIC i of every node at leaf switch i, leaves joined by spines",
    .drawing = "        [spine0]      [spine1]\n"
               "          |   \\      /   |\n"
               "          |     \\  /     |        every leaf with every spine\n"
               "          |     /  \\     |\n"
               "        [rail0]       [rail1]\n"
               "         |   \\         /   |\n"
               "         |     \\     /     |\n"
               "         |       \\ /       |\n"
               "      nic0  nic1   nic0  nic1     each NIC i with rail i\n"
               "      [ node0  ]   [ node1  ]     GPUs and their switch inside\n",
    .bisection_formula = "by max-flow; (n / 2) B / oversubscription with whole units in each half",
    .routing = "by the rail's leaf, else over a spine that the hash chooses",
    .parameters = parameters,
    .build = build,
    .route = route,
    .node_name = node_name,
};
