/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/gunzip.h"

#include <stdbool.h>
#include <string.h>

#include <gio/gio.h>

#include "sim/laggard.h"

#define PIECE ((size_t)1 << 18)

static bool is_gzip(const guint8 *data, size_t n)
{
    static const guint8 magic[] = {0x1f, 0x8b};

    return n >= sizeof(magic) && memcmp(data, magic, sizeof(magic)) == 0;
}

static bool refuse(GError **error, const char *message)
{
    g_set_error_literal(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, message);
    return false;
}

/* Appends one member; moves *rest behind it. */
static bool inflate_member(const guint8 **rest, const guint8 *end, size_t most, GByteArray *text,
                           GError **error)
{
    g_autoptr(GConverter) inflater =
        G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
    g_autofree guint8 *piece = g_malloc(PIECE);
    GConverterResult result = G_CONVERTER_CONVERTED;

    while (result != G_CONVERTER_FINISHED) {
        g_autoptr(GError) cause = NULL;
        gsize n_read = 0, n_written = 0;
        result = g_converter_convert(inflater, *rest, (gsize)(end - *rest), piece, PIECE,
                                     G_CONVERTER_INPUT_AT_END, &n_read, &n_written, &cause);
        if (result == G_CONVERTER_ERROR)
            return refuse(error, g_error_matches(cause, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT)
                                     ? "the gzip data ends early: the file is cut off"
                                     : "the gzip data is damaged");
        if (n_read == 0 && n_written == 0 && result != G_CONVERTER_FINISHED)
            return refuse(error, "the gzip data is damaged");
        *rest += n_read;
        if (n_written > most - text->len)
            return refuse(error, "the gzip data is too large when it is unpacked");
        g_byte_array_append(text, piece, (guint)n_written);
    }
    return true;
}

GBytes *lag_gunzip(GBytes *contents, size_t most, GError **error)
{
    gsize n = 0;
    const guint8 *rest = g_bytes_get_data(contents, &n);
    const guint8 *end = n > 0 ? rest + n : rest;

    if (!is_gzip(rest, n))
        return g_bytes_ref(contents);
    g_autoptr(GByteArray) text = g_byte_array_new();
    while (rest < end && is_gzip(rest, (size_t)(end - rest)))
        if (!inflate_member(&rest, end, most, text, error))
            return NULL;
    return g_byte_array_free_to_bytes(g_steal_pointer(&text));
}
