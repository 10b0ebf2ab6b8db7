/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program of kernels says: a line of JSON for each fact, on standard output at once.
 *
 *   {"plan": 280}                                            so many timings are to come
 *   {"device": {"backend": "host", "name": "...", ...}}      before the first timing
 *   {"timing": {"kernel": "copy", "dtype": "byte", "cache": "warm", ...}}
 *   {"timed": {"kernel": "copy", "dtype": "byte", "cache": "warm", "unit": "B"}}     that was all of it
 *   {"skipped": {"kernel": "copy", "dtype": "byte", "reason": "..."}}
 *   {"end": true}                                            the last
 *   {"error": "..."}                                         instead, with exit status 1; or 2: usage
 */
#ifndef LAGGARD_KERNELS_LINES_H
#define LAGGARD_KERNELS_LINES_H

#include "kernels/measure.h"

void lag_line_plan(uint32_t n_timings);
void lag_line_device(const char *backend, const struct lag_device *device);
void lag_line_timing(const struct lag_job *job, bool cold, const struct lag_measured *measured);
void lag_line_timed(const struct lag_job *job, bool cold);
void lag_line_skipped(const struct lag_kernel *kernel, enum lag_dtype dtype, const char *reason);
void lag_line_end(void);
void lag_line_error(const char *what);

#endif
