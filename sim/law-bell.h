/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of a number, or of its logarithm, that is the sum of many small things. */
#ifndef LAGGARD_SIM_LAW_BELL_H
#define LAGGARD_SIM_LAW_BELL_H

#include "sim/law.h"

extern const struct lag_law_type lag_normal_law, lag_log_normal_law;

#endif
