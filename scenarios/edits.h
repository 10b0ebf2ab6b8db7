/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edits of a profiled job as people write them: an entry of a list, "balance-stages" or
 * "{speed-up: {rank: 5, factor: 2}}". */
#ifndef LAGGARD_SCENARIOS_EDITS_H
#define LAGGARD_SCENARIOS_EDITS_H

#include <stdbool.h>

#include <glib.h>

#include "sim/job-edit.h"

/* Appends one edit (struct lag_job_edit). `source` stands in messages: "--edit". False with
 * LAGGARD_ERROR_INPUT. */
bool lag_edits_parse(const char *text, const char *source, GArray *edits, GError **error);

/* Appends those of a file: {laggard: 1, trace: profile.csv.gz, edits: [...]}. *ret_trace is newly
 * allocated: its trace, whose folder is the file's; NULL where it names none. */
bool lag_edits_load(const char *path, GArray *edits, char **ret_trace, GError **error);

#endif
