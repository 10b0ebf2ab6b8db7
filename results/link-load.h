/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plan puts on each link of a network. */
#ifndef LAGGARD_RESULTS_LINK_LOAD_H
#define LAGGARD_RESULTS_LINK_LOAD_H

#include "sim/network/network.h"
#include "sim/plan.h"

/* What the runs were of. */
struct lag_subject {
    const struct laggard_plan *plan;
    const lag_topology *topology;
    const struct lag_chunks *chunks;
    const uint32_t *ranks; /* [n_ranks of the plan] their numbers in the cluster; NULL: the same */
};

/* Bytes on each link by the network's routes, the mean over runs in which rank r of the plan was
 * taken for late taken_as_late[r] times: fills bytes[n_links]. The late rank matters only for a plan that
 * takes whoever is. */
void lag_link_bytes(const struct lag_subject *subject, const uint64_t *taken_as_late,
                    double *bytes);

#endif
