/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files in memory, with a bound and with messages. */
#ifndef LAGGARD_SCENARIOS_FILE_H
#define LAGGARD_SCENARIOS_FILE_H

#include <glib.h>

/* The contents of a file of at most `most` bytes. NULL with LAGGARD_ERROR_INPUT:
 * "can't be read: it is a folder", without the file's name. */
GBytes *lag_file_read(const char *path, size_t most, GError **error);

#endif
