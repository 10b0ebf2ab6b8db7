/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a topology amounts to: how much of what, how it is cut in halves, how far it is across. */
#ifndef LAGGARD_SIM_NETWORK_SURVEY_H
#define LAGGARD_SIM_NETWORK_SURVEY_H

#include "sim/network/topologies.h"
#include "sim/network/topology.h"

/* How a bisection bandwidth is known. */
enum lag_bisection {
    LAG_BISECTION_FORMULA, /* the kind's formula, which holds as all links are as built */
    LAG_BISECTION_EXACT,   /* all cuts in halves were looked at */
    LAG_BISECTION_BOUND,   /* one cut, between the GPUs at the first places and the others: the
                              least one is at most that */
};

struct lag_survey {
    uint32_t n_gpus, n_nics, n_switches;
    uint32_t n_links; /* of one direction each */
    /* The least that n / 2 GPUs (rounded down) can send to the others, or get from them, while
     * as much goes the other way [B/s]; 0 for one GPU. */
    lag_rate bisection;
    enum lag_bisection bisection_by;
    uint32_t diameter;   /* links of the longest way between two GPUs */
    bool diameter_exact; /* all ways were looked at; else it is at least that */
};

void lag_topology_survey(const lag_topology *topology, struct lag_survey *ret_survey);

/* The kind of the network between nodes, or between GPUs; NULL where there is one node only. */
const struct lag_topology_kind *lag_topology_outer_kind(const lag_topology *topology);

/* The shapes of nodes, 0 where there are only GPUs, and the kind inside those of a shape; NULL for
 * none. */
uint32_t lag_topology_n_shapes(const lag_topology *topology);
const struct lag_topology_kind *lag_topology_inner_kind(const lag_topology *topology,
                                                        uint32_t shape);

#endif
