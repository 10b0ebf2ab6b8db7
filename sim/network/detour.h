/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways around dead links, for router.c: the fewest links, over whatever node; a hash decides
 * between equal ones. */
#ifndef LAGGARD_SIM_NETWORK_DETOUR_H
#define LAGGARD_SIM_NETWORK_DETOUR_H

#include "sim/network/router.h"

typedef struct lag_detour lag_detour;
lag_detour *lag_detour_new(const lag_topology *topology);
void lag_detour_free(lag_detour *detour);

/* Other links are dead than before: ways are to be found anew. Those found stay where they are. */
void lag_detour_forget(lag_detour *detour);

/* The way from one node to another over links that are not dead[link]; without links where there
 * is none. */
struct lag_route lag_detour_find(lag_detour *detour, const bool *dead, uint32_t src, uint32_t dst);

#endif
