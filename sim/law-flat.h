/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of a density that is flat, or of one value. */
#ifndef LAGGARD_SIM_LAW_FLAT_H
#define LAGGARD_SIM_LAW_FLAT_H

#include "sim/law.h"

extern const struct lag_law_type lag_constant_law, lag_uniform_law;

#endif
