/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole calibration by one back end: each kernel is checked, then timed at all sizes. */
#ifndef LAGGARD_KERNELS_COURSE_H
#define LAGGARD_KERNELS_COURSE_H

#include "kernels/backend.h"

/* Prints lines (lines.h); returns the exit status. */
int lag_course_run(struct lag_backend *backend, const struct lag_options *options);

/* Of the command line; false after a line that says what is wrong. */
bool lag_options_parse(int argc, char **argv, struct lag_options *ret);

#endif
