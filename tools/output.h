/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where results go: standard output, or the file of --output. */
#ifndef LAGGARD_TOOLS_OUTPUT_H
#define LAGGARD_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <glib.h>

/* False with LAGGARD_ERROR_INPUT where a path (NULL: standard output) cannot become a file, said
 * before a long run rather than after it. */
bool lag_output_check(const char *path, GError **error);

struct lag_output {
    FILE *stream;
    const char *name; /* borrowed; for messages */
};
/* Errors are of G_FILE_ERROR. */
bool lag_output_open(struct lag_output *output, const char *path, GError **error);
bool lag_output_write(struct lag_output *output, const GString *text, GError **error);
/* Succeeds only if all that was written has reached the system. To be called once, whatever
 * lag_output_write() said. */
bool lag_output_close(struct lag_output *output, GError **error);

/* All of it in one go. */
bool lag_output_text(const char *path, const GString *text, GError **error);

#endif
