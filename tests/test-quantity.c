/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/quantity.h"
#include "sim/laggard.h"

static const struct good {
    const char *text;
    enum lag_dimension dimension;
    double value;
} good[] = {
    {"0 s",         LAG_TIME,      0           },
    {"3us",         LAG_TIME,      3e-6        },
    {"7 us",        LAG_TIME,      7e-6        }, /* 7 * 1e-6 would be one bit off */
    {"3 \302\265s", LAG_TIME,      3e-6        },
    {"3 \316\274s", LAG_TIME,      3e-6        },
    {"1.5 ms",      LAG_TIME,      1.5e-3      },
    {"500 ns",      LAG_TIME,      500e-9      },
    {"2 min",       LAG_TIME,      120         },
    {"1e-1 h",      LAG_TIME,      360         },
    {".5 s",        LAG_TIME,      0.5         },
    {"5. s",        LAG_TIME,      5           },
    {"+5 s",        LAG_TIME,      5           },
    {"-5 s",        LAG_TIME,      -5          }, /* whether that is possible is the caller's to say */
    {"1 B",         LAG_SIZE,      1           },
    {"1 kB",        LAG_SIZE,      1000        },
    {"1 GB",        LAG_SIZE,      1e9         },
    {"1 TB",        LAG_SIZE,      1e12        },
    {"1 KiB",       LAG_SIZE,      1024        },
    {"1 GiB",       LAG_SIZE,      1073741824  },
    {"1e3 MiB  ",   LAG_SIZE,      1048576e3   },
    {"450 GB/s",    LAG_BANDWIDTH, 450e9       },
    {"450GiB/s",    LAG_BANDWIDTH, 483183820800},
    {"400 Gbps",    LAG_BANDWIDTH, 50e9        },
    {"400 Gbit/s",  LAG_BANDWIDTH, 50e9        },
    {"400 Gb/s",    LAG_BANDWIDTH, 50e9        },
    {"1 Pbps",      LAG_BANDWIDTH, 125e12      },
    {"8 bit/s",     LAG_BANDWIDTH, 1           },
    {"1.5 TFLOP",   LAG_WORK,      1.5e12      },
    {"989 TFLOPS",  LAG_SPEED,     989e12      },
    {"989 TFLOP/s", LAG_SPEED,     989e12      },
};

static void test_good(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autoptr(GError) error = NULL;
        double value = -1;
        bool read = lag_quantity_parse(good[i].text, good[i].dimension, &value, &error);
        g_test_message("%s", good[i].text);
        g_assert_no_error(error);
        g_assert_true(read);
        g_assert_cmpfloat(value, ==, good[i].value);
    }
}

static const struct bad {
    const char *text;
    enum lag_dimension dimension;
    const char *message;
} bad[] = {
    {"312 TFLOPS", LAG_WORK,
     "'312 TFLOPS' is a speed of computing, not a number of operations; write for example 1.5 "
     "TFLOP"                                                                                       },
    {"3",          LAG_TIME,      "'3' has no unit; write for example 3 us"                        },
    {"1073741824", LAG_SIZE,      "'1073741824' has no unit; write for example 1 GiB"              },
    {"450 ",       LAG_BANDWIDTH, "'450 ' has no unit; write for example 450 GB/s"                 },
    {"",           LAG_TIME,      "'' is not a time; write for example 3 us"                       },
    {"us",         LAG_TIME,      "'us' is not a time; write for example 3 us"                     },
    {". s",        LAG_TIME,      "'. s' is not a time; write for example 3 us"                    },
    {" 3 us",      LAG_TIME,      "' 3 us' is not a time; write for example 3 us"                  },
    {"nan s",      LAG_TIME,      "'nan s' is not a time; write for example 3 us"                  },
    {"inf GB/s",   LAG_BANDWIDTH, "'inf GB/s' is not a bandwidth; write for example 450 GB/s"      },
    {"infinity",   LAG_SIZE,      "'infinity' is not a size; write for example 1 GiB"              },
    {"0x10 B",     LAG_SIZE,      "'0x10 B' has the unknown unit 'x10 B'; possible: B, kB, MB"     },
    {"1e400 s",    LAG_TIME,      "'1e400 s' is too large"                                         },
    {"1e307 h",    LAG_TIME,      "'1e307 h' is too large"                                         },
    {"1e300 TiB",  LAG_SIZE,      "'1e300 TiB' is too large"                                       },
    {"128M",       LAG_SIZE,      "'128M' is ambiguous; write 128 MB (powers of 1000) or 128 MiB"  },
    {"1.5 K",      LAG_SIZE,      "'1.5 K' is ambiguous; write 1.5 kB (powers of 1000) or 1.5 KiB" },
    {"4G",         LAG_BANDWIDTH, "'4G' is ambiguous; write 4 GB/s (powers of 1000) or 4 GiB/s"    },
    {"3 usec",     LAG_TIME,      "'3 usec' has the unknown unit 'usec'; "                         },
    {"3 US",       LAG_TIME,      "'3 US' has the unknown unit 'US'; possible: s, ms, us"          },
    {"1 GIB",      LAG_SIZE,      "'1 GIB' has the unknown unit 'GIB'; did you mean 'GiB'?"        },
    {"450 GBps",   LAG_BANDWIDTH, "'450 GBps' has the unknown unit 'GBps'; did you mean 'GB/s'?"   },
    {"1,5 GB",     LAG_SIZE,      "'1,5 GB' has the unknown unit ',5 GB'; "                        },
    {"3 us us",    LAG_TIME,      "'3 us us' has the unknown unit 'us us'; "                       },
    {"450 GB",     LAG_BANDWIDTH, "'450 GB' is a size, not a bandwidth; write for example 450 GB/s"},
    {"3 us",       LAG_SIZE,      "'3 us' is a time, not a size; write for example 1 GiB"          },
};

static void test_bad(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        double value = -1;
        bool read = lag_quantity_parse(bad[i].text, bad[i].dimension, &value, &error);
        g_test_message("%s", bad[i].text);
        g_assert_false(read);
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        g_assert_cmpfloat(value, ==, -1); /* written on success only */
        if (!g_str_has_prefix(error->message, bad[i].message))
            g_assert_cmpstr(error->message, ==, bad[i].message);
    }
}

static void test_numbers(void)
{
    double number = 0;
    uint64_t integer = 0;

    g_assert_true(lag_number_parse("-1.5e3", &number, NULL));
    g_assert_cmpfloat(number, ==, -1500);
    g_assert_false(lag_number_parse("1 s", &number, NULL));
    g_assert_false(lag_number_parse("nan", &number, NULL));
    g_assert_false(lag_number_parse("1e", &number, NULL));
    g_assert_true(lag_integer_parse("18446744073709551615", &integer, NULL));
    g_assert_cmpuint(integer, ==, UINT64_MAX);
    g_assert_false(lag_integer_parse("18446744073709551616", &integer, NULL));
    g_assert_false(lag_integer_parse("-1", &integer, NULL));
    g_assert_false(lag_integer_parse("+1", &integer, NULL));
    g_assert_false(lag_integer_parse("1.0", &integer, NULL));
    g_assert_false(lag_integer_parse("", &integer, NULL));
}

static void test_units(void)
{
    const struct lag_unit *unit = lag_unit_find("ms", LAG_TIME);

    g_assert_nonnull(unit);
    g_assert_cmpfloat(lag_unit_value(unit, 1002.45), ==, 1.00245);
    g_assert_null(lag_unit_find("ms", LAG_SIZE));
    g_assert_null(lag_unit_find("m", LAG_TIME));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/quantity/good", test_good);
    g_test_add_func("/quantity/bad", test_bad);
    g_test_add_func("/quantity/numbers", test_numbers);
    g_test_add_func("/quantity/units", test_units);
    return g_test_run();
}
