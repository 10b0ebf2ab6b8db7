/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a stored run says of its input and of the program. */
#ifndef LAGGARD_TOOLS_MANIFEST_H
#define LAGGARD_TOOLS_MANIFEST_H

#include <glib.h>

typedef struct lag_manifest {
    const char *version, *commit;
    char *text;          /* of the scenario file; "" where it can't be read twice, such as a pipe */
    char *configuration; /* after --set, in the form of lag_node_append_canonical(); likewise */
    char *arguments;     /* of the command line, as a JSON array */
} lag_manifest;

/* Of a scenario that has been loaded with `sets` (ends with NULL). */
lag_manifest *lag_manifest_new(const char *file, const char *const *sets, char *const *arguments);
void lag_manifest_free(lag_manifest *manifest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_manifest, lag_manifest_free)

#endif
