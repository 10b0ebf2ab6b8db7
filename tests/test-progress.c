/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on a stream that is no terminal; tests/test-database has one. */
#include <string.h>

#include "tools/progress.h"

#define PART_OF_A_SECOND 50000 /* [us] */

static void assert_text(uint64_t n_done, uint64_t n_points, double seconds, const char *expected)
{
    g_autofree char *text = lag_progress_text(n_done, n_points, seconds);

    g_assert_cmpstr(text, ==, expected);
}

static void test_text(void)
{
    assert_text(0, 10, 1.5, "0/10 points");
    assert_text(1, 10, 2, "1/10 points, 0.5 points/s, 18 s left");
    assert_text(120, 1000, 3, "120/1000 points, 40 points/s, 22 s left");
    assert_text(10, 1000, 10, "10/1000 points, 1 points/s, 16 min 30 s left");
    assert_text(1, 1000, 60, "1/1000 points, 0.017 points/s, 16 h 39 min left");
    assert_text(1000, 1000, 12.3, "1000/1000 points in 13 s");
    assert_text(0, 0, 1, "0/0 points");
}

/* Everything that a life of `us` microseconds prints, in which 10 of 10 points get done. */
static char *live(enum lag_progress_mode mode, gulong us, const char *line)
{
    FILE *stream = tmpfile();
    g_autofree char *text = g_malloc0(1 << 16);

    g_assert_nonnull(stream);
    lag_progress *progress = lag_progress_new(mode, stream, 10);
    for (int i = 0; i < 10; i++) {
        g_usleep(us / 10);
        lag_progress_add(progress, 1);
    }
    if (line != NULL)
        lag_progress_say(progress, line);
    lag_progress_free(progress);
    rewind(stream);
    g_assert_cmpuint(fread(text, 1, (1 << 16) - 1, stream), <, (1 << 16) - 1);
    fclose(stream);
    return g_steal_pointer(&text);
}

static void test_short(void)
{
    g_autofree char *bar = live(LAG_PROGRESS_BAR, PART_OF_A_SECOND, NULL);
    g_autofree char *plain = live(LAG_PROGRESS_PLAIN, PART_OF_A_SECOND, NULL);

    g_assert_cmpstr(bar, ==, "");
    g_assert_cmpstr(plain, ==, "");
}

static void test_none(void)
{
    g_autofree char *text = live(LAG_PROGRESS_NONE, 1300000, "said");

    g_assert_cmpstr(text, ==, "said\n");
}

static void test_bar(void)
{
    g_autofree char *text = live(LAG_PROGRESS_BAR, 1500000, "said");

    g_assert_true(g_str_has_prefix(text, "\r["));
    g_assert_nonnull(strstr(text, "\r\033[Ksaid\n"));
    g_assert_nonnull(strstr(text, "\r[########################] 10/10 points in "));
    g_assert_true(g_str_has_suffix(text, "\n"));
}

/* Whole lines: one after the first second, one at the end, and few more on a slow machine. */
static void test_plain(void)
{
    gint64 start = g_get_monotonic_time();
    g_autofree char *text = live(LAG_PROGRESS_PLAIN, 1500000, NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint n = g_strv_length(lines), seconds = (guint)((g_get_monotonic_time() - start) / 1000000);

    g_assert_cmpuint(n, >=, 3);
    g_assert_cmpuint(n, <=, 3 + seconds / 2);
    g_assert_true(g_str_has_prefix(lines[0], "laggard: "));
    g_assert_true(g_str_has_suffix(lines[0], " left"));
    g_assert_true(g_str_has_prefix(lines[n - 2], "laggard: 10/10 points in "));
    g_assert_cmpstr(lines[n - 1], ==, "");
}

static void test_mode(void)
{
    g_autoptr(GError) error = NULL;

    g_assert_cmpint(lag_progress_mode("bar", NULL), ==, LAG_PROGRESS_BAR);
    g_assert_cmpint(lag_progress_mode("plain", NULL), ==, LAG_PROGRESS_PLAIN);
    g_assert_cmpint(lag_progress_mode("none", NULL), ==, LAG_PROGRESS_NONE);
    g_assert_cmpint(lag_progress_mode(NULL, NULL), ==, lag_progress_mode("auto", NULL));
    g_assert_cmpint(lag_progress_mode("baar", &error), ==, -1);
    g_assert_nonnull(strstr(error->message, "did you mean 'bar'"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/progress/text", test_text);
    g_test_add_func("/progress/short", test_short);
    g_test_add_func("/progress/none", test_none);
    g_test_add_func("/progress/bar", test_bar);
    g_test_add_func("/progress/plain", test_plain);
    g_test_add_func("/progress/mode", test_mode);
    return g_test_run();
}
