/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a calibration database. Nothing in it is ever overwritten: each calibration is a series
 * of its own, and another device, driver, toolkit or number of threads is another row of
 * `device`. Each timing is on the disk when its call returns. */
#ifndef LAGGARD_RESULTS_CALIBRATION_STORE_H
#define LAGGARD_RESULTS_CALIBRATION_STORE_H

#include "results/calibration-fit.h"
#include "results/calibration.h"

struct lag_timing {
    struct lag_calibration_key key;
    const char *unit;  /* "B" or "FLOP" */
    uint64_t amount;   /* in this unit */
    lag_bytes traffic; /* read and written */
    uint64_t flops;
    uint32_t repetitions; /* samples: each the mean of `batch` executions */
    uint32_t batch, outliers;
    lag_seconds median, min, p05, p25, p75, p95, max;
    double interval; /* half of the median's 95 % interval, relative; NAN: not known */
    double clock;    /* [Hz]; NAN: not known */
};

typedef struct lag_calibration_store lag_calibration_store;

/* Opens a file, or makes it; errors as those of results/database.h. */
lag_calibration_store *lag_calibration_store_open(const char *path, int patience_ms,
                                                  GError **error);
void lag_calibration_store_free(lag_calibration_store *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_calibration_store, lag_calibration_store_free)

/* Begins a series of a device (whose `id` and `measured` aren't read). */
bool lag_calibration_store_begin(lag_calibration_store *store,
                                 const struct lag_calibration_device *device, double memory_clock,
                                 GError **error);
bool lag_calibration_store_add(lag_calibration_store *store, const struct lag_timing *timing,
                               GError **error);
bool lag_calibration_store_add_fit(lag_calibration_store *store,
                                   const struct lag_calibration_key *key, const char *unit,
                                   const struct lag_segment *segments, uint32_t n, GError **error);

#endif
