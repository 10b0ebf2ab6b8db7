/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario's network with the rates of GPUs' links divided by a step's factors. */
#ifndef LAGGARD_TOOLS_SLOW_LINKS_H
#define LAGGARD_TOOLS_SLOW_LINKS_H

#include "scenarios/scenario.h"

/* Room for one such network at a time; starts zeroed. */
struct lag_slow_links {
    lag_topology topology;
    struct lag_network network;
};
void lag_slow_links_clear(struct lag_slow_links *slow);

/* factors[n_gpus]; the network is `slow`'s, until the next call. */
const struct lag_network *lag_slow_network(struct lag_slow_links *slow,
                                           const lag_scenario *scenario, const double *factors);

#endif
