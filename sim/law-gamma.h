/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of exponential waits. */
#ifndef LAGGARD_SIM_LAW_GAMMA_H
#define LAGGARD_SIM_LAW_GAMMA_H

#include "sim/law.h"

extern const struct lag_law_type lag_gamma_law, lag_erlang_law;

#endif
