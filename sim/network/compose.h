/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A topology from its parts: one network between GPUs, or networks inside nodes (the scale-up
 * domain) and one between the nodes (scale-out).
 *
 * GPUs have places 0, 1, ... in the order of the nodes. Nodes are numbered in the order of their
 * shapes. What the network inside node 2 brings is called node2.NAME, its NICs node2.nic0 and so
 * on; rank r's GPU is always gpu r, wherever it sits. Servers are hosts like GPUs, behind them. */
#ifndef LAGGARD_SIM_NETWORK_COMPOSE_H
#define LAGGARD_SIM_NETWORK_COMPOSE_H

#include "sim/network/topologies.h"
#include "sim/network/topology.h"

/* So many nodes of one shape.
 * inner: the network between the GPUs of a node; kind NULL: none, then its GPUs reach each other
 * over the outer network. A graph's gpuN is then the node's N-th.
 * nics: endpoints of the outer network; 0: the node's GPUs are endpoints themselves.
 * GPU g uses NIC g x nics / gpus, where there are more NICs than GPUs each of its nics / gpus (the
 * hash decides); or NIC nic_of[g], where nic_of is not NULL.
 * by_rail: data leave through the NIC that is numbered like the receiver's and, inside the node,
 * go over that NIC's first GPU (NCCL's PXN); needs an inner network. */
struct lag_node_shape {
    uint32_t count, gpus;
    struct lag_topology_part inner;
    uint32_t nics;
    const uint32_t *nic_of; /* [gpus] */
    bool by_rail;
    lag_rate nic_rate;       /* of the link between GPU and NIC, each direction [B/s] */
    lag_seconds nic_latency; /* of that link [s] */
};

/* A way that a user prescribes, from one rank's GPU to another's: names of nodes, both ends among
 * them. The way back is not prescribed. */
struct lag_static_route {
    const char *const *nodes;
    uint32_t n_nodes;
};

struct lag_topology_request {
    uint32_t n_ranks;
    uint32_t n_servers; /* of them, the last, with names of their own; the outer kind `extends` */
    struct lag_topology_part outer; /* between nodes, or between GPUs where there are no shapes */
    const struct lag_node_shape *shapes;
    uint32_t n_shapes;    /* 0: GPUs are the endpoints of `outer` */
    const uint32_t *slot; /* place of rank r's GPU, a permutation; NULL: place r */
    uint64_t seed;        /* decides between equally short ways */
    const struct lag_static_route *routes;
    uint32_t n_routes;
};

/* NULL with LAG_TOPOLOGY_ERROR; *ret_fault then says which entry is wrong. Everything in the
 * request is copied. A single node needs no outer network: kind NULL. */
lag_topology *lag_topology_compose(const struct lag_topology_request *request,
                                   struct lag_topology_fault *ret_fault, GError **error);

#endif
