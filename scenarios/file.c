/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sim/laggard.h"

#define PIECE 65536

static GBytes *refuse(int code, GError **error)
{
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "can't be read: %s",
                code == EISDIR ? "it is a folder" : g_strerror(code));
    return NULL;
}

GBytes *lag_file_read(const char *path, size_t most, GError **error)
{
    g_autoptr(GByteArray) contents = g_byte_array_new();
    g_autofree guint8 *piece = g_malloc(PIECE);
    FILE *file = fopen(path, "rb");
    size_t n;
    int code;

    if (file == NULL)
        return refuse(errno, error);
    errno = 0;
    while ((n = fread(piece, 1, PIECE, file)) > 0 && contents->len <= most)
        g_byte_array_append(contents, piece, (guint)n);
    code = ferror(file) ? errno : 0;
    fclose(file);
    if (code != 0)
        return refuse(code, error);
    if (contents->len > most) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "is larger than %zu MiB",
                    most >> 20);
        return NULL;
    }
    return g_byte_array_free_to_bytes(g_steal_pointer(&contents));
}
