/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/training/training.h"

#include <math.h>

void lag_training_init(struct lag_training *training)
{
    *training = (struct lag_training){
        .batch = 1,
        .collective_time = NAN,
        .horizon = INFINITY,
        .most_events = 1000000000,
        .detection = INFINITY,
    };
}
