/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of a factor that is 1 or something else: in each step, for a whole job, or for a while. */
#ifndef LAGGARD_SIM_LAW_TWO_POINT_H
#define LAGGARD_SIM_LAW_TWO_POINT_H

#include "sim/law.h"

extern const struct lag_law_type lag_bernoulli_law, lag_two_speed_law, lag_markov_law;

#endif
