/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a calibration database: which devices have been measured, and how long a kernel takes on
 * one. Amounts are bytes of one vector, or FLOP for kernels that are measured by them
 * (docs/CALIBRATION.md). Errors are LAGGARD_ERROR_INPUT where the file or the question is wrong.
 * The file is never changed. */
#ifndef LAGGARD_RESULTS_CALIBRATION_H
#define LAGGARD_RESULTS_CALIBRATION_H

#include <stdbool.h>

#include <glib.h>

#include "sim/units.h"

enum lag_cache {
    LAG_CACHE_WARM, /* the vectors were used just before */
    LAG_CACHE_COLD, /* they come from memory */
};
const char *lag_cache_name(enum lag_cache cache); /* "warm" */

struct lag_calibration_device {
    int64_t id;              /* its number in the table */
    char *backend;           /* "host" or "cuda" */
    char *name;              /* "NVIDIA H200" */
    char *uuid;              /* of a GPU; '' for a host */
    char *driver;            /* its version; of a host: that of the kernel */
    char *toolkit;           /* CUDA's version; of a host: compiler and BLAS */
    uint32_t threads;        /* of a host; else 0 */
    lag_bytes memory, cache; /* 0: not known */
    double clock;            /* [Hz]; 0: not known */
    char *measured;          /* when its latest series began, UTC; '': nothing is measured */
};

typedef struct lag_calibration lag_calibration;
lag_calibration *lag_calibration_open(const char *path, GError **error);
void lag_calibration_free(lag_calibration *calibration);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_calibration, lag_calibration_free)

/* Devices in the order in which they were first measured; borrowed. */
uint32_t lag_calibration_n_devices(const lag_calibration *calibration);
const struct lag_calibration_device *lag_calibration_device(const lag_calibration *calibration,
                                                            uint32_t i);

/* The device that `name` names: its name, its UUID, or its number (id). Where several bear the
 * name (drivers differ), the one measured last. NULL: the only one. */
const struct lag_calibration_device *lag_calibration_find(const lag_calibration *calibration,
                                                          const char *name, GError **error);

struct lag_calibration_key {
    const char *kernel; /* "reduce-add" */
    const char *dtype;  /* "fp32" */
    enum lag_cache cache;
};

/* Medians of one kernel, of its latest series that was fitted, amounts increasing. */
typedef struct lag_curve {
    uint32_t n;           /* at least 1 */
    double *amount;       /* [n] */
    lag_seconds *seconds; /* [n] */
    double slope;         /* beyond the last amount [s per unit] */
} lag_curve;

lag_curve *lag_calibration_curve(const lag_calibration *calibration, int64_t device,
                                 const struct lag_calibration_key *key, GError **error);
void lag_curve_free(lag_curve *curve);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_curve, lag_curve_free)

/* Linear between two measured amounts. Below the first: its time, for starting up dominates there
 * (but nothing takes no time). Beyond the last: on with the fit's slope. `ret_extrapolates` may
 * be NULL. */
lag_seconds lag_curve_seconds(const lag_curve *curve, double amount, bool *ret_extrapolates);

struct lag_calibrated {
    lag_seconds seconds;
    bool extrapolates; /* the amount is outside what was measured */
};
bool lag_calibration_seconds(const lag_calibration *calibration, int64_t device,
                             const struct lag_calibration_key *key, double amount,
                             struct lag_calibrated *ret, GError **error);

#endif
