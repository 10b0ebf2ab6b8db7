/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a transfer costs while nothing shares its links: it occupies the sender's port for
 * overhead + bytes / rate, with the rate of the slowest link on its way, and the receiver has the
 * data one latency later. Under the alpha-beta model that is all; under the fluid model, links
 * that are shared are shared max-min fair (fabric.h). */
#ifndef LAGGARD_SIM_NETWORK_NETWORK_H
#define LAGGARD_SIM_NETWORK_NETWORK_H

#include "sim/network/router.h"

/* A link's rate changes: 0 where it dies, more than 0 where it degrades or recovers. */
struct lag_link_event {
    lag_seconds at; /* from the job's start on */
    uint32_t link;
    lag_rate rate; /* [B/s] from then on */
};

/* How long a GPU takes to add what it has received to its own data, by bytes: straight lines between
 * points, the first one's time below it, and on with `slope` beyond the last. Without points it is
 * bytes x slope. */
struct lag_adding {
    uint32_t n;
    double *bytes;        /* [n] increasing */
    lag_seconds *seconds; /* [n] */
    double slope;         /* [s/B] */
};
lag_seconds lag_adding_time(const struct lag_adding *adding, lag_bytes bytes);

struct lag_network {
    const lag_topology *topology; /* borrowed */
    lag_seconds overhead;         /* occupies the sender's port before a transfer [s] */
    bool eager;                   /* a sender waits only for its own port; else rendezvous */
    bool fluid;                   /* fluid model; else alpha-beta */
    bool store_and_forward; /* each hop has all data before the next begins; else cut-through */
    const struct lag_link_event *events; /* by time, then as listed; borrowed; fluid model only */
    uint32_t n_events;
    const struct lag_adding *const *adding; /* [n_ranks] of each GPU, or NULL: it takes no time */
};

struct lag_cost {
    lag_seconds wire;       /* bytes / rate: time that the data takes to leave [s] */
    lag_seconds latency;    /* from the last byte's departure to its arrival [s] */
    lag_seconds contention; /* what sharing links, and waiting for dead ones, adds: alone nothing */
    lag_seconds adding;     /* what the receiver needs to add them to its own */
    uint32_t link;          /* the one on the way that sets the rate: alone, the slowest */
};

/* True on a switch whose links have their capacity for themselves, where data cross both links of
 * their way at once. */
bool lag_network_is_one_switch(const struct lag_network *network);

/* For a topology that isn't a switch: over the router's route. */
struct lag_cost lag_network_cost_of_route(const struct lag_network *network, struct lag_route route,
                                          lag_bytes bytes);

/* The router belongs to the network's topology; a switch needs none. */
static inline struct lag_cost lag_network_cost(const struct lag_network *network,
                                               lag_router *router, uint32_t src, uint32_t dst,
                                               lag_bytes bytes)
{
    const lag_topology *topology = network->topology;

    if (!topology->is_switch)
        return lag_network_cost_of_route(network, lag_router_find(router, src, dst), bytes);
    uint32_t out = lag_topology_egress(topology, src);
    uint32_t in = lag_topology_ingress(topology, dst);
    const struct lag_link *a = &topology->links[out], *b = &topology->links[in];

    return (struct lag_cost){
        .wire = (lag_seconds)bytes / MIN(a->rate, b->rate),
        .latency = a->latency + b->latency,
        .link = b->rate < a->rate ? in : out,
    };
}

#endif
