/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much can flow from some GPUs of a topology to others at once: Dinic's algorithm.
 * Unknowns: the flow on each link, 0 .. rate (half of it where both directions share the rate);
 * what enters a node leaves it, but for the sources and the sinks. The largest sum equals the
 * smallest cut. Cost: O(nodes^2 links), far less in practice: 10^5 links take some 10 ms. */
#ifndef LAGGARD_SIM_NETWORK_MAX_FLOW_H
#define LAGGARD_SIM_NETWORK_MAX_FLOW_H

#include "sim/network/topology.h"

typedef struct lag_max_flow lag_max_flow;
lag_max_flow *lag_max_flow_new(const lag_topology *topology);
void lag_max_flow_free(lag_max_flow *flow);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_max_flow, lag_max_flow_free)

/* From all GPUs with is_source[rank] to all without; stops when `enough` is reached [B/s]. */
lag_rate lag_max_flow_find(lag_max_flow *flow, const bool *is_source, lag_rate enough);

#endif
