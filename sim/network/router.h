/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes between ranks, found once and kept. Scratch memory of one engine: one per thread.
 *
 * A pair has the way that its topology says (lag_topology_route) as long as all links on it are
 * alive, else the shortest over those that are, where GPUs and NICs forward too. Memory grows with
 * the pairs that are asked for; what is beyond 64 MiB is forgotten at the next reset. */
#ifndef LAGGARD_SIM_NETWORK_ROUTER_H
#define LAGGARD_SIM_NETWORK_ROUTER_H

#include "sim/network/topology.h"

/* Without links: there is no way, or both ends are the same. */
struct lag_route {
    uint32_t n_links;
    const uint32_t *links;
};

typedef struct lag_router lag_router;
lag_router *lag_router_new(void);
void lag_router_free(lag_router *router);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_router, lag_router_free)

/* Takes a topology (borrowed), all links alive. Routes are kept where it has the shape of the one
 * before. */
void lag_router_reset(lag_router *router, const lag_topology *topology);

/* A link dies, or is alive again. Routes that were found before stay where they are. */
void lag_router_set_dead(lag_router *router, uint32_t link, bool dead);

/* The way from one rank's GPU to another's now; its links stay where they are until the next
 * reset. */
struct lag_route lag_router_find(lag_router *router, uint32_t src, uint32_t dst);

#endif
