/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "sim/laggard.h"

#define PIECE 65536

static GBytes *refuse(int code, GError **error)
{
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "can't be read: %s",
                code == EISDIR ? "it is a folder" : g_strerror(code));
    return NULL;
}

static GBytes *refuse_size(size_t most, GError **error)
{
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "is larger than %zu MiB", most >> 20);
    return NULL;
}

/* How much a file holds, as far as the system knows. */
static size_t file_size(FILE *file)
{
    struct stat about;
    bool known = fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;

    return known ? (size_t)about.st_size : 0;
}

GBytes *lag_file_read(const char *path, size_t most, GError **error)
{
    g_autofree guint8 *piece = g_malloc(PIECE);
    FILE *file = fopen(path, "rb");
    size_t n, size;
    int code;

    if (file == NULL)
        return refuse(errno, error);
    size = file_size(file);
    g_autoptr(GByteArray) contents = g_byte_array_sized_new((guint)MIN(size, most));
    errno = 0;
    while (size <= most && contents->len <= most && (n = fread(piece, 1, PIECE, file)) > 0)
        g_byte_array_append(contents, piece, (guint)n);
    code = ferror(file) ? errno : 0;
    fclose(file);
    if (code != 0)
        return refuse(code, error);
    if (size > most || contents->len > most)
        return refuse_size(most, error);
    return g_byte_array_free_to_bytes(g_steal_pointer(&contents));
}
