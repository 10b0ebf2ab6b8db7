/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links between GPUs and switches. Node r < n_ranks is rank r's GPU, the others are switches;
 * every link has one direction. Topologies are built here and not changed by a run. */
#ifndef LAGGARD_SIM_NETWORK_TOPOLOGY_H
#define LAGGARD_SIM_NETWORK_TOPOLOGY_H

#include <stdbool.h>

#include <glib.h>

#include "sim/units.h"

struct lag_link {
    uint32_t from, to;   /* nodes */
    lag_rate rate;       /* [B/s] */
    lag_seconds latency; /* propagation [s] */
};

typedef struct lag_topology {
    uint32_t n_ranks, n_links;
    struct lag_link *links;
} lag_topology;

/* One non-blocking switch with a full-duplex port for each GPU. `latency` is end to end: each of
 * the two links of a route carries half of it. */
lag_topology *lag_topology_new_switch(uint32_t n_ranks, lag_rate rate, lag_seconds latency);
void lag_topology_free(lag_topology *topology);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_topology, lag_topology_free)

/* The links of a rank's port: out of the GPU, and into it. */
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
