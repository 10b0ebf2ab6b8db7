/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/assemble.h"

#include "sim/network/composition.h"

/* Nodes and links of the hosts, behind the GPUs and NICs and behind the outer links. */
static bool number_all(struct lag_composition *composition, lag_topology *topology,
                       struct lag_topology_fault *fault, GError **error)
{
    const lag_fragment *outer = composition->outer;
    uint64_t n_nodes = topology->n_ranks + composition->n_nics;
    uint64_t n_links = outer != NULL ? outer->links->len : 0;

    for (uint32_t h = 0; h < composition->n_hosts; h++) {
        struct lag_host *host = &composition->hosts[h];
        const struct lag_shape *shape = host->shape;
        host->first_switch = (uint32_t)n_nodes;
        host->first_link = (uint32_t)n_links;
        if (shape->inner != NULL) {
            n_nodes += shape->inner->n_nodes - shape->gpus;
            n_links += shape->inner->links->len;
        }
        host->first_nic_link = (uint32_t)n_links;
        if (shape->nics > 0)
            n_links += 2 * (uint64_t)shape->gpus * shape->nics_each;
        if (n_links > LAG_MOST_LINKS)
            break;
    }
    composition->first_outer_switch = (uint32_t)n_nodes;
    if (outer != NULL)
        n_nodes += outer->n_nodes - outer->n_endpoints;
    topology->n_nodes = (uint32_t)n_nodes;
    topology->n_links = (uint32_t)n_links;
    return n_links <= LAG_MOST_LINKS ||
           lag_topology_refuse(fault, LAG_FAULT_WHOLE, 0, error,
                               "more than %u links inside and between nodes", LAG_MOST_LINKS);
}

/* Copies a fragment's links; node_of() names a fragment's node. */
static void place_links(const lag_fragment *fragment, struct lag_link *links, uint32_t base,
                        const uint32_t *node_of)
{
    for (uint32_t i = 0; i < fragment->links->len; i++) {
        struct lag_link link = g_array_index(fragment->links, struct lag_link, i);
        link.from = node_of[link.from];
        link.to = node_of[link.to];
        link.pool += base;
        links[base + i] = link;
    }
}

static void place_outer(const struct lag_composition *composition, lag_topology *topology)
{
    const lag_fragment *outer = composition->outer;
    g_autofree uint32_t *node_of = g_new(uint32_t, outer->n_nodes);

    for (uint32_t e = 0; composition->hosts == NULL && e < outer->n_endpoints; e++)
        node_of[e] = lag_composition_rank(composition, e);
    for (uint32_t h = 0; h < composition->n_hosts; h++) {
        const struct lag_host *host = &composition->hosts[h];
        for (uint32_t i = 0; host->first_endpoint + i < host[1].first_endpoint; i++)
            node_of[host->first_endpoint + i] =
                host->shape->nics > 0 ? topology->n_ranks + host->first_nic + i
                                      : lag_composition_rank(composition, host->first_place + i);
    }
    for (uint32_t i = outer->n_endpoints; i < outer->n_nodes; i++)
        node_of[i] = composition->first_outer_switch + i - outer->n_endpoints;
    place_links(outer, topology->links, 0, node_of);
    if (topology->is_switch) { /* all as the part says: they need not be kept twice */
        g_array_unref(outer->links);
        composition->outer->links = g_array_new(FALSE, FALSE, sizeof(struct lag_link));
    }
}

static void place_nic_links(const struct lag_composition *composition, const struct lag_host *host,
                            const struct lag_node_shape *given, lag_topology *topology)
{
    const struct lag_shape *shape = host->shape;
    uint32_t link = host->first_nic_link;

    for (uint32_t gpu = 0; gpu < shape->gpus; gpu++)
        for (uint32_t i = 0; i < shape->nics_each; i++, link += 2) {
            uint32_t rank = lag_composition_rank(composition, host->first_place + gpu);
            uint32_t nic = topology->n_ranks + host->first_nic + shape->first_nic[gpu] + i;
            topology->links[link] =
                (struct lag_link){rank, nic, given->nic_rate, given->nic_latency, link};
            topology->links[link + 1] =
                (struct lag_link){nic, rank, given->nic_rate, given->nic_latency, link + 1};
        }
}

static void place_host(struct lag_composition *composition, uint32_t h,
                       const struct lag_node_shape *given, lag_topology *topology)
{
    const struct lag_host *host = &composition->hosts[h];
    const lag_fragment *inner = host->shape->inner;
    uint32_t *host_of_node = composition->host_of_node;

    for (uint32_t i = 0; i < host->shape->nics; i++)
        host_of_node[host->first_nic + i] = h;
    if (host->shape->nics > 0)
        place_nic_links(composition, host, given, topology);
    if (inner == NULL)
        return;
    g_autofree uint32_t *node_of = g_new(uint32_t, inner->n_nodes);
    for (uint32_t gpu = 0; gpu < inner->n_endpoints; gpu++)
        node_of[gpu] = lag_composition_rank(composition, host->first_place + gpu);
    for (uint32_t i = inner->n_endpoints; i < inner->n_nodes; i++) {
        node_of[i] = host->first_switch + i - inner->n_endpoints;
        host_of_node[node_of[i] - topology->n_ranks] = h;
    }
    place_links(inner, topology->links, host->first_link, node_of);
}

/* Fills first[n_nodes + 1] and numbers[n_links] with the links by one of their ends. */
static void sort_links(const lag_topology *topology, bool by_from, uint32_t *first,
                       uint32_t *numbers)
{
    const struct lag_link *links = topology->links;

    for (uint32_t l = 0; l < topology->n_links; l++)
        first[(by_from ? links[l].from : links[l].to) + 1]++;
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        first[node + 1] += first[node];
    for (uint32_t l = topology->n_links; l-- > 0;)
        numbers[--first[(by_from ? links[l].from : links[l].to) + 1]] = l;
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        first[node] = first[node + 1];
    first[topology->n_nodes] = topology->n_links;
}

static void find_neighbours(lag_topology *topology)
{
    struct lag_adjacency *adjacency = &topology->adjacency;

    adjacency->first_out = g_new0(uint32_t, topology->n_nodes + 1);
    adjacency->first_in = g_new0(uint32_t, topology->n_nodes + 1);
    adjacency->out = g_new(uint32_t, topology->n_links);
    adjacency->in = g_new(uint32_t, topology->n_links);
    sort_links(topology, true, adjacency->first_out, adjacency->out);
    sort_links(topology, false, adjacency->first_in, adjacency->in);
}

bool lag_topology_assemble(lag_topology *topology, const struct lag_topology_request *request,
                           struct lag_topology_fault *fault, GError **error)
{
    struct lag_composition *composition = topology->composition;
    uint32_t h = 0;

    if (!number_all(composition, topology, fault, error))
        return false;
    topology->links = g_new(struct lag_link, topology->n_links);
    if (composition->hosts != NULL)
        composition->host_of_node =
            g_new(uint32_t, composition->first_outer_switch - topology->n_ranks);
    if (composition->outer != NULL)
        place_outer(composition, topology);
    for (uint32_t i = 0; i < request->n_shapes; i++)
        for (uint32_t k = 0; k < request->shapes[i].count; k++)
            place_host(composition, h++, &request->shapes[i], topology);
    find_neighbours(topology);
    topology->shape = lag_composition_shape(composition, topology);
    return true;
}
