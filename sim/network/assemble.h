/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last steps of compose.c: numbers and links of all nodes, once the parts are known. */
#ifndef LAGGARD_SIM_NETWORK_ASSEMBLE_H
#define LAGGARD_SIM_NETWORK_ASSEMBLE_H

#include "sim/network/compose.h"

/* Fills all of a topology whose composition knows its parts and where each host's places,
 * endpoints and NICs begin. False with LAG_TOPOLOGY_ERROR where it would be too large. */
bool lag_topology_assemble(lag_topology *topology, const struct lag_topology_request *request,
                           struct lag_topology_fault *fault, GError **error);

#endif
