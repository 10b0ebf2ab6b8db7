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

/* A flow starts on a route, which stays where it is; it moves from the next settling on. `cookie`
 * comes back when it ends. */
void lag_fabric_start(lag_fabric *fabric, struct lag_route route, lag_bytes bytes, uint32_t cookie);

/* Takes out a flow that has ended by `now`; false where none has. */
bool lag_fabric_take(lag_fabric *fabric, lag_seconds now, uint32_t *ret_cookie);

/* Shares the links anew after the starts and ends of `now`; returns when the next flow ends, or
 * INFINITY. */
lag_seconds lag_fabric_settle(lag_fabric *fabric, lag_seconds now);

#endif
