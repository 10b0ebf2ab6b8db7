/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves and spines; with 3 levels also pods, whose spines are joined by cores (Al-Fares,
 * Loukissas, Vahdat: A scalable, commodity data center network architecture, SIGCOMM 2008).
 *
 * A leaf has g endpoints. With oversubscription o its links up have g B / o together: as many
 * links of B as that is, rounded up, each to another spine and all of the same rate; or as many as
 * the user says. The same holds for a spine of a pod with its leaves, one level up. Spine j of
 * each pod has the cores j c .. j c + c - 1, c = links up of a spine.
 *
 * Pairs of links: endpoint e - leaf: e. Leaf l - its j-th spine: next, l s + j. Spine k - its j-th
 * core: next, k c + j. */
#include <math.h>

#include "sim/network/fragment.h"

enum {
    GPUS_PER_LEAF,
    OVERSUBSCRIPTION,
    LEVELS,
    LEAVES_PER_POD,
    SPINES,
};

struct tree {
    uint32_t n_endpoints, per_leaf; /* endpoints of a leaf */
    uint32_t n_leaves, per_pod;     /* leaves of a pod */
    uint32_t n_spines, up;          /* spines of a pod, which are the links up of a leaf */
    uint32_t n_pods, cores;         /* cores of a spine; 0: 2 levels, one pod */
    double oversubscription;        /* of the leaves or of both levels, whichever is more */
};

/* Links up for so many of `rate` below, and the rate of each. */
static uint32_t links_up(double below, double oversubscription, lag_rate *rate)
{
    double up = ceil(below / oversubscription * (1 - 1e-12));

    *rate *= below / oversubscription / up;
    return (uint32_t)up;
}

static void add_leaves(struct lag_fragment *fragment, const struct tree *tree, lag_rate leaf_rate)
{
    lag_seconds latency = fragment->part.latency / 2;
    uint32_t first_leaf = tree->n_endpoints, first_spine = first_leaf + tree->n_leaves;

    for (uint32_t e = 0; e < tree->n_endpoints; e++)
        lag_fragment_add_pair(fragment, e, first_leaf + e / tree->per_leaf, fragment->part.rate,
                              latency);
    for (uint32_t leaf = 0; leaf < tree->n_leaves; leaf++)
        for (uint32_t j = 0; j < tree->up; j++) {
            uint32_t spine = leaf / tree->per_pod * tree->up + j;
            lag_fragment_add_pair(fragment, first_leaf + leaf, first_spine + spine, leaf_rate,
                                  latency);
        }
}

static void add_cores(struct lag_fragment *fragment, const struct tree *tree, lag_rate spine_rate)
{
    uint32_t first_spine = tree->n_endpoints + tree->n_leaves;
    uint32_t first_core = first_spine + tree->n_spines;

    for (uint32_t spine = 0; spine < tree->n_spines; spine++)
        for (uint32_t j = 0; j < tree->cores; j++)
            lag_fragment_add_pair(fragment, first_spine + spine,
                                  first_core + spine % tree->up * tree->cores + j, spine_rate,
                                  fragment->part.latency / 2);
}

static bool check(const struct lag_fragment *fragment, struct lag_topology_fault *fault,
                  GError **error)
{
    const struct lag_topology_value *values = fragment->part.values;
    uint32_t levels = lag_fragment_integer(fragment, LEVELS);
    uint32_t n_given = values[OVERSUBSCRIPTION].n;

    if (n_given > 1 && n_given != levels - 1)
        return lag_topology_refuse(fault, LAG_FAULT_PARAMETER, OVERSUBSCRIPTION, error,
                                   "%u numbers for %u levels; expected one, or one for each "
                                   "level of links above the leaves",
                                   n_given, levels);
    if (levels == 2 && values[LEAVES_PER_POD].n > 0)
        return lag_topology_refuse(fault, LAG_FAULT_PARAMETER, LEAVES_PER_POD, error,
                                   "2 levels have no pods; levels: 3 has");
    return true;
}

static bool build(struct lag_fragment *fragment, struct lag_topology_fault *fault, GError **error)
{
    struct tree *tree = g_new0(struct tree, 1);
    lag_rate rate = fragment->part.rate;

    fragment->shape = tree;
    fragment->free_shape = g_free;
    if (!check(fragment, fault, error))
        return false;
    uint32_t levels = lag_fragment_integer(fragment, LEVELS);
    uint32_t pod = lag_fragment_integer(fragment, LEAVES_PER_POD);
    uint32_t spines = lag_fragment_integer(fragment, SPINES);
    double over_leaf = lag_fragment_number(fragment, OVERSUBSCRIPTION, 0);
    double over_spine = lag_fragment_number(fragment, OVERSUBSCRIPTION, 1);

    tree->n_endpoints = fragment->n_endpoints;
    tree->per_leaf = lag_fragment_integer(fragment, GPUS_PER_LEAF);
    tree->n_leaves = (tree->n_endpoints + tree->per_leaf - 1) / tree->per_leaf;
    tree->per_pod = levels == 2 ? tree->n_leaves : pod > 0 ? pod : tree->per_leaf;
    tree->n_pods = (tree->n_leaves + tree->per_pod - 1) / tree->per_pod;
    tree->oversubscription = over_leaf;
    if (spines > 0) {
        rate *= tree->per_leaf / (over_leaf * spines);
        tree->up = spines;
    } else {
        tree->up = links_up(tree->per_leaf, over_leaf, &rate);
    }
    if (!lag_fragment_has_room((uint64_t)tree->n_leaves * tree->up, fault, error))
        return false;
    tree->n_spines = tree->n_pods * tree->up;
    add_leaves(fragment, tree, rate);
    if (levels == 3) {
        tree->oversubscription *= MAX(over_spine, 1);
        tree->cores = links_up(tree->per_pod, over_spine, &rate);
        if (!lag_fragment_has_room((uint64_t)tree->n_spines * tree->cores, fault, error))
            return false;
        add_cores(fragment, tree, rate);
    }
    fragment->n_nodes += tree->n_leaves + tree->n_spines + tree->up * tree->cores;
    return true;
}

static void route(const struct lag_fragment *fragment, struct lag_way *way)
{
    const struct tree *tree = fragment->shape;
    uint32_t a = way->src / tree->per_leaf, b = way->dst / tree->per_leaf; /* leaves */
    uint32_t p = a / tree->per_pod, q = b / tree->per_pod;
    uint32_t leaf_pairs = tree->n_endpoints;
    uint32_t spine_pairs = leaf_pairs + tree->n_leaves * tree->up;

    lag_way_add(way, 2 * way->src);
    if (a != b) {
        uint32_t spine = lag_way_choose(way, tree->up);
        lag_way_add(way, 2 * (leaf_pairs + a * tree->up + spine));
        if (p != q) {
            uint32_t core = lag_way_choose(way, tree->cores);
            uint32_t from = p * tree->up + spine, to = q * tree->up + spine;
            lag_way_add(way, 2 * (spine_pairs + from * tree->cores + core));
            lag_way_add(way, 2 * (spine_pairs + to * tree->cores + core) + 1);
        }
        lag_way_add(way, 2 * (leaf_pairs + b * tree->up + spine) + 1);
    }
    lag_way_add(way, 2 * way->dst + 1);
}

static void node_name(const struct lag_fragment *fragment, uint32_t node, GString *name)
{
    const struct tree *tree = fragment->shape;
    uint32_t i = node - tree->n_endpoints;

    if (i < tree->n_leaves)
        g_string_append_printf(name, "leaf%u", i);
    else if (i < tree->n_leaves + tree->n_spines)
        g_string_append_printf(name, "spine%u", i - tree->n_leaves);
    else
        g_string_append_printf(name, "core%u", i - tree->n_leaves - tree->n_spines);
}

/* Where the halves are whole leaves of an even number, or whole pods: no other cut is smaller.
 * Oversubscription below 1 leaves the endpoints' own links. */
static bool bisection(const struct lag_fragment *fragment, lag_rate *ret_rate)
{
    const struct tree *tree = fragment->shape;
    uint32_t unit = tree->per_leaf * (tree->cores > 0 ? tree->per_pod : 1);
    double halves = fragment->part.half_duplex ? 0.5 : 1;

    uint32_t half = tree->n_endpoints / 2;
    if (tree->n_endpoints % (2 * unit) != 0)
        return false;
    *ret_rate = halves * half * fragment->part.rate / MAX(tree->oversubscription, 1);
    return true;
}

static const struct lag_topology_parameter parameters[] = {
    [GPUS_PER_LEAF] = {.name = "gpus_per_leaf",
                       .help = "GPUs (or NICs) at each leaf switch",
                       .type = LAG_TOPOLOGY_INTEGER,
                       .required = true,
                       .default_text = "",
                       .min = 1,
                       .max = 65536},
    [OVERSUBSCRIPTION] = {.name = "oversubscription",
                       .help = "capacity below a switch over that above it; a number, or one "
                                  "for each level", .type = LAG_TOPOLOGY_NUMBERS,
                       .default_text = "1",
                       .min = 0.01,
                       .max = 65536},
    [LEVELS] = {.name = "levels",
                       .help = "of switches",
                       .type = LAG_TOPOLOGY_INTEGER,
                       .default_text = "2",
                       .min = 2,
                       .max = 3},
    [LEAVES_PER_POD] = {.name = "leaves_per_pod",
                       .help = "of 3 levels; as many as GPUs at a leaf if not given",
                       .type = LAG_TOPOLOGY_INTEGER,
                       .default_text = "",
                       .min = 1,
                       .max = 65536},
    [SPINES] = {.name = "spines",
                       .help = "links up of a leaf, if the oversubscription is not to decide",
                       .type = LAG_TOPOLOGY_INTEGER,
                       .default_text = "",
                       .min = 1,
                       .max = 65536},
    {.name = NULL},
};

const struct lag_topology_kind lag_topology_kind_fat_tree = {
    .name = "fat-tree",
    .summary = "leaf switches joined by spines, and with 3 levels pods joined by cores",
    .drawing = "     [spine0]      [spine1]\n"
               "      |     \\    /     |\n"
               "      |      \\  /      |\n"
               "      |       \\/       |\n"
               "      |       /\\       |\n"
               "      |      /  \\      |\n"
               "     [leaf0]       [leaf1]\n"
               "     |     |       |     |\n"
               "   gpu0  gpu1    gpu2  gpu3\n",
    .bisection_formula = "(n / 2) B / oversubscription (of both levels, multiplied)",
    .routing = "up as far as needed, then down; the hash decides which spine and core",
    .parameters = parameters,
    .extends = true,
    .build = build,
    .route = route,
    .node_name = node_name,
    .bisection = bisection,
};
