/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's own links. Endpoints are called gpu0, gpu1, ... (NICs by their own names); every other
 * name is a switch, which is never a rank. Links between endpoints are as good as any, and
 * endpoints forward.
 *
 * Ways have the fewest links. Distances are kept for the nodes of more than one link only: GPUs at
 * switches go by their switch. */
#include <math.h>
#include <string.h>

#include "sim/network/fragment.h"

/* Nodes of more than one link: their distances take 2 bytes a pair, and stay below FAR. */
#define MOST_INNER 8192u
#define FAR        UINT16_MAX

struct graph {
    GPtrArray *names;         /* of char *: of nodes n_endpoints, ... */
    uint32_t *first, *links;  /* out of each node, in compressed rows */
    uint32_t n_inner, *inner; /* the node's number among the inner ones, or UINT32_MAX */
    uint16_t *distance;       /* [n_inner x n_inner], in links */
};

/* While building: the node of each name, the link of each pair of nodes. */
struct draft {
    struct lag_fragment *fragment;
    struct graph *graph;
    GHashTable *nodes, *pairs;
    struct lag_topology_fault *fault;
};

static void free_graph(void *data)
{
    struct graph *graph = data;

    g_ptr_array_unref(graph->names);
    g_free(graph->first);
    g_free(graph->links);
    g_free(graph->inner);
    g_free(graph->distance);
    g_free(graph);
}

static void add_name(struct draft *draft, const char *name, uint32_t node)
{
    g_hash_table_insert(draft->nodes, g_strdup(name), GUINT_TO_POINTER(node));
}

static void name_endpoints(struct draft *draft)
{
    const struct lag_fragment *fragment = draft->fragment;

    for (uint32_t e = 0; e < fragment->n_endpoints; e++) {
        g_autoptr(GString) name = g_string_new(NULL);
        if (fragment->name_endpoint != NULL)
            fragment->name_endpoint(fragment->who, e, name);
        else
            g_string_printf(name, "gpu%u", e);
        add_name(draft, name->str, e);
    }
}

/* True for what only a GPU or a part of a node may be called. */
static bool is_reserved(const struct lag_fragment *fragment, const char *name)
{
    static const char *const starts[] = {"gpu", "node"};
    size_t n = fragment->name_endpoint != NULL ? 2 : 1;

    for (size_t i = 0; i < n; i++)
        if (g_str_has_prefix(name, starts[i]) && g_ascii_isdigit(name[strlen(starts[i])]))
            return true;
    return false;
}

static bool find_node(struct draft *draft, uint32_t link, const char *name, uint32_t *ret_node,
                      GError **error)
{
    gpointer node;

    if (g_hash_table_lookup_extended(draft->nodes, name, NULL, &node)) {
        *ret_node = GPOINTER_TO_UINT(node);
        return true;
    }
    if (is_reserved(draft->fragment, name))
        return lag_topology_refuse(draft->fault, LAG_FAULT_LINK, link, error,
                                   "there is no %s to link", name);
    if (name[0] == '\0' || strpbrk(name, " \t\n>") != NULL || strstr(name, "--") != NULL)
        return lag_topology_refuse(draft->fault, LAG_FAULT_LINK, link, error,
                                   "\"%s\" can't be a name: it is empty, or has a blank, \"--\" "
                                   "or \">\" in it",
                                   name);
    *ret_node = draft->fragment->n_nodes++;
    add_name(draft, name, *ret_node);
    g_ptr_array_add(draft->graph->names, g_strdup(name));
    return true;
}

static bool add_link(struct draft *draft, uint32_t i, GError **error)
{
    const struct lag_graph_link *given = &draft->fragment->part.links[i];
    uint32_t a, b;

    if (!find_node(draft, i, given->a, &a, error) || !find_node(draft, i, given->b, &b, error))
        return false;
    if (a == b)
        return lag_topology_refuse(draft->fault, LAG_FAULT_LINK, i, error,
                                   "%s is linked with itself", given->a);
    if (!(given->rate > 0 && isfinite(given->rate)))
        return lag_topology_refuse(draft->fault, LAG_FAULT_LINK, i, error,
                                   "%s--%s has no bandwidth", given->a, given->b);
    uint64_t pair = (uint64_t)MIN(a, b) << 32 | MAX(a, b);
    if (g_hash_table_contains(draft->pairs, &pair))
        return lag_topology_refuse(draft->fault, LAG_FAULT_LINK, i, error,
                                   "%s and %s are linked already; give one link the bandwidth of "
                                   "both",
                                   given->a, given->b);
    g_hash_table_add(draft->pairs, g_memdup2(&pair, sizeof pair));
    lag_fragment_add_pair(draft->fragment, a, b, given->rate, given->latency);
    if (given->half_duplex) {
        GArray *links = draft->fragment->links;
        g_array_index(links, struct lag_link, links->len - 1).pool = links->len - 2;
    }
    return true;
}

static const struct lag_link *link_at(const struct lag_fragment *fragment, uint32_t i)
{
    return &g_array_index(fragment->links, struct lag_link, i);
}

static void sort_links(const struct lag_fragment *fragment, struct graph *graph)
{
    uint32_t n_links = fragment->links->len;

    graph->first = g_new0(uint32_t, fragment->n_nodes + 2);
    graph->links = g_new(uint32_t, n_links);
    for (uint32_t i = 0; i < n_links; i++)
        graph->first[link_at(fragment, i)->from + 2]++;
    for (uint32_t node = 0; node < fragment->n_nodes; node++)
        graph->first[node + 2] += graph->first[node + 1];
    for (uint32_t i = 0; i < n_links; i++)
        graph->links[graph->first[link_at(fragment, i)->from + 1]++] = i;
}

/* Fills far[node] with the links from a node to each, FAR where there is no way.
 * queue[n_nodes] is scratch. */
static void search(const struct lag_fragment *fragment, const struct graph *graph, uint32_t from,
                   uint16_t *far, uint32_t *queue)
{
    uint32_t n = 0;

    for (uint32_t node = 0; node < fragment->n_nodes; node++)
        far[node] = FAR;
    far[from] = 0;
    queue[n++] = from;
    for (uint32_t head = 0; head < n; head++) {
        uint32_t node = queue[head];
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            uint32_t next = link_at(fragment, graph->links[i])->to;
            if (far[next] == FAR) {
                far[next] = (uint16_t)(far[node] + 1);
                queue[n++] = next;
            }
        }
    }
}

static char *node_text(const struct draft *draft, uint32_t node)
{
    const struct lag_fragment *fragment = draft->fragment;
    g_autoptr(GString) name = g_string_new(NULL);

    if (node >= fragment->n_endpoints)
        g_string_append(name, g_ptr_array_index(draft->graph->names, node - fragment->n_endpoints));
    else if (fragment->name_endpoint != NULL)
        fragment->name_endpoint(fragment->who, node, name);
    else
        g_string_printf(name, "gpu%u", node);
    return g_string_free(g_steal_pointer(&name), FALSE);
}

static bool measure(const struct draft *draft, GError **error)
{
    const struct lag_fragment *fragment = draft->fragment;
    struct graph *graph = draft->graph;
    g_autofree uint16_t *far = g_new(uint16_t, fragment->n_nodes);
    g_autofree uint32_t *queue = g_new(uint32_t, fragment->n_nodes);

    graph->inner = g_new(uint32_t, fragment->n_nodes);
    for (uint32_t node = 0; node < fragment->n_nodes; node++) {
        bool is_inner = graph->first[node + 1] - graph->first[node] > 1;
        graph->inner[node] = is_inner ? graph->n_inner++ : UINT32_MAX;
    }
    if (graph->n_inner > MOST_INNER)
        return lag_topology_refuse(draft->fault, LAG_FAULT_WHOLE, 0, error,
                                   "%u nodes have more than one link; a graph has up to %u",
                                   graph->n_inner, MOST_INNER);
    search(fragment, graph, 0, far, queue);
    for (uint32_t node = 0; node < fragment->n_nodes; node++)
        if (far[node] == FAR) {
            g_autofree char *a = node_text(draft, 0), *b = node_text(draft, node);
            return lag_topology_refuse(draft->fault, LAG_FAULT_WHOLE, 0, error,
                                       "no links lead from %s to %s", a, b);
        }
    graph->distance = g_new(uint16_t, (size_t)graph->n_inner * graph->n_inner);
    for (uint32_t node = 0; node < fragment->n_nodes; node++) {
        if (graph->inner[node] == UINT32_MAX)
            continue;
        uint16_t *row = &graph->distance[(size_t)graph->inner[node] * graph->n_inner];
        search(fragment, graph, node, far, queue);
        for (uint32_t to = 0; to < fragment->n_nodes; to++)
            if (graph->inner[to] != UINT32_MAX)
                row[graph->inner[to]] = far[to];
    }
    return true;
}

static bool build(struct lag_fragment *fragment, struct lag_topology_fault *fault, GError **error)
{
    struct graph *graph = g_new0(struct graph, 1);
    g_autoptr(GHashTable) nodes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    struct draft draft = {fragment, graph, nodes, pairs, fault};

    graph->names = g_ptr_array_new_with_free_func(g_free);
    fragment->shape = graph;
    fragment->free_shape = free_graph;
    name_endpoints(&draft);
    for (uint32_t i = 0; i < fragment->part.n_links; i++)
        if (!add_link(&draft, i, error))
            return false;
    sort_links(fragment, graph);
    return measure(&draft, error);
}

/* The link that is next on the way; `target` is the inner node that its end is at. */
static uint32_t next_link(const struct lag_fragment *fragment, uint32_t at, uint32_t target,
                          struct lag_way *way)
{
    const struct graph *graph = fragment->shape;
    uint32_t first = graph->first[at], n = graph->first[at + 1] - first, n_good = 0, good[64];

    if (graph->inner[at] == UINT32_MAX && at != target)
        return graph->links[first];
    for (uint32_t i = 0; i < n && n_good < G_N_ELEMENTS(good); i++) {
        uint32_t link = graph->links[first + i], to = link_at(fragment, link)->to;
        bool is_good = to == way->dst;
        if (at != target && graph->inner[to] != UINT32_MAX)
            is_good =
                graph->distance[(size_t)graph->inner[to] * graph->n_inner + graph->inner[target]] +
                    1 ==
                graph->distance[(size_t)graph->inner[at] * graph->n_inner + graph->inner[target]];
        if (is_good)
            good[n_good++] = link;
    }
    return good[n_good > 1 ? lag_way_choose(way, n_good) : 0];
}

static void route(const struct lag_fragment *fragment, struct lag_way *way)
{
    const struct graph *graph = fragment->shape;
    uint32_t target = way->dst;

    if (graph->inner[target] == UINT32_MAX)
        target = link_at(fragment, graph->links[graph->first[target]])->to;
    for (uint32_t at = way->src; at != way->dst;) {
        uint32_t link = next_link(fragment, at, target, way);
        lag_way_add(way, link);
        at = link_at(fragment, link)->to;
    }
}

static void node_name(const struct lag_fragment *fragment, uint32_t node, GString *name)
{
    const struct graph *graph = fragment->shape;

    g_string_append(name, g_ptr_array_index(graph->names, node - fragment->n_endpoints));
}

const struct lag_topology_kind lag_topology_kind_graph = {
    .name = "graph",
    .summary = "the user's own links between GPUs and switches",
    .drawing = "  gpu0 ---- gpu1\n"
               "    |         |      links: [{a: gpu0, b: gpu1, bandwidth: 50 GB/s}, ...]\n"
               "  [tor0] -- [tor1]\n"
               "    |         |\n"
               "  gpu2      gpu3\n",
    .bisection_formula = "by max-flow: exact up to 16 GPUs, else of the first half and the second",
    .routing = "fewest links; the hash decides between equal ones",
    .lists_links = true,
    .extends = true,
    .build = build,
    .route = route,
    .node_name = node_name,
};
