/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside traffic: links that degrade, die and recover while data are on them.
 *
 * A rate changes at once. Where a link dies, what has not begun to leave takes another way, if there
 * is one; what is on its way goes on with the bytes left on another way, from its sender on. Where
 * there is none, it waits for one. What was sent another way stays there when the link recovers.
 * Store-and-forward: what is between two hops waits for the link of the next. */
#ifndef LAGGARD_SIM_FAULT_H
#define LAGGARD_SIM_FAULT_H

#include "sim/traffic.h"

#define LAG_FAULT_MOST_TOLD 8 /* transits in a stall's message */

/* Lets the network's events up to the traffic's start happen, and posts the next one. */
void lag_fault_begin(lag_traffic *traffic);

/* Handler of the traffic's on_event. */
void lag_fault_handle(void *self, uint32_t rank, uint32_t data);

/* True where no link of a route is dead. */
bool lag_fault_is_open(const lag_traffic *traffic, struct lag_route route);

/* No event is left: appends what waits for a dead link, "; 500 B from gpu0 to gpu1 wait for
 * gpu0->switch, dead since 2 s", and takes it out of the fabric. */
void lag_fault_describe(lag_traffic *traffic, GString *text);

/* What links could have carried between two times of a run that begins at `start` of the network's
 * events: fills bytes[n_links]. */
void lag_fault_capacity(const struct lag_network *network, lag_seconds start, lag_seconds from,
                        lag_seconds to, double *bytes);

#endif
