/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log that is still being written. */
#ifndef LAGGARD_TOOLS_ADVISE_FOLLOW_H
#define LAGGARD_TOOLS_ADVISE_FOLLOW_H

#include "tools/trace-input.h"

/* What to do with the complete steps of the log, `path` being a copy of them. */
typedef bool (*lag_follow_action)(const char *path, void *data, GError **error);

/* Acts whenever complete steps have been added: looks once a second, acts at most once in two
 * seconds and no longer than half of the time. Steps after the last complete one may be
 * incomplete. Returns the signal that ended it, SIGINT or SIGTERM; 0 with an error, whose message
 * names the log. */
int lag_follow(const char *path, const struct lag_trace_options *options, lag_follow_action action,
               void *data, GError **error);

/* The log without its last, incomplete steps, whose lines become blank; *ret_n_steps: how many
 * are left (0: nothing to do yet). */
GString *lag_follow_complete(const char *text, size_t length,
                             const struct lag_trace_options *options, uint32_t *ret_n_steps);

#endif
