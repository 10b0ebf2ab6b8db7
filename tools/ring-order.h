/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of ranks that `order: best` of a ring asks for. */
#ifndef LAGGARD_TOOLS_RING_ORDER_H
#define LAGGARD_TOOLS_RING_ORDER_H

#include "scenarios/scenario.h"
#include "sim/network/best-ring.h"

/* True, with *ret_order newly allocated, or NULL where the entrant wants no order. False with
 * LAGGARD_ERROR_INPUT where there are too many ranks to look for one. */
bool lag_ring_order(const struct lag_entrant *entrant, const struct lag_ring_members *members,
                    uint32_t **ret_order, GError **error);

#endif
