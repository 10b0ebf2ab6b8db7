/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links between GPUs, NICs and switches. Node r < n_ranks is rank r's GPU, the others are switches
 * and NICs; every link has one direction. A topology is built once and not changed by a run; a
 * copy whose links have other rates shares its shape. */
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

typedef struct lag_topology lag_topology;

/* What a kind of topology knows of its shape.
 * route: appends the links (uint32_t) from one rank's GPU to another's, in order.
 * name: appends a node's name, for nodes that aren't GPUs. */
struct lag_topology_ops {
    void (*route)(const lag_topology *topology, uint32_t src, uint32_t dst, GArray *links);
    void (*name)(const lag_topology *topology, uint32_t node, GString *name);
};

struct lag_topology {
    const struct lag_topology_ops *ops;
    uint32_t n_ranks, n_nodes, n_links;
    struct lag_link *links;
    /* Each route is the sender's egress link and the receiver's ingress link, so that a plan of
     * one port a rank shares no link. */
    bool is_switch;
    void *shape; /* the kind's own; owned */
    GDestroyNotify free_shape;
};

/* One non-blocking switch with a full-duplex port for each GPU. `latency` is end to end: each of
 * the two links of a route carries half of it. */
lag_topology *lag_topology_new_switch(uint32_t n_ranks, lag_rate rate, lag_seconds latency);
void lag_topology_free(lag_topology *topology);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_topology, lag_topology_free)

/* The links of a rank's port on a switch: out of the GPU, and into it. */
static inline uint32_t lag_topology_egress(const lag_topology *topology, uint32_t rank)
{
    (void)topology;
    return rank;
}

static inline uint32_t lag_topology_ingress(const lag_topology *topology, uint32_t rank)
{
    return topology->n_ranks + rank;
}

/* "gpu3->switch", newly allocated. */
char *lag_topology_link_name(const lag_topology *topology, uint32_t link);

/* The links that a name means: one for "gpu3->switch", both directions for "gpu3--switch".
 * 0 where there are none. */
uint32_t lag_topology_find_links(const lag_topology *topology, const char *name,
                                 uint32_t ret_links[2]);

#endif
