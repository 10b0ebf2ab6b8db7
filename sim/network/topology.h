/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links between GPUs, NICs and switches. Node r < n_ranks is rank r's GPU, the others are switches
 * and NICs; every link has one direction. A topology is built once (compose.h) and not changed by
 * a run: many threads may read it. A copy whose links have other rates shares its shape. */
#ifndef LAGGARD_SIM_NETWORK_TOPOLOGY_H
#define LAGGARD_SIM_NETWORK_TOPOLOGY_H

#include <stdbool.h>

#include <glib.h>

#include "sim/units.h"

struct lag_link {
    uint32_t from, to;   /* nodes */
    lag_rate rate;       /* [B/s] */
    lag_seconds latency; /* propagation [s] */
    uint32_t pool;       /* whose capacity it draws on: itself, or the other direction's link */
};

/* The links that leave and that enter each node, in compressed rows: those out of node v are
 * out[first_out[v]] .. out[first_out[v + 1] - 1], by number. */
struct lag_adjacency {
    uint32_t *first_out, *out, *first_in, *in;
};

/* What only compose.c knows: how the parts fit together, and who is called what. */
struct lag_composition;

typedef struct lag_topology {
    uint32_t n_ranks, n_nodes, n_links;
    uint32_t n_servers; /* of the n_ranks, the last: hosts called server0, not gpuN */
    struct lag_link *links;
    /* Each route is the sender's egress link and the receiver's ingress link, so that a plan of
     * one port a rank shares no link. */
    bool is_switch;
    uint64_t shape; /* two topologies with the same have the same links and ways, whatever rates */
    struct lag_adjacency adjacency;      /* owned */
    struct lag_composition *composition; /* owned */
} lag_topology;

/* One non-blocking switch with a full-duplex port for each GPU. `latency` is end to end: each of
 * the two links of a route carries half of it. */
lag_topology *lag_topology_new_switch(uint32_t n_ranks, lag_rate rate, lag_seconds latency);
void lag_topology_free(lag_topology *topology);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_topology, lag_topology_free)

/* The links of a rank's port on a switch (is_switch): out of the GPU, and into it. */
static inline uint32_t lag_topology_egress(const lag_topology *topology, uint32_t rank)
{
    (void)topology;
    return rank;
}

static inline uint32_t lag_topology_ingress(const lag_topology *topology, uint32_t rank)
{
    return topology->n_ranks + rank;
}

/* The links out of a node and into it, by number; borrowed. */
struct lag_ports {
    uint32_t n_out, n_in;
    const uint32_t *out, *in;
};
static inline struct lag_ports lag_topology_ports(const lag_topology *topology, uint32_t node)
{
    const struct lag_adjacency *a = &topology->adjacency;

    return (struct lag_ports){
        .n_out = a->first_out[node + 1] - a->first_out[node],
        .n_in = a->first_in[node + 1] - a->first_in[node],
        .out = a->out + a->first_out[node],
        .in = a->in + a->first_in[node],
    };
}

/* What a rank can send at most: the sum over its links out [B/s]. */
lag_rate lag_topology_rate_out(const lag_topology *topology, uint32_t rank);

/* Appends the links of the normal way from one rank's GPU to another's, in order; none where there
 * is no way, or to itself. router.h keeps them. */
void lag_topology_route(const lag_topology *topology, uint32_t src, uint32_t dst, GArray *links);

/* "gpu3" or "leaf0", newly allocated. */
char *lag_topology_node_name(const lag_topology *topology, uint32_t node);

/* "gpu3->switch", newly allocated. */
char *lag_topology_link_name(const lag_topology *topology, uint32_t link);

/* The node of a name; false where there is none. The first call takes time in proportion to the
 * nodes, the others don't. */
bool lag_topology_find_node(const lag_topology *topology, const char *name, uint32_t *ret_node);

/* The links that a name means: one for "gpu3->switch", both directions for "gpu3--switch".
 * 0 where there are none. */
uint32_t lag_topology_find_links(const lag_topology *topology, const char *name,
                                 uint32_t ret_links[2]);

/* Gives a link another rate: where both directions share theirs, to both. While building only. */
void lag_topology_set_rate(lag_topology *topology, uint32_t link, lag_rate rate);

#endif
