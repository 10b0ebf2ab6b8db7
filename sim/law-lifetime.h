/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of waiting times. */
#ifndef LAGGARD_SIM_LAW_LIFETIME_H
#define LAGGARD_SIM_LAW_LIFETIME_H

#include "sim/law.h"

extern const struct lag_law_type lag_exponential_law, lag_shifted_exponential_law;
extern const struct lag_law_type lag_weibull_law, lag_pareto_law;

#endif
