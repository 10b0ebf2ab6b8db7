/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways that a user prescribes. */
#ifndef LAGGARD_SIM_NETWORK_PRESCRIBE_H
#define LAGGARD_SIM_NETWORK_PRESCRIBE_H

#include "sim/network/compose.h"

/* Takes the request's routes into a topology that is complete but for them. False with
 * LAG_TOPOLOGY_ERROR: an unknown node, nodes without a link between, a loop, ends that are no
 * GPUs, a second route for a pair. */
bool lag_topology_prescribe(lag_topology *topology, const struct lag_topology_request *request,
                            struct lag_topology_fault *fault, GError **error);

#endif
