/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "scenarios/message.h"
#include "sim/laggard.h"

static char *tidy(const char *text)
{
    g_autoptr(GError) error = g_error_new_literal(LAGGARD_ERROR, LAGGARD_ERROR_INPUT, text);

    lag_message_tidy(error);
    return g_strdup(error->message);
}

static void test_characters(void)
{
    static const struct {
        const char *text, *tidy;
    } rows[] = {
        {"plain 'text'; \302\265s \342\202\254", "plain 'text'; \302\265s \342\202\254"},
        {"a\nb\tc\rd",                           "a\\nb\\tc\\x0dd"                     },
        {"\033[31mred\177",                      "\\x1b[31mred\\x7f"                   },
        {"\302\233 next",                        "\\u009b next"                        }, /* C1: an escape of its own */
        {"\342\200\256 backwards",               "\\u202e backwards"                   }, /* right-to-left override */
        {"\342\200\250 line",                    "\\u2028 line"                        }, /* line separator */
        {"\377\376 \303( \342\202",              "\\xff\\xfe \\xc3( \\xe2\\x82"        }, /* not UTF-8 */
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = tidy(rows[i].text);
        g_assert_cmpstr(text, ==, rows[i].tidy);
    }
}

/* The ends stay, whole characters of them: place and remedy. */
static void test_length(void)
{
    for (unsigned shift = 0; shift < 3; shift++) {
        g_autoptr(GString) long_text = g_string_new("x.yaml:1:1: '");
        for (unsigned i = 0; i < shift; i++)
            g_string_append_c(long_text, 'a');
        for (unsigned i = 0; i < 1000000; i++)
            g_string_append(long_text, "\342\202\254");
        g_string_append(long_text, "' is wrong; right is: b");
        g_autofree char *text = tidy(long_text->str);
        g_assert_cmpuint(strlen(text), <, 1100);
        g_assert_true(g_utf8_validate(text, -1, NULL));
        g_assert_true(g_str_has_prefix(text, "x.yaml:1:1: '"));
        g_assert_true(g_str_has_suffix(text, "\342\202\254' is wrong; right is: b"));
        g_assert_nonnull(strstr(text, "\342\202\254 ... \342\202\254"));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/message/characters", test_characters);
    g_test_add_func("/message/length", test_length);
    return g_test_run();
}
