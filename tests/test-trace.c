/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "scenarios/trace.h"
#include "sim/laggard.h"

static const char *const one_wait[] = {"wait_ms", NULL};
static const struct lag_trace_columns waits = {"step", "rank", one_wait, true, NULL};

static struct lag_trace *parse(const char *text, const struct lag_trace_columns *columns,
                               GError **error)
{
    g_autoptr(GBytes) contents = g_bytes_new(text, strlen(text));

    return lag_trace_parse(contents, "t.csv", columns, error);
}

static void assert_arrivals(const char *text, const struct lag_trace_columns *columns,
                            uint32_t n_steps, uint32_t n_ranks, const double *expected)
{
    g_autoptr(GError) error = NULL;
    struct lag_trace *trace = parse(text, columns, &error);

    g_assert_no_error(error);
    g_assert_cmpuint(trace->n_steps, ==, n_steps);
    g_assert_cmpuint(trace->n_ranks, ==, n_ranks);
    for (uint32_t i = 0; i < n_steps * n_ranks; i++)
        g_assert_cmpfloat_with_epsilon(trace->arrival[i], expected[i], 1e-15);
    lag_trace_free(trace);
}

/* Step 7: the longest wait is 5 ms (rank 1), so rank 0, which waited 2 ms, came 3 ms after it, and
 * rank 2, which waited 0 ms, came last, 5 ms after it. Step 9: rank 2 first; the others 1 and 4 ms
 * later. Rows may come in any order; steps are sorted by their numbers. */
static void test_waits(void)
{
    static const double expected[] = {3e-3, 0, 5e-3, 1e-3, 4e-3, 0};

    assert_arrivals("# a comment, with, commas\n"
                    "step,rank,other,wait_ms\n"
                    "9,0,x,3\n"
                    "7,2,x,0\n"
                    "\n"
                    "7,1,x,5.0\n"
                    "# another\n"
                    "9,2,x,4\n"
                    "7,0,x,2\n"
                    "9,1,x,0\n",
                    &waits, 2, 3, expected);
}

/* Two columns of arrival are added, each in its own unit: 1.5 s + 20 ms, 0.5 s + 0 ms. Quotes,
 * blanks, CRLF and a byte order mark are no part of the values. */
static void test_arrivals(void)
{
    static const char *const times[] = {"forward_s", "backward_ms", NULL};
    static const struct lag_trace_columns columns = {"the step", "rank", times, false, NULL};
    static const double expected[] = {1.52, 0.5};

    assert_arrivals("\357\273\277\"the step\", rank ,forward_s,backward_ms\r\n"
                    "0,0,1.5,20\r\n"
                    "0, 1 ,\"0.5\",0",
                    &columns, 1, 2, expected);
}

/* Without a suffix the unit is the given one. */
static void test_unit(void)
{
    static const char *const times[] = {"late", NULL};
    static const struct lag_trace_columns columns = {"step", "rank", times, false, "us"};
    static const double expected[] = {7e-6};

    assert_arrivals("step,rank,late\n0,0,7\n", &columns, 1, 1, expected);
}

#define HEAD "step,rank,wait_ms\n"

static const struct wrong {
    const char *text, *message;
} wrong[] = {
    {"",                                     "t.csv: has no header line"                                           },
    {"# nothing\n",                          "t.csv: has no header line"                                           },
    {HEAD,                                   "t.csv: has no rows"                                                  },
    {"step,wait_ms\n0,1\n",                  "t.csv:1: has no column 'rank'; possible: step, wait_ms"              },
    {"step,rank,wait_us\n0,0,1\n",           "t.csv:1: has no column 'wait_ms'; did you mean 'wait_us'?"           },
    {HEAD "0,0\n",                           "t.csv:2: has 2 fields; the header has 3"                             },
    {HEAD "0,0,1,2\n",                       "t.csv:2: has 4 fields; the header has 3"                             },
    {HEAD "0,0,1\n0,x,1\n",                  "t.csv:3: 'x' is not a whole number"                                  },
    {HEAD "-1,0,1\n",                        "t.csv:2: '-1' is negative"                                           },
    {HEAD "0.5,0,1\n",                       "t.csv:2: '0.5' is not a whole number"                                },
    {HEAD "0,0,\n",                          "t.csv:2: '' is not a number"                                         },
    {HEAD "0,0,nan\n",                       "t.csv:2: 'nan' is not a number"                                      },
    {HEAD "0,0,1 ms\n",                      "t.csv:2: '1 ms' is not a number: ' ms' is too much"                  },
    {HEAD "0,0,-1\n",                        "t.csv:2: the time '-1' is negative"                                  },
    {HEAD "0,0,1\n0,1,1\n0,0,1\n",           "t.csv:4: rank 0 of step 0 is given twice, also in line 2"            },
    {HEAD "0,0,1\n0,1,1\n1,0,1\n",           "t.csv: step 1 has no row for rank 1 (the highest rank is 1)"         },
    {HEAD "0,0,1\n0,2,1\n",                  "t.csv: step 0 has no row for rank 1 (the highest rank is 2)"         },
    {HEAD "0,1,1\n1,0,1\n1,1,1\n",           "t.csv: step 0 has no row for rank 0 (the highest rank is 1)"         },
    {"step,rank,wait_ms,wait_ms\n0,0,1,1\n", "t.csv:1: has 2 columns 'wait_ms'"                                    },
    {HEAD "0;0;1\n",                         "t.csv:2: has 1 fields; the header has 3; separate fields with commas"},
    {HEAD "0,0,1e30\n",                      "t.csv:2: the time is too large"                                      },
    {HEAD "0,18446744073709551616,1\n",      "t.csv:2: '18446744073709551616' is too large"                        },
    {HEAD "0,18446744073709551615,1\n",      "t.csv:2: rank 18446744073709551615 is too large"                     },
};

static void test_wrong(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(parse(wrong[i].text, &waits, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        g_assert_cmpstr(error->message, ==, wrong[i].message);
    }
}

static void test_wrong_unit(void)
{
    static const char *const times[] = {"late", NULL};
    static const struct lag_trace_columns none = {"step", "rank", times, false, NULL};
    static const struct lag_trace_columns other = {"step", "rank", one_wait, true, "s"};
    g_autoptr(GError) error = NULL;

    g_assert_null(parse("step,rank,late\n0,0,7\n", &none, &error));
    g_assert_cmpstr(error->message, ==,
                    "t.csv: the column 'late' has no unit: neither a suffix _s, _ms or _us nor "
                    "`unit:`");
    g_clear_error(&error);
    g_assert_null(parse(HEAD "0,0,7\n", &other, &error));
    g_assert_cmpstr(error->message, ==, "t.csv: the column 'wait_ms' says ms, but `unit:` says s");
}

/* The table as it is written, sorted: both columns, the numbers of the steps. */
static void test_table(void)
{
    static const char *const times[] = {"a_s", "b_ms", NULL};
    static const struct lag_trace_columns columns = {"step", "rank", times, false, NULL};
    static const double expected[] = {1, 2, 3, 4, 5e-3, 6e-3, 7e-3, 8e-3};
    const char *text = "rank,b_ms,a_s,step\n1,8,4,90\n1,6,2,7\n0,5,1,7\n0,7,3,90\n";
    g_autoptr(GBytes) contents = g_bytes_new(text, strlen(text));
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_trace_table) read = lag_trace_table_parse(contents, "t.csv", &columns, &error);

    g_assert_no_error(error);
    g_assert_cmpuint(read->n_steps, ==, 2);
    g_assert_cmpuint(read->n_ranks, ==, 2);
    g_assert_cmpuint(read->n_times, ==, 2);
    g_assert_cmpuint(read->step[0], ==, 7);
    g_assert_cmpuint(read->step[1], ==, 90);
    for (int i = 0; i < 8; i++)
        g_assert_cmpfloat(read->time[i], ==, expected[i]);
}

/* Inside quotes a comma is no separator, and two quotes are one. */
static void test_quotes(void)
{
    static const char *const times[] = {"late, \"all\"_ms", NULL};
    static const struct lag_trace_columns columns = {"step", "rank", times, false, NULL};
    static const double expected[] = {7e-3};

    assert_arrivals("step,rank,\"late, \"\"all\"\"_ms\"\n0,0,7\n", &columns, 1, 1, expected);
}

/* Whichever way a number is read, it is the nearest double: plain decimals of up to 15 digits, and
 * all others. */
static void test_numbers(void)
{
    static const char *const texts[] = {
        "0.1",
        "5.",
        "1794.39",
        ".5",
        "000000000000000000001.5",
        "1e-3",
        "12345678",
        "0.000000000000001",
        "0.3e1",
        "123456789012345",
        "0.0003",
        "3.14159265358979",
        "1.2345678901234567",
    };
    static const char *const times[] = {"late_s", NULL};
    static const struct lag_trace_columns columns = {"step", "rank", times, false, NULL};

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *text = g_strdup_printf("step,rank,late_s\n0,0,%s\n", texts[i]);
        const double expected = g_ascii_strtod(texts[i], NULL);
        g_autoptr(GError) error = NULL;
        struct lag_trace *trace = parse(text, &columns, &error);
        g_assert_no_error(error);
        g_assert_cmpfloat(trace->arrival[0], ==, expected);
        lag_trace_free(trace);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace/waits", test_waits);
    g_test_add_func("/trace/arrivals", test_arrivals);
    g_test_add_func("/trace/unit", test_unit);
    g_test_add_func("/trace/quotes", test_quotes);
    g_test_add_func("/trace/table", test_table);
    g_test_add_func("/trace/numbers", test_numbers);
    g_test_add_func("/trace/wrong", test_wrong);
    g_test_add_func("/trace/wrong-unit", test_wrong_unit);
    return g_test_run();
}
