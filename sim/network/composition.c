/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/composition.h"

void lag_composition_free(struct lag_composition *composition)
{
    if (composition == NULL)
        return;
    for (uint32_t i = 0; i < composition->n_shapes; i++) {
        lag_fragment_free(composition->shapes[i].inner);
        g_free(composition->shapes[i].first_nic);
        g_free(composition->shapes[i].rail_gpu);
    }
    lag_fragment_free(composition->outer);
    g_clear_pointer(&composition->static_routes, g_hash_table_unref);
    g_clear_pointer(&composition->names, g_hash_table_unref);
    g_free(composition->shapes);
    g_free(composition->hosts);
    g_free(composition->host_of_place);
    g_free(composition->host_of_node);
    g_free(composition->place);
    g_free(composition->rank_at);
    g_free(composition);
}

void lag_composition_host_name(const struct lag_composition *composition, uint32_t rank,
                               GString *name)
{
    if (rank < composition->n_gpus)
        g_string_append_printf(name, "gpu%u", rank);
    else
        g_string_append_printf(name, "server%u", rank - composition->n_gpus);
}

/* One end of a way between hosts: the GPU within its host, and the NIC. */
struct gate {
    const struct lag_host *host;
    uint32_t gpu, nic;
};

static struct gate gate_at(const struct lag_composition *composition, uint32_t place,
                           uint64_t *hash)
{
    const struct lag_host *host = &composition->hosts[composition->host_of_place[place]];
    const struct lag_shape *shape = host->shape;
    struct gate gate = {.host = host, .gpu = place - host->first_place};

    if (shape->nics == 0)
        return gate;
    *hash = lag_hash(*hash);
    gate.nic = shape->first_nic[gate.gpu] + (uint32_t)((*hash >> 32) * shape->nics_each >> 32);
    return gate;
}

static uint32_t endpoint_of(const struct gate *gate)
{
    return gate->host->first_endpoint + (gate->host->shape->nics > 0 ? gate->nic : gate->gpu);
}

/* The link from a GPU to its NIC; the one behind it leads back. */
static uint32_t nic_link(const struct gate *gate)
{
    const struct lag_shape *shape = gate->host->shape;
    uint32_t nth = gate->nic - shape->first_nic[gate->gpu];

    return gate->host->first_nic_link + 2 * (gate->gpu * shape->nics_each + nth);
}

static void route_inside(const struct gate *from, uint32_t to, uint64_t hash, GArray *links)
{
    const lag_fragment *inner = from->host->shape->inner;
    struct lag_way way = {from->gpu, to, hash, from->host->first_link, links};

    if (from->gpu != to)
        inner->part.kind->route(inner, &way);
}

/* Leaves by the NIC that is numbered as the receiver's, over the GPU that has it. */
static void take_rail(struct gate *src, const struct gate *dst, uint64_t hash, GArray *links)
{
    const struct lag_shape *shape = src->host->shape;
    uint32_t gpu = dst->nic < shape->nics ? shape->rail_gpu[dst->nic] : UINT32_MAX;

    if (gpu == UINT32_MAX)
        return;
    route_inside(src, gpu, hash, links);
    src->gpu = gpu;
    src->nic = dst->nic;
}

static void route_between(const struct lag_composition *composition, struct gate src,
                          const struct gate *dst, uint64_t hash, GArray *links)
{
    const lag_fragment *outer = composition->outer;
    guint before = links->len;

    if (src.host->shape->by_rail && dst->host->shape->nics > 0)
        take_rail(&src, dst, hash, links);
    if (src.host->shape->nics > 0) {
        uint32_t up = nic_link(&src);
        g_array_append_val(links, up);
    }
    struct lag_way way = {endpoint_of(&src), endpoint_of(dst), hash, 0, links};
    guint entered = links->len;
    if (way.src != way.dst)
        outer->part.kind->route(outer, &way);
    if (way.src != way.dst && links->len == entered) {
        g_array_set_size(links, before); /* no way */
        return;
    }
    if (dst->host->shape->nics > 0) {
        uint32_t down = nic_link(dst) + 1;
        g_array_append_val(links, down);
    }
}

void lag_composition_route(const struct lag_composition *composition, uint32_t src, uint32_t dst,
                           GArray *links)
{
    uint64_t hash = lag_hash(composition->seed ^ lag_hash((uint64_t)src << 32 | dst));
    const lag_fragment *outer = composition->outer;

    if (composition->hosts == NULL) {
        struct lag_way way = {src, dst, hash, 0, links};
        outer->part.kind->route(outer, &way);
        return;
    }
    struct gate a = gate_at(composition, src, &hash), b = gate_at(composition, dst, &hash);
    if (a.host == b.host && a.host->shape->inner != NULL)
        route_inside(&a, b.gpu, hash, links);
    else
        route_between(composition, a, &b, hash, links);
}

void lag_composition_nic_name(uint32_t host, uint32_t nic, GString *name)
{
    g_string_append_printf(name, "node%u.nic%u", host, nic);
}

void lag_composition_name(const struct lag_composition *composition, uint32_t n_ranks,
                          uint32_t node, GString *name)
{
    const lag_fragment *fragment = composition->outer;
    uint32_t first = composition->first_outer_switch;

    if (node < first) {
        uint32_t h = composition->host_of_node[node - n_ranks];
        const struct lag_host *host = &composition->hosts[h];
        if (node < n_ranks + composition->n_nics) {
            lag_composition_nic_name(h, node - n_ranks - host->first_nic, name);
            return;
        }
        g_string_append_printf(name, "node%u.", h);
        fragment = host->shape->inner;
        first = host->first_switch;
    }
    fragment->part.kind->node_name(fragment, node - first + fragment->n_endpoints, name);
}

static uint64_t hash_kind(uint64_t hash, const lag_fragment *fragment)
{
    return lag_hash(hash ^ (fragment != NULL ? g_str_hash(fragment->part.kind->name) : 0));
}

uint64_t lag_composition_shape(const struct lag_composition *composition,
                               const lag_topology *topology)
{
    uint64_t hash = hash_kind(lag_hash(composition->seed ^ topology->n_ranks), composition->outer);

    for (uint32_t i = 0; i < composition->n_shapes; i++) {
        const struct lag_shape *shape = &composition->shapes[i];
        hash = hash_kind(hash ^ shape->by_rail, shape->inner);
        hash = lag_hash(hash ^ ((uint64_t)shape->gpus << 32 | shape->nics));
    }
    for (uint32_t h = 0; h < composition->n_hosts; h++)
        hash = lag_hash(hash ^ (uint64_t)(composition->hosts[h].shape - composition->shapes));
    for (uint32_t l = 0; l < topology->n_links; l++)
        hash = lag_hash(hash ^ ((uint64_t)topology->links[l].from << 32 | topology->links[l].to));
    return hash;
}
