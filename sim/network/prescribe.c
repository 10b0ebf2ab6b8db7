/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/prescribe.h"

#include "sim/network/composition.h"

static bool find_nodes(const lag_topology *topology, const struct lag_static_route *route,
                       uint32_t *nodes, GError **error)
{
    for (uint32_t i = 0; i < route->n_nodes; i++) {
        if (!lag_topology_find_node(topology, route->nodes[i], &nodes[i])) {
            g_set_error(error, LAG_TOPOLOGY_ERROR, LAG_TOPOLOGY_ERROR_INPUT,
                        "there is no node \"%s\"", route->nodes[i]);
            return false;
        }
        for (uint32_t k = 0; k < i; k++)
            if (nodes[k] == nodes[i]) {
                g_set_error(error, LAG_TOPOLOGY_ERROR, LAG_TOPOLOGY_ERROR_INPUT,
                            "the route comes to %s twice", route->nodes[i]);
                return false;
            }
    }
    if (route->n_nodes >= 2 && nodes[0] < topology->n_ranks &&
        nodes[route->n_nodes - 1] < topology->n_ranks)
        return true;
    g_set_error(error, LAG_TOPOLOGY_ERROR, LAG_TOPOLOGY_ERROR_INPUT,
                "a route begins and ends at a GPU");
    return false;
}

static bool find_links(const lag_topology *topology, const struct lag_static_route *route,
                       GArray *links, GError **error)
{
    for (uint32_t i = 0; i + 1 < route->n_nodes; i++) {
        g_autofree char *name = g_strconcat(route->nodes[i], "->", route->nodes[i + 1], NULL);
        uint32_t found[2];
        if (lag_topology_find_links(topology, name, found) != 1) {
            g_set_error(error, LAG_TOPOLOGY_ERROR, LAG_TOPOLOGY_ERROR_INPUT, "there is no link %s",
                        name);
            return false;
        }
        g_array_append_val(links, found[0]);
    }
    return true;
}

static bool take_route(lag_topology *topology, const struct lag_static_route *route, GError **error)
{
    g_autofree uint32_t *nodes = g_new(uint32_t, route->n_nodes);
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    GHashTable *routes = topology->composition->static_routes;

    if (!find_nodes(topology, route, nodes, error) || !find_links(topology, route, links, error))
        return false;
    uint64_t pair = (uint64_t)nodes[0] << 32 | nodes[route->n_nodes - 1];
    if (g_hash_table_contains(routes, &pair)) {
        g_set_error(error, LAG_TOPOLOGY_ERROR, LAG_TOPOLOGY_ERROR_INPUT,
                    "a second route from %s to %s", route->nodes[0],
                    route->nodes[route->n_nodes - 1]);
        return false;
    }
    for (uint32_t i = 0; i < links->len; i++)
        topology->shape = lag_hash(topology->shape ^ g_array_index(links, uint32_t, i));
    topology->shape = lag_hash(topology->shape ^ ~pair);
    g_hash_table_insert(routes, g_memdup2(&pair, sizeof pair), g_steal_pointer(&links));
    return true;
}

static void free_links(void *links)
{
    g_array_unref(links);
}

bool lag_topology_prescribe(lag_topology *topology, const struct lag_topology_request *request,
                            struct lag_topology_fault *fault, GError **error)
{
    if (request->n_routes == 0)
        return true;
    topology->composition->static_routes =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_links);
    for (uint32_t i = 0; i < request->n_routes; i++)
        if (!take_route(topology, &request->routes[i], error)) {
            *fault = (struct lag_topology_fault){.what = LAG_FAULT_ROUTE, .index = i};
            return false;
        }
    topology->is_switch = false;
    return true;
}
