/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws that are made of more than parameters: of other laws, or of what was measured. */
#ifndef LAGGARD_SIM_LAW_COMPOUND_H
#define LAGGARD_SIM_LAW_COMPOUND_H

#include "sim/law.h"

extern const struct lag_law_type lag_mixture_law, lag_empirical_law;

#endif
