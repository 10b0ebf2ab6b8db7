/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiled training jobs: operations with their times, in any of the formats of
 * profile-readers.def. */
#ifndef LAGGARD_SCENARIOS_PROFILE_H
#define LAGGARD_SCENARIOS_PROFILE_H

#include <stdbool.h>

#include <glib.h>

#include "sim/job.h"

/* A format. A new one is a file with one of these, and a line in profile-readers.def. */
struct lag_profile_reader {
    const char *name, *summary;
    /* Whether the contents look like it. */
    bool (*fits)(GBytes *contents);
    /* At least one operation, as struct lag_op. NULL with LAGGARD_ERROR_INPUT; `name` stands in
     * messages. */
    GArray *(*read)(GBytes *contents, const char *name, GError **error);
};

/* Reads a file, which may be compressed with gzip. NULL with LAGGARD_ERROR_INPUT. */
GArray *lag_profile_load(const char *path, GError **error);

/* The same of a file's contents. The first reader is taken where none fits. */
GArray *lag_profile_parse(GBytes *contents, const char *name, GError **error);

#define PROFILE_READER(name) extern const struct lag_profile_reader lag_profile_##name;
#include "scenarios/profile-readers.def"
#undef PROFILE_READER

#endif
