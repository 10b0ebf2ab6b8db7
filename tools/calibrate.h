/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One calibration: runs a program of kernels, stores each timing as it comes, fits each kernel. */
#ifndef LAGGARD_TOOLS_CALIBRATE_H
#define LAGGARD_TOOLS_CALIBRATE_H

#include "results/calibration-store.h"
#include "tools/progress.h"

/* All timings of one kernel, and their fit. */
struct lag_calibrated_kernel {
    char *kernel, *dtype, *unit;
    enum lag_cache cache;
    GArray *timings; /* of struct lag_timing, whose texts are borrowed from here */
    struct lag_segment segments[LAG_MAX_SEGMENTS];
    uint32_t n_segments; /* 0: interrupted before its last timing */
};

struct lag_skipped_kernel {
    char *kernel, *dtype, *reason;
};

typedef struct lag_calibration_report {
    struct lag_calibration_device device;
    double memory_clock; /* [Hz]; 0: not known */
    const char *db;      /* borrowed; NULL: none */
    GPtrArray *kernels;  /* of struct lag_calibrated_kernel *, owned */
    GPtrArray *skipped;  /* of struct lag_skipped_kernel *, owned */
    bool has_device;     /* else nothing was measured */
} lag_calibration_report;
lag_calibration_report *lag_calibration_report_new(const char *db);
void lag_calibration_report_free(lag_calibration_report *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_calibration_report, lag_calibration_report_free)

/* Measures with one back end, into the report and its database. False where nothing more came,
 * with what did in both; a signal isn't an error. */
bool lag_calibrate(lag_calibration_report *report, const char *backend, char *const *arguments,
                   enum lag_progress_mode progress, GError **error);

/* calibrate-print.c */
void lag_calibration_table(GString *text, const lag_calibration_report *report);
void lag_calibration_json(GString *text, const lag_calibration_report *report, const char *version);

#endif
