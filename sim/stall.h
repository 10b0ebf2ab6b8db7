/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside replay: the deadlock report. */
#ifndef LAGGARD_SIM_STALL_H
#define LAGGARD_SIM_STALL_H

#include "sim/collective.h"

/* No event is left and not all ranks of a collective are done: appends who waits for what. */
void lag_stall_describe(lag_collective *collective, GString *text);

#endif
