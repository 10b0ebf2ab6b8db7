/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the parts of a composed topology fit together: for compose.c, which builds it, and
 * topology.c, which asks it. Read-only after building, but for the index of names. */
#ifndef LAGGARD_SIM_NETWORK_COMPOSITION_H
#define LAGGARD_SIM_NETWORK_COMPOSITION_H

#include "sim/network/compose.h"
#include "sim/network/fragment.h"

/* A node's shape: the inner network, and which NICs a GPU has: nics_each from first_nic[gpu] on.
 * rail_gpu[nic]: the first GPU that has it, or UINT32_MAX. */
struct lag_shape {
    uint32_t gpus, nics, nics_each;
    bool by_rail;
    lag_fragment *inner;            /* owned; NULL: none */
    uint32_t *first_nic, *rail_gpu; /* owned; NULL where there are no NICs */
};

/* A node (server), and where its parts begin among all: places, endpoints of the outer network,
 * NICs, switches inside it, links inside it, links between its GPUs and NICs. */
struct lag_host {
    const struct lag_shape *shape;
    uint32_t first_place, first_endpoint, first_nic, first_switch, first_link, first_nic_link;
};

/* Nodes of the topology, by number: GPUs by rank, NICs, switches of the hosts in order, switches of
 * the outer network. Links: the outer network's, then of each host the inner network's and the
 * pairs from GPU to NIC. */
struct lag_composition {
    uint64_t seed;
    uint32_t n_gpus;     /* ranks from there on are servers */
    lag_fragment *outer; /* owned; NULL: none */
    uint32_t n_shapes, n_hosts, n_nics;
    uint32_t first_outer_switch;
    struct lag_shape *shapes;  /* owned */
    struct lag_host *hosts;    /* owned; one more than n_hosts, the end; NULL without shapes */
    uint32_t *host_of_place;   /* owned; NULL without shapes */
    uint32_t *host_of_node;    /* of nodes n_ranks .. first_outer_switch - 1; owned, or NULL */
    uint32_t *place, *rank_at; /* of each rank, at each place; owned; NULL: the same number */
    GHashTable *static_routes; /* of GArray of links, by &pair; owned; NULL: none */
    GHashTable *names;         /* of nodes that are not GPUs: made on demand; owned */
    gsize has_names;
};

/* Appends "gpu3", or "server0" behind the GPUs. */
void lag_composition_host_name(const struct lag_composition *composition, uint32_t rank,
                               GString *name);

void lag_composition_free(struct lag_composition *composition);

static inline uint32_t lag_composition_place(const struct lag_composition *composition,
                                             uint32_t rank)
{
    return composition->place != NULL ? composition->place[rank] : rank;
}

static inline uint32_t lag_composition_rank(const struct lag_composition *composition,
                                            uint32_t place)
{
    return composition->rank_at != NULL ? composition->rank_at[place] : place;
}

/* A number of all that decides over ways: ends of links, kinds, seed, prescribed ways. */
uint64_t lag_composition_shape(const struct lag_composition *composition,
                               const lag_topology *topology);

/* Appends the links of the way between places that differ. */
void lag_composition_route(const struct lag_composition *composition, uint32_t src, uint32_t dst,
                           GArray *links);

/* Appends the name of a node that is not a GPU. */
void lag_composition_name(const struct lag_composition *composition, uint32_t n_ranks,
                          uint32_t node, GString *name);

/* "node0.nic3": appends the name of the `nic`-th of a host's NICs. */
void lag_composition_nic_name(uint32_t host, uint32_t nic, GString *name);

#endif
