/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/calibrated.h"

#include <math.h>

#include "results/calibration.h"

/* A measured copy of so many bytes reads as many and writes as many. */
#define COPY_TRAFFIC 2

bool lag_calibrated_work(const char *path, const char *device, const char *dtype,
                         const struct lag_work *work, struct lag_calibrated_time *ret,
                         GError **error)
{
    const struct lag_calibration_key product = {"matrix-product", dtype, LAG_CACHE_COLD};
    const struct lag_calibration_key copy = {"copy", "byte", LAG_CACHE_COLD};
    struct lag_calibrated on_operations = {0}, on_memory = {0};
    g_autoptr(lag_calibration) calibration = lag_calibration_open(path, error);
    const struct lag_calibration_device *found =
        calibration == NULL ? NULL : lag_calibration_find(calibration, device, error);

    if (found == NULL)
        return false;
    if (work->flops > 0 &&
        !lag_calibration_seconds(calibration, found->id, &product, work->flops / work->kernels,
                                 &on_operations, error))
        return false;
    if (work->bytes > 0 &&
        !lag_calibration_seconds(calibration, found->id, &copy,
                                 work->bytes / work->kernels / COPY_TRAFFIC, &on_memory, error))
        return false;
    ret->seconds = work->kernels * fmax(on_operations.seconds, on_memory.seconds);
    ret->extrapolates = on_operations.extrapolates || on_memory.extrapolates;
    return true;
}

bool lag_calibrated_adding(const char *path, const char *device, struct lag_adding *ret,
                           GError **error)
{
    const struct lag_calibration_key key = {"reduce-add", "fp32", LAG_CACHE_WARM};
    g_autoptr(lag_calibration) calibration = lag_calibration_open(path, error);
    const struct lag_calibration_device *found =
        calibration == NULL ? NULL : lag_calibration_find(calibration, device, error);
    g_autoptr(lag_curve) curve =
        found == NULL ? NULL : lag_calibration_curve(calibration, found->id, &key, error);

    if (curve == NULL)
        return false;
    *ret = (struct lag_adding){
        .n = curve->n,
        .bytes = g_steal_pointer(&curve->amount),
        .seconds = g_steal_pointer(&curve->seconds),
        .slope = curve->slope,
    };
    return true;
}
