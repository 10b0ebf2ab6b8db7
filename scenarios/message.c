/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/message.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LONGEST 1200 /* bytes of a message */
#define KEPT    500  /* of a longer one, at each end */
#define ALL     (SIZE_MAX / 2)

static bool is_printable(gunichar c)
{
    GUnicodeType type = g_unichar_type(c);

    return !g_unichar_iscntrl(c) && type != G_UNICODE_FORMAT && type != G_UNICODE_LINE_SEPARATOR &&
           type != G_UNICODE_PARAGRAPH_SEPARATOR;
}

/* Appends the character at `text`, of which there are `left` bytes; returns what follows it. */
static const char *append_character(GString *out, const char *text, size_t left)
{
    gunichar c = g_utf8_get_char_validated(text, (gssize)left);
    bool valid = c != (gunichar)-1 && c != (gunichar)-2;

    if (valid && is_printable(c))
        g_string_append_unichar(out, c);
    else if (*text == '\n')
        g_string_append(out, "\\n");
    else if (*text == '\t')
        g_string_append(out, "\\t");
    else if (valid && c >= 0x80)
        g_string_append_printf(out, "\\u%04x", (unsigned)c);
    else
        g_string_append_printf(out, "\\x%02x", (unsigned char)*text);
    return valid ? text + g_unichar_to_utf8(c, NULL) : text + 1;
}

/* All of text[0 .. length - 1], as far as `out` has room for `room` bytes more. */
static void append_printable(GString *out, const char *text, size_t length, size_t room)
{
    const char *end = text + length;
    size_t most = out->len + room;

    while (text < end && out->len < most)
        text = append_character(out, text, (size_t)(end - text));
}

void lag_message_tidy(GError *error)
{
    size_t length = strlen(error->message);
    g_autoptr(GString) out = g_string_new(NULL);

    if (length <= LONGEST) {
        append_printable(out, error->message, length, ALL);
    } else {
        const char *tail = error->message + length - KEPT;
        while ((*tail & 0xc0) == 0x80) /* not in the middle of a character */
            tail++;
        append_printable(out, error->message, length, KEPT);
        g_string_append(out, " ... ");
        append_printable(out, tail, strlen(tail), ALL);
    }
    g_free(error->message);
    error->message = g_strdup(out->str);
}
