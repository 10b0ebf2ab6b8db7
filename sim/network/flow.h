/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Max-min fair sharing of links among flows.
 *
 * Unknowns: the rate x_f >= 0 of each flow. Constraints: for each link, the rates of the flows
 * that cross it sum to at most its capacity. The max-min fair rates are the only ones that can't
 * be bettered for any flow without taking from one that has no more: equivalently, every flow
 * crosses a bottleneck, a link that is full and on which no flow is faster. Progressive filling
 * finds them: raise all rates together; when a link is full, its flows are fixed; go on with the
 * others. Bertsekas, Gallager: Data Networks, 6.5.2.
 *
 * Workload: 10 .. 10^4 links, 10 .. 10^6 flows of two links and more, solved anew whenever a flow
 * starts or ends. Cost: O(links + flows x links on a route x log links).
 *
 * Example (K18): links L1 = 10 and L2 = 4, flows A on both, B on L1, C on L2. L2 is full first, at
 * 2 each: A = C = 2. Then L1 has 8 left for B. */
#ifndef LAGGARD_SIM_NETWORK_FLOW_H
#define LAGGARD_SIM_NETWORK_FLOW_H

#include <stddef.h>

#include "sim/units.h"

/* Routes in compressed rows: flow f crosses links[first[f]] .. links[first[f + 1] - 1]. One that
 * crosses a link twice takes twice its rate from it. */
struct lag_routes {
    uint32_t n_flows;
    const uint32_t *first, *links;
};

/* Scratch memory, kept from call to call. */
typedef struct lag_flow_solver lag_flow_solver;
lag_flow_solver *lag_flow_solver_new(void);
void lag_flow_solver_free(lag_flow_solver *solver);

/* Fills rate[n_flows] with the max-min fair rates under capacity[n_links] >= 0. */
void lag_flow_solve(lag_flow_solver *solver, uint32_t n_links, const lag_rate *capacity,
                    const struct lag_routes *routes, lag_rate *rate);

#endif
