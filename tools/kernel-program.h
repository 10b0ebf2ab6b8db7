/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs laggard-host-kernels or laggard-cuda-kernels, which time kernels and say what they find as
 * lines of JSON (kernels/lines.h), one fact in each. */
#ifndef LAGGARD_TOOLS_KERNEL_PROGRAM_H
#define LAGGARD_TOOLS_KERNEL_PROGRAM_H

#include <stdbool.h>

#include <glib.h>
#include <json-glib/json-glib.h>

typedef struct lag_kernel_program lag_kernel_program;

/* Starts the program of a back end ("host", "cuda"). It is sought in the folder of laggard, then in
 * `kernels/` beside that. `arguments` end with NULL. Errors are G_SPAWN_ERROR. */
lag_kernel_program *lag_kernel_program_start(const char *backend, char *const *arguments,
                                             GError **error);

/* The next fact: its name, and its value, borrowed until the next call. False with `error` unset
 * where the program has said all. What it calls an error becomes one: LAGGARD_ERROR_INPUT of its
 * arguments, else G_SPAWN_ERROR. */
bool lag_kernel_program_next(lag_kernel_program *program, const char **ret_name,
                             JsonNode **ret_value, GError **error);

/* Ends it, if it still runs. */
void lag_kernel_program_free(lag_kernel_program *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_kernel_program, lag_kernel_program_free)

#endif
