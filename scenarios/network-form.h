/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `cluster.network:` from its keys to links, routes and events. The parts of a network are read in
 * files of their own; what they make is borrowed by the request until the topology is made. */
#ifndef LAGGARD_SCENARIOS_NETWORK_FORM_H
#define LAGGARD_SCENARIOS_NETWORK_FORM_H

#include "scenarios/draft.h"
#include "sim/network/compose.h"

extern const struct lag_form lag_form_network, lag_form_topology, lag_form_duplex;
extern const struct lag_form lag_form_links, lag_form_routes, lag_form_placement, lag_form_events;
extern const struct lag_form lag_form_node, lag_form_nodes;

/* Makes the topology and the network of a draft whose cluster has been read. */
bool lag_network_connect(const struct lag_at *cluster, struct lag_draft *draft, GError **error);

/* The keys that kinds of topology bring: their parameters, and a block for each kind. For the
 * `more` of a form. */
bool lag_kind_keys(uint32_t index, struct lag_key *ret);

/* One mapping with a topology in it: the network's or a node's. */
struct lag_part_draft {
    const char *topology;      /* NULL: none */
    double bandwidth, latency; /* below 0: not given */
    int duplex;                /* 1: half */
};

/* A part and where it was read: faults are told there. */
struct lag_part {
    struct lag_topology_part part;
    struct lag_at at;
    uint32_t *entries; /* [part.n_links] places of a graph's links in `links:` */
};

/* Reads what kind the mapping *at has, its parameters and a graph's links. All memory is the
 * list's, of pointers to free. */
bool lag_read_part(const struct lag_at *at, const struct lag_part_draft *draft, GPtrArray *keep,
                   struct lag_part *ret, GError **error);

/* A fault of a part's parameter or link, at its place; false. */
bool lag_refuse_part(const struct lag_part *part, const struct lag_topology_fault *fault,
                     const GError *cause, GError **error);

/* A graph's links: {a, b, bandwidth}. */
bool lag_read_graph(const struct lag_at *at, const struct lag_part_draft *draft, GPtrArray *keep,
                    struct lag_part *part, GError **error);

/* Changes single links, as `links:` of a network says with {link, bandwidth}. */
bool lag_network_override(const struct lag_at *network, lag_topology *topology, GError **error);

/* The nodes of a cluster with the networks inside them; shapes[i] is what parts[i] was read for. */
struct lag_nodes {
    uint32_t n_shapes;
    struct lag_node_shape *shapes;
    struct lag_part *parts;
    struct lag_at *places; /* of the shapes; their parents are the network's and the list's */
    struct lag_at list;
};

/* `node:` or `nodes:` of a network; none where there is neither. Fills the scenario's nodes. */
bool lag_read_nodes(const struct lag_at *network, struct lag_draft *draft, GPtrArray *keep,
                    struct lag_nodes *ret, GError **error);

/* `placement:` *ret[n_gpus], newly allocated, the place of each rank's GPU; NULL: its own number. */
bool lag_read_placement(const struct lag_at *network, const lag_scenario *scenario,
                        const uint32_t *node_sizes, uint32_t **ret, GError **error);

/* `routes:` as the request wants them. */
bool lag_read_routes(const struct lag_at *network, GPtrArray *keep,
                     struct lag_topology_request *request, GError **error);

/* `events:` by time, into the scenario. */
bool lag_read_events(const struct lag_at *network, lag_scenario *scenario, GError **error);

/* A message about a link that isn't there; false. */
bool lag_refuse_link(const struct lag_at *at, const lag_topology *topology, const char *name,
                     GError **error);

/* "; did you mean 'leaf0'?" of a topology's names. Newly allocated. */
char *lag_hint_node(const lag_topology *topology, const char *name);

#endif
