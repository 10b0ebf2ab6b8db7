/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flows in flight: who sends how fast, and who is done when. Links are shared max-min fair
 * (flow.h); rates hold until a flow starts or ends. The clock belongs to the caller, who settles
 * once for all changes of an instant. */
#ifndef LAGGARD_SIM_NETWORK_FABRIC_H
#define LAGGARD_SIM_NETWORK_FABRIC_H

#include "sim/network/router.h"

typedef struct lag_fabric lag_fabric;
lag_fabric *lag_fabric_new(void);
void lag_fabric_free(lag_fabric *fabric);

/* Empties it, for a topology (borrowed). */
void lag_fabric_reset(lag_fabric *fabric, const lag_topology *topology);

/* A flow starts on a route, which stays where it is; it moves from the next settling on. A route
 * may cross a link, or both directions of a half-duplex one, more than once: the flow then takes
 * its rate from it as often. `cookie` comes back when it ends. The handle is the flow's until it is
 * taken or cancelled. */
uint32_t lag_fabric_start(lag_fabric *fabric, struct lag_route route, double bytes,
                          uint32_t cookie);

/* Takes a flow out before it ends; returns the bytes that it has not sent by `now` >= 0. */
double lag_fabric_cancel(lag_fabric *fabric, uint32_t flow, lag_seconds now);

/* From the next settling on, a link and all that share its pool have this capacity, finite and
 * >= 0. At 0 the link is dead: flows on it have rate 0 and end only if it recovers. Until the
 * reset the topology's rate is forgotten. Flows that end at `now` are to be taken first. */
void lag_fabric_set_rate(lag_fabric *fabric, uint32_t link, lag_rate rate, lag_seconds now);

/* Takes out a flow that has ended by `now`; false where none has. */
bool lag_fabric_take(lag_fabric *fabric, lag_seconds now, uint32_t *ret_cookie);

/* The pool of links that held up the flow that was taken last, in the end. */
uint32_t lag_fabric_bottleneck(const lag_fabric *fabric);

/* Shares the links anew after the starts, ends and changes of `now`; returns when the next flow
 * ends, or INFINITY. */
lag_seconds lag_fabric_settle(lag_fabric *fabric, lag_seconds now);

/* A flow's rate since the last settling; 0 before its first. */
lag_rate lag_fabric_rate(const lag_fabric *fabric, uint32_t flow);

#endif
