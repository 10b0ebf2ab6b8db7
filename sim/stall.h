/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside replay: the deadlock report. */
#ifndef LAGGARD_SIM_STALL_H
#define LAGGARD_SIM_STALL_H

#include "sim/seat.h"

/* No event is left and not all ranks are done: returns false, with an error that says who waits
 * for what. */
bool lag_replay_report_stall(lag_replay *replay, GError **error);

#endif
