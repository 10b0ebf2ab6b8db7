/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a long command is, on a stream of its own: nothing in its first second. It may be told
 * from any thread. */
#ifndef LAGGARD_TOOLS_PROGRESS_H
#define LAGGARD_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <glib.h>

enum lag_progress_mode {
    LAG_PROGRESS_BAR,   /* one line that changes, five times a second */
    LAG_PROGRESS_PLAIN, /* a line when something has changed, every two seconds at most */
    LAG_PROGRESS_NONE,
};

/* Of --progress (NULL: auto, a bar where stderr is a terminal): -1 with LAGGARD_ERROR_INPUT. */
int lag_progress_mode(const char *word, GError **error);

typedef struct lag_progress lag_progress;
lag_progress *lag_progress_new(enum lag_progress_mode mode, FILE *stream, uint64_t n_points);
/* Prints how far it has come, where it has printed before. */
void lag_progress_free(lag_progress *progress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_progress, lag_progress_free)

void lag_progress_add(lag_progress *progress, uint32_t n_points);

/* Prints a line of its own, out of the bar's way. */
void lag_progress_say(lag_progress *progress, const char *line);

/* "120/1000 points, 40 points/s, 22 s left", newly allocated. */
char *lag_progress_text(uint64_t n_done, uint64_t n_points, double seconds);

#endif
