/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "results/format.h"

#define assert_text(call, expected)                                                                \
    do {                                                                                           \
        g_autofree char *text_ = (call);                                                           \
        g_assert_cmpstr(text_, ==, expected);                                                      \
    } while (0)

static void test_seconds(void)
{
    assert_text(lag_format_seconds(0), "0 s");
    assert_text(lag_format_seconds(3.9308888e-3), "3.9309 ms");
    assert_text(lag_format_seconds(42e-6), "42.000 us");
    assert_text(lag_format_seconds(75), "75.000 s");
    assert_text(lag_format_seconds(123456), "123456 s");
    assert_text(lag_format_seconds(1e-3), "1.0000 ms");
    assert_text(lag_format_seconds(0.9999999), "1.0000 s"); /* not 1000.0 ms */
    assert_text(lag_format_seconds(2.5e-10), "0.2500 ns");
    assert_text(lag_format_seconds(1e-18), "0 s"); /* a rounding error */
    assert_text(lag_format_seconds(-5e-3), "-5.0000 ms");
    assert_text(lag_format_seconds(INFINITY), "-");
    assert_text(lag_format_seconds(NAN), "-");
}

/* Numbers that are compared stand in one unit. */
static void test_seconds_like(void)
{
    assert_text(lag_format_seconds_like(0.876030e-3, 3.9e-3), "0.8760 ms");
    assert_text(lag_format_seconds_like(10e-3, 3.9e-3), "10.0000 ms");
    assert_text(lag_format_seconds_like(0, 3.9e-3), "0.0000 ms");
    assert_text(lag_format_seconds_like(2, 0), "2.0000 s");
    assert_text(lag_format_seconds_like(NAN, 1), "-");
}

static void test_rates_and_sizes(void)
{
    assert_text(lag_format_rate(273.1549668e9), "273.15 GB/s");
    assert_text(lag_format_rate(20e3), "20.000 kB/s");
    assert_text(lag_format_rate(1.6e12), "1.6000 TB/s");
    assert_text(lag_format_rate(INFINITY), "-");
    assert_text(lag_format_bytes(1073741824), "1 GiB");
    assert_text(lag_format_bytes(2621440), "2.5 MiB");
    assert_text(lag_format_bytes(100e6), "100 MB");
    assert_text(lag_format_bytes(4), "4 B");
    assert_text(lag_format_bytes(0), "0 B");
    assert_text(lag_format_bytes(12850999296.0), "11.968 GiB");
}

static void test_integers(void)
{
    g_autoptr(GString) text = g_string_new(NULL);

    lag_append_count(text, 0);
    lag_append_count(text, UINT64_MAX);
    lag_append_integer(text, -1);
    lag_append_integer(text, INT64_MIN);
    g_assert_cmpstr(text->str, ==, "018446744073709551615-1-9223372036854775808");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/seconds", test_seconds);
    g_test_add_func("/format/seconds-like", test_seconds_like);
    g_test_add_func("/format/rates-and-sizes", test_rates_and_sizes);
    g_test_add_func("/format/integers", test_integers);
    return g_test_run();
}
