/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that may be compressed. */
#ifndef LAGGARD_SCENARIOS_GUNZIP_H
#define LAGGARD_SCENARIOS_GUNZIP_H

#include <stddef.h>

#include <glib.h>

/* What is in gzip data, all its members one behind the other; other data as it is. The result is a
 * new reference, of at most `most` bytes. NULL with LAGGARD_ERROR_INPUT: "the gzip data ends
 * early", without the file's name. */
GBytes *lag_gunzip(GBytes *contents, size_t most, GError **error);

#endif
