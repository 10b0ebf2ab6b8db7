/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute times from a calibration database. */
#ifndef LAGGARD_SCENARIOS_CALIBRATED_H
#define LAGGARD_SCENARIOS_CALIBRATED_H

#include <stdbool.h>

#include <glib.h>

#include "sim/gpu/gpu.h"
#include "sim/network/network.h"

struct lag_calibrated_time {
    lag_seconds seconds;
    bool extrapolates; /* a kernel's size is outside what was measured */
};

/* The time of a device for work: each kernel takes the longer of a matrix product of its operations
 * and a copy that moves its bytes, from memory, as they were measured. NULL device: the only one.
 * `dtype` is "fp32", "fp16" or "bf16". False with LAGGARD_ERROR_INPUT. */
bool lag_calibrated_work(const char *path, const char *device, const char *dtype,
                         const struct lag_work *work, struct lag_calibrated_time *ret,
                         GError **error);

/* How long the device adds received data: fills *ret, whose arrays become the caller's, from the
 * measured reduce-add in fp32 on data that were just received (warm). */
bool lag_calibrated_adding(const char *path, const char *device, struct lag_adding *ret,
                           GError **error);

#endif
