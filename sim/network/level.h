/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the fabric: a pool's level, found from those of the pools around it.
 *
 * A pool with flows of its own has a level, the rate of each of them; it is what they can have when
 * those that other pools hold up have taken theirs. A pool without own flows is idle or slack.
 * Idle: its level is a rate that each of its flows may have at once, and none has more; rates
 * under it may change without the pool being looked at. Slack: some flow has more, but the pool is
 * not full; its level is infinite. Pools that are not idle are `hot`.
 *
 * Rates are max-min fair when no flow is faster than any of its pools' levels and every hot pool
 * holds its sum. Setting one level right marks the pools that this makes wrong. That ends: the
 * lowest level there can be, capacity / weight of the tightest pool, is right whenever it has been
 * looked at; then the next higher one is, and so on. */
#ifndef LAGGARD_SIM_NETWORK_LEVEL_H
#define LAGGARD_SIM_NETWORK_LEVEL_H

#include "sim/network/pool.h"

/* Sets a pool's level right, takes in flows that other pools let go faster, and gives away those
 * that others hold up more. */
void lag_level_find(struct lag_share *share, uint32_t pool);

#endif
