/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the fabric: max-min fair rates of flows that come and go (flow.h says what that is), kept
 * right by looking only at the pools whose level changes.
 *
 * Workload: 10 .. 10^5 links, as many flows, each of 2 .. 10 links; one start or end an instant.
 * Cost of a change: for each pool whose level changes, its flows of other pools; its own flows only
 * where some of them cross other pools that are not idle, or move to another; and O(log flows) to
 * find the next end. One link that alone holds up k flows costs O(log k) a change: 0.1 us at 10 to
 * 1000, 1 us at 10^5. Where k flows of a link each share another link with k others, a change may
 * reach all of them: 0.4, 1.2, 20, 400 us for 3, 10, 32, 100 flows a link (tests/bench).
 * Rates don't depend on what was before but for rounding: within 1e-9 of those from scratch.
 * Memory: linear in links and flows. */
#ifndef LAGGARD_SIM_NETWORK_SHARE_H
#define LAGGARD_SIM_NETWORK_SHARE_H

#include "sim/network/pool.h"
#include "sim/network/router.h"

void lag_share_clear(struct lag_share *share);

/* No flows; the topology's capacities. A zeroed structure is a valid one to start from. */
void lag_share_reset(struct lag_share *share, const lag_topology *topology);

/* A flow starts at the next settling; returns its handle. */
uint32_t lag_share_start(struct lag_share *share, const lag_topology *topology,
                         struct lag_route route, double bytes, uint32_t cookie);

/* Takes a flow out; returns what it has not sent by `now`. */
double lag_share_remove(struct lag_share *share, uint32_t flow, lag_seconds now);

void lag_share_set_capacity(struct lag_share *share, uint32_t pool, lag_rate capacity);

/* Finds the rates from `now` on. */
void lag_share_settle(struct lag_share *share, lag_seconds now);

static inline lag_rate lag_share_rate(const struct lag_share *share, uint32_t flow)
{
    uint32_t bottleneck = share->flows[flow].bottleneck;

    return bottleneck == LAG_NO_POOL ? 0 : share->level[bottleneck];
}

#endif
