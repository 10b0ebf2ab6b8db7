/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `cluster.network:` from its keys to links and routes. */
#ifndef LAGGARD_SCENARIOS_NETWORK_FORM_H
#define LAGGARD_SCENARIOS_NETWORK_FORM_H

#include "scenarios/draft.h"

extern const struct lag_form lag_form_network, lag_form_links;

/* Makes the topology and the network of a draft whose cluster has been read. */
bool lag_network_connect(const struct lag_at *cluster, struct lag_draft *draft, GError **error);

/* Changes single links, as `links:` of a network says. */
bool lag_network_override(const struct lag_at *network, lag_topology *topology, GError **error);

#endif
