/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of routers: each router linked with all others of its group, each group with every other
 * by one link (Kim, Dally, Scott, Abts: Technology-driven, highly-scalable dragonfly topology,
 * ISCA 2008). Group i's links to groups i + 1, i + 2, ... are spread over its routers in order.
 *
 * Pairs of links: endpoint e - router: e. Within groups: next, by group, then as in a mesh. Between
 * groups: next, as in a mesh of groups. */
#include "sim/network/fragment.h"

enum {
    GROUPS,
    ROUTERS,
    HOSTS,
};

struct dragonfly {
    uint32_t groups, routers, hosts;    /* routers of a group, hosts of a router */
    uint32_t ports;                     /* links to other groups of a router, at most */
    uint32_t first_local, first_global; /* pairs */
};

static uint32_t n_pairs(uint32_t n)
{
    return n * (n - 1) / 2;
}

/* The number of pair (a, b), a < b, among those of n. */
static uint32_t pair_of(uint32_t n, uint32_t a, uint32_t b)
{
    return a * (2 * n - a - 1) / 2 + b - a - 1;
}

/* Which router of group i has the link to group j. */
static uint32_t gateway(const struct dragonfly *fly, uint32_t i, uint32_t j)
{
    return (j + fly->groups - i - 1) % fly->groups / fly->ports;
}

static void add_links(struct lag_fragment *fragment, struct dragonfly *fly)
{
    uint32_t first = fragment->n_endpoints; /* router */
    lag_rate rate = fragment->part.rate;
    lag_seconds latency = fragment->part.latency / 2;

    for (uint32_t e = 0; e < fragment->n_endpoints; e++)
        lag_fragment_add_pair(fragment, e, first + e / fly->hosts, rate, latency);
    fly->first_local = fragment->links->len / 2;
    for (uint32_t g = 0; g < fly->groups; g++)
        for (uint32_t a = 0; a < fly->routers; a++)
            for (uint32_t b = a + 1; b < fly->routers; b++)
                lag_fragment_add_pair(fragment, first + g * fly->routers + a,
                                      first + g * fly->routers + b, rate, latency);
    fly->first_global = fragment->links->len / 2;
    for (uint32_t i = 0; i < fly->groups; i++)
        for (uint32_t j = i + 1; j < fly->groups; j++)
            lag_fragment_add_pair(fragment, first + i * fly->routers + gateway(fly, i, j),
                                  first + j * fly->routers + gateway(fly, j, i), rate, latency);
}

static bool build(struct lag_fragment *fragment, struct lag_topology_fault *fault, GError **error)
{
    struct dragonfly *fly = g_new0(struct dragonfly, 1);

    fragment->shape = fly;
    fragment->free_shape = g_free;
    fly->groups = lag_fragment_integer(fragment, GROUPS);
    fly->routers = lag_fragment_integer(fragment, ROUTERS);
    fly->hosts = lag_fragment_integer(fragment, HOSTS);
    uint64_t room = (uint64_t)fly->groups * fly->routers * fly->hosts;
    if (room < fragment->n_endpoints)
        return lag_topology_refuse(fault, LAG_FAULT_PARAMETER, HOSTS, error,
                                   "%u groups of %u routers have room for %" G_GUINT64_FORMAT
                                   " hosts, and there are %u to join",
                                   fly->groups, fly->routers, room, fragment->n_endpoints);
    uint64_t n_local = (uint64_t)fly->groups * fly->routers * fly->routers / 2;
    if (!lag_fragment_has_room(n_local + n_pairs(fly->groups), fault, error))
        return false;
    fly->ports = MAX(1, (fly->groups + fly->routers - 2) / fly->routers);
    add_links(fragment, fly);
    fragment->n_nodes += fly->groups * fly->routers;
    return true;
}

/* From one router of a group to another. */
static void cross_group(const struct dragonfly *fly, struct lag_way *way, uint32_t group,
                        uint32_t from, uint32_t to)
{
    uint32_t base = fly->first_local + group * n_pairs(fly->routers);

    if (from != to)
        lag_way_add(way,
                    2 * (base + pair_of(fly->routers, MIN(from, to), MAX(from, to))) + (from > to));
}

static void route(const struct lag_fragment *fragment, struct lag_way *way)
{
    const struct dragonfly *fly = fragment->shape;
    uint32_t a = way->src / fly->hosts, b = way->dst / fly->hosts;
    uint32_t i = a / fly->routers, j = b / fly->routers;
    uint32_t from = a % fly->routers, to = b % fly->routers;

    lag_way_add(way, 2 * way->src);
    if (i != j) {
        uint32_t pair = fly->first_global + pair_of(fly->groups, MIN(i, j), MAX(i, j));
        cross_group(fly, way, i, from, gateway(fly, i, j));
        lag_way_add(way, 2 * pair + (i > j));
        from = gateway(fly, j, i);
    }
    cross_group(fly, way, j, from, to);
    lag_way_add(way, 2 * way->dst + 1);
}

static void node_name(const struct lag_fragment *fragment, uint32_t node, GString *name)
{
    const struct dragonfly *fly = fragment->shape;
    uint32_t i = node - fragment->n_endpoints;

    g_string_append_printf(name, "group%u.router%u", i / fly->routers, i % fly->routers);
}

static const struct lag_topology_parameter parameters[] = {
    [GROUPS] = {.name = "groups",
                .help = "each linked with every other",
                .type = LAG_TOPOLOGY_INTEGER,
                .required = true,
                .default_text = "",
                .min = 1,
                .max = 4096},
    [ROUTERS] = {.name = "routers",
                .help = "of a group, each linked with every other",
                .type = LAG_TOPOLOGY_INTEGER,
                .required = true,
                .default_text = "",
                .min = 1,
                .max = 1024},
    [HOSTS] = {.name = "hosts",
                .help = "GPUs (or NICs) at each router",
                .type = LAG_TOPOLOGY_INTEGER,
                .required = true,
                .default_text = "",
                .min = 1,
                .max = 1024},
    {.name = NULL                 },
};

const struct lag_topology_kind lag_topology_kind_dragonfly = {
    .name = "dragonfly",
    .summary = "groups of routers that are all linked, one link between any two groups",
    .drawing = "   group0                          group1\n"
               "  [router0]--[router1]----------[router0]--[router1]\n"
               "    |   |      |   |              |   |      |   |\n"
               "   gpu0 gpu1 gpu2 gpu3           gpu4 gpu5 gpu6 gpu7\n",
    .bisection_formula = "by max-flow; at most (groups / 2)^2 B with whole groups in each half",
    .routing = "minimal: to the router with the link to the other group, over it, to the other "
               "router",
    .parameters = parameters,
    .build = build,
    .route = route,
    .node_name = node_name,
};
