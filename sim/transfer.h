/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside replay: how transfers start and end. */
#ifndef LAGGARD_SIM_TRANSFER_H
#define LAGGARD_SIM_TRANSFER_H

#include "sim/seat.h"

/* A seat has entered a round, which replay->step describes: starts those of its transfers that
 * can start now. */
void lag_replay_meet(lag_replay *replay, struct lag_seat *seat);

/* Handlers, for transfers that share links: a flight's data start to leave; rates change. */
void lag_replay_depart(void *self, uint32_t rank, uint32_t index);
void lag_replay_settle_network(void *self, uint32_t rank, uint32_t data);

#endif
