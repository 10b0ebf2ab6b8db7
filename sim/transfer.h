/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside a collective: how transfers start and end. */
#ifndef LAGGARD_SIM_TRANSFER_H
#define LAGGARD_SIM_TRANSFER_H

#include "sim/seat.h"

/* A seat has entered a round, which collective->step describes: starts those of its transfers that
 * can start now. */
void lag_transfer_meet(lag_collective *collective, struct lag_seat *seat);

/* For the traffic: a flight's data have left, are there. */
void lag_transfer_left(void *self, uint32_t cookie, const struct lag_passage *passage);
void lag_transfer_there(void *self, uint32_t cookie, const struct lag_passage *passage);

#endif
