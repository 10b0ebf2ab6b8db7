/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/compose.h"

#include <math.h>

#include "sim/network/assemble.h"
#include "sim/network/composition.h"
#include "sim/network/prescribe.h"

/* The NICs of each GPU of a shape. */
static bool assign_nics(const struct lag_node_shape *given, struct lag_shape *shape,
                        struct lag_topology_fault *fault, uint32_t index, GError **error)
{
    if (given->nics > given->gpus && given->nics % given->gpus != 0 && given->nic_of == NULL)
        return lag_topology_refuse(fault, LAG_FAULT_SHAPE, index, error,
                                   "%u NICs can't be shared out evenly among %u GPUs", given->nics,
                                   given->gpus);
    bool several = given->nics > given->gpus && given->nic_of == NULL;
    shape->nics_each = several ? given->nics / given->gpus : 1;
    shape->first_nic = g_new(uint32_t, given->gpus);
    shape->rail_gpu = g_new(uint32_t, given->nics);
    for (uint32_t nic = 0; nic < given->nics; nic++)
        shape->rail_gpu[nic] = UINT32_MAX;
    for (uint32_t gpu = given->gpus; gpu-- > 0;) {
        uint32_t nic = (uint32_t)((uint64_t)gpu * given->nics / given->gpus);
        if (given->nic_of != NULL)
            nic = given->nic_of[gpu];
        if (nic >= given->nics)
            return lag_topology_refuse(fault, LAG_FAULT_SHAPE, index, error,
                                       "GPU %u of a node has NIC %u, but NICs are 0 to %u", gpu,
                                       nic, given->nics - 1);
        shape->first_nic[gpu] = nic;
        for (uint32_t i = 0; i < shape->nics_each; i++)
            shape->rail_gpu[nic + i] = gpu;
    }
    return true;
}

static bool take_shape(const struct lag_node_shape *given, struct lag_shape *shape,
                       struct lag_topology_fault *fault, uint32_t index, GError **error)
{
    *shape = (struct lag_shape){
        .gpus = given->gpus,
        .nics = given->nics,
        .by_rail = given->by_rail,
    };
    if (given->gpus == 0)
        return lag_topology_refuse(fault, LAG_FAULT_SHAPE, index, error, "a node has no GPUs");
    if (given->by_rail && (given->nics == 0 || given->inner.kind == NULL))
        return lag_topology_refuse(fault, LAG_FAULT_SHAPE, index, error,
                                   "ways by rail need NICs, and a network inside the node");
    if (given->nics > 0 && !(given->nic_rate > 0 && isfinite(given->nic_rate)))
        return lag_topology_refuse(fault, LAG_FAULT_SHAPE, index, error,
                                   "the link between GPU and NIC has no bandwidth");
    if (given->nics > 0 && !assign_nics(given, shape, fault, index, error))
        return false;
    if (given->inner.kind == NULL)
        return true;
    shape->inner = lag_fragment_new(&given->inner, given->gpus, NULL, NULL, fault, error);
    fault->inner = true;
    fault->shape = index;
    return shape->inner != NULL;
}

static bool take_shapes(const struct lag_topology_request *request,
                        struct lag_composition *composition, struct lag_topology_fault *fault,
                        GError **error)
{
    uint64_t n_gpus = 0, n_hosts = 0;

    composition->shapes = g_new0(struct lag_shape, request->n_shapes);
    for (uint32_t i = 0; i < request->n_shapes; i++) {
        composition->n_shapes = i + 1;
        if (!take_shape(&request->shapes[i], &composition->shapes[i], fault, i, error))
            return false;
        n_hosts += request->shapes[i].count;
        n_gpus += (uint64_t)request->shapes[i].count * request->shapes[i].gpus;
    }
    if (n_gpus != request->n_ranks)
        return lag_topology_refuse(fault, LAG_FAULT_WHOLE, 0, error,
                                   "the nodes have %" G_GUINT64_FORMAT
                                   " GPUs together, the cluster has %u",
                                   n_gpus, request->n_ranks);
    if (n_hosts > 1 && request->outer.kind == NULL)
        return lag_topology_refuse(fault, LAG_FAULT_WHOLE, 0, error,
                                   "%" G_GUINT64_FORMAT " nodes need a network between them",
                                   n_hosts);
    composition->n_hosts = (uint32_t)n_hosts;
    return true;
}

/* Where each host's places, endpoints and NICs begin. */
static uint32_t lay_out_hosts(const struct lag_topology_request *request,
                              struct lag_composition *composition)
{
    struct lag_host next = {0};
    uint32_t h = 0;

    composition->hosts = g_new0(struct lag_host, composition->n_hosts + 1);
    composition->host_of_place = g_new(uint32_t, request->n_ranks);
    for (uint32_t i = 0; i < request->n_shapes; i++) {
        next.shape = &composition->shapes[i];
        for (uint32_t k = 0; k < request->shapes[i].count; k++) {
            composition->hosts[h] = next;
            for (uint32_t gpu = 0; gpu < next.shape->gpus; gpu++)
                composition->host_of_place[next.first_place + gpu] = h;
            next.first_place += next.shape->gpus;
            next.first_endpoint += next.shape->nics > 0 ? next.shape->nics : next.shape->gpus;
            next.first_nic += next.shape->nics;
            h++;
        }
    }
    composition->hosts[h] = next;
    composition->n_nics = next.first_nic;
    return next.first_endpoint;
}

static void name_endpoint(const void *who, uint32_t endpoint, GString *name)
{
    const struct lag_composition *composition = who;
    uint32_t h = 0;

    for (uint32_t end = composition->n_hosts; end - h > 1;) {
        uint32_t middle = h + (end - h) / 2;
        if (composition->hosts[middle].first_endpoint <= endpoint)
            h = middle;
        else
            end = middle;
    }
    const struct lag_host *host = &composition->hosts[h];
    uint32_t nth = endpoint - host->first_endpoint;
    if (host->shape->nics > 0)
        lag_composition_nic_name(h, nth, name);
    else
        lag_composition_host_name(composition,
                                  lag_composition_rank(composition, host->first_place + nth), name);
}

/* The same where GPUs and servers are the endpoints. */
static void name_host(const void *who, uint32_t endpoint, GString *name)
{
    lag_composition_host_name(who, endpoint, name);
}

/* Ways of the outer network may be among NICs of one rail only. */
static bool check_rails(const struct lag_composition *composition, struct lag_topology_fault *fault,
                        GError **error)
{
    const lag_fragment *outer = composition->outer;

    for (uint32_t i = 0; outer->rails > 0 && i < composition->n_shapes; i++) {
        const struct lag_shape *shape = &composition->shapes[i];
        uint32_t ports = shape->nics > 0 ? shape->nics : shape->gpus;
        if (ports % outer->rails != 0)
            return lag_topology_refuse(
                fault, LAG_FAULT_SHAPE, i, error,
                "%u ports of a node are not a whole number for each of %u rails", ports,
                outer->rails);
        if (outer->is_split && !shape->by_rail)
            return lag_topology_refuse(fault, LAG_FAULT_SHAPE, i, error,
                                       "rails without a spine reach each other inside nodes only: "
                                       "the nodes' ways must go by rail");
    }
    if (outer->is_split && composition->n_shapes == 0)
        return lag_topology_refuse(
            fault, LAG_FAULT_WHOLE, 0, error,
            "gpu0 can't reach gpu1: rails without a spine need nodes with a network "
            "inside");
    return true;
}

static bool take_outer(const struct lag_topology_request *request,
                       struct lag_composition *composition, struct lag_topology_fault *fault,
                       GError **error)
{
    uint32_t n = request->n_shapes > 0 ? lay_out_hosts(request, composition) : request->n_ranks;
    void (*name)(const void *, uint32_t, GString *) = NULL;

    if (request->n_servers > 0 && (request->outer.kind == NULL || !request->outer.kind->extends))
        return lag_topology_refuse(
            fault, LAG_FAULT_WHOLE, 0, error,
            "a protocol needs a host beside the GPUs, a server, which %s has no place for; take "
            "switch, fat-tree, mesh or graph, or leave that protocol out",
            request->outer.kind == NULL ? "a single node" : request->outer.kind->name);
    if (request->outer.kind == NULL)
        return true;
    if (request->n_shapes > 0)
        name = name_endpoint;
    else if (request->n_servers > 0)
        name = name_host;
    composition->outer = lag_fragment_new(&request->outer, n, name, composition, fault, error);
    return composition->outer != NULL && check_rails(composition, fault, error);
}

static bool take_slots(const struct lag_topology_request *request,
                       struct lag_composition *composition, struct lag_topology_fault *fault,
                       GError **error)
{
    uint32_t n = request->n_ranks;

    if (request->slot == NULL)
        return true;
    composition->place = g_new(uint32_t, n);
    composition->rank_at = g_new(uint32_t, n);
    for (uint32_t place = 0; place < n; place++)
        composition->rank_at[place] = UINT32_MAX;
    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t place = request->slot[rank];
        if (place >= n)
            return lag_topology_refuse(fault, LAG_FAULT_SLOT, rank, error,
                                       "rank %u has place %u, but places are 0 to %u", rank, place,
                                       n - 1);
        if (composition->rank_at[place] != UINT32_MAX)
            return lag_topology_refuse(fault, LAG_FAULT_SLOT, rank, error,
                                       "place %u is given to rank %u and to rank %u", place,
                                       composition->rank_at[place], rank);
        composition->place[rank] = place;
        composition->rank_at[place] = rank;
    }
    return true;
}

static bool compose(const struct lag_topology_request *request, lag_topology *topology,
                    struct lag_topology_fault *fault, GError **error)
{
    struct lag_composition *composition = topology->composition;

    if (request->n_shapes == 0 && request->outer.kind == NULL)
        return lag_topology_refuse(fault, LAG_FAULT_WHOLE, 0, error, "there is no network");
    if (!take_slots(request, composition, fault, error) ||
        (request->n_shapes > 0 && !take_shapes(request, composition, fault, error)) ||
        !take_outer(request, composition, fault, error))
        return false;
    topology->is_switch = request->n_shapes == 0 && !request->outer.half_duplex &&
                          request->outer.kind == lag_topology_kind_find("switch");
    if (topology->is_switch) { /* all places are alike */
        g_clear_pointer(&composition->place, g_free);
        g_clear_pointer(&composition->rank_at, g_free);
    }
    return lag_topology_assemble(topology, request, fault, error) &&
           lag_topology_prescribe(topology, request, fault, error);
}

lag_topology *lag_topology_compose(const struct lag_topology_request *request,
                                   struct lag_topology_fault *ret_fault, GError **error)
{
    g_autoptr(lag_topology) topology = g_new0(lag_topology, 1);

    *ret_fault = (struct lag_topology_fault){.what = LAG_FAULT_WHOLE};
    topology->n_ranks = request->n_ranks;
    topology->composition = g_new0(struct lag_composition, 1);
    topology->composition->seed = request->seed;
    topology->n_servers = request->n_servers;
    topology->composition->n_gpus = request->n_ranks - request->n_servers;
    return compose(request, topology, ret_fault, error) ? g_steal_pointer(&topology) : NULL;
}
