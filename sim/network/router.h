/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes between ranks, found once and kept. Scratch memory of one engine: one per thread. */
#ifndef LAGGARD_SIM_NETWORK_ROUTER_H
#define LAGGARD_SIM_NETWORK_ROUTER_H

#include "sim/network/topology.h"

struct lag_route {
    uint32_t n_links;
    const uint32_t *links;
};

typedef struct lag_router lag_router;
lag_router *lag_router_new(void);
void lag_router_free(lag_router *router);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_router, lag_router_free)

/* Forgets all routes and takes a topology (borrowed). */
void lag_router_reset(lag_router *router, const lag_topology *topology);

/* The way from one rank's GPU to another's; valid until the next reset. */
struct lag_route lag_router_find(lag_router *router, uint32_t src, uint32_t dst);

#endif
