/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A look ahead: what the cluster's reader must know of the workload and the algorithms, which are
 * read after it. Nothing is checked; what is wrong there is said when it is read. */
#ifndef LAGGARD_SCENARIOS_OUTLOOK_H
#define LAGGARD_SCENARIOS_OUTLOOK_H

#include "scenarios/tree.h"
#include "sim/protocol.h"

struct lag_outlook {
    enum laggard_workload workload;
    uint32_t n_servers; /* the most that a protocol of the list needs */
    bool gives_times;   /* the workload says how long messages or collectives take */
};

struct lag_outlook lag_outlook_of(const lag_node *root);

/* The kind that a mapping `workload:` is. */
enum laggard_workload lag_outlook_workload(const lag_node *workload);

#endif
