/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "results/arithmetic.h"
#include "tests/helpers.h"

/* A reference is worth the length of its label, and of its point a hundred times. */
static bool find(const struct lag_reference *reference, void *data, double *ret, GError **error)
{
    if (strcmp(reference->metric, "no") == 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "no such metric");
        return false;
    }
    g_assert_cmpstr(reference->metric, ==, data);
    *ret = (double)strlen(reference->label) + 100 * (double)strlen(reference->point);
    return true;
}

static double value(const char *text, const char *metric)
{
    g_autoptr(GError) error = NULL;
    double result = NAN;

    lag_arithmetic(text, find, (char *)(uintptr_t)metric, &result, &error);
    g_assert_no_error(error);
    return result;
}

/* Products before sums, from left to right, parentheses first. */
static void values(void)
{
    g_assert_cmpfloat(value("1 + 2 * 3", NULL), ==, 7);
    g_assert_cmpfloat(value("(1 + 2) * 3", NULL), ==, 9);
    g_assert_cmpfloat(value("8 / 4 / 2 - 1 - 1", NULL), ==, -1);
    g_assert_cmpfloat(value(" 3e-6*2 ", NULL), ==, 6e-6);
    g_assert_cmpfloat(value("log2(8) * sqrt( 16 )", NULL), ==, 12);
    g_assert_cmpfloat(value("{ring}.time_s", "time_s"), ==, 4);
    g_assert_cmpfloat(
        value("{ stragglar straggler=7 | a=1 }.ranks_wait_s[3] / 2", "ranks_wait_s[3]"), ==,
        (21 + 300) / 2.0);
    g_assert_true(isinf(value("1 / 0", NULL)));
    g_assert_cmpfloat(value("min(3, 1 + 1, {ring}.time_s)", "time_s"), ==, 2);
    g_assert_cmpfloat(value("max( 3 , 1, (2) ) - min(7)", NULL), ==, -4);
    g_assert_cmpfloat(value("mean(1, 2, 6) * 2", NULL), ==, 6);
    g_assert_cmpfloat(value("min(0 / 0, 3, 0 / 0)", NULL), ==, 3);
    g_assert_cmpfloat(value("max(0 / 0, 3)", NULL), ==, 3);
    g_assert_true(isnan(value("min(0 / 0, 0 / 0)", NULL)));
    g_assert_true(isnan(value("mean(0 / 0, 1)", NULL)));
}

static void refusals(void)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"",              "at character 1 of \"\": expected a number, a reference {label}.metric, "
             "log2(..), max(..), mean(..), min(..), sqrt(..) or ("                           },
        {"1 +",           "at character 4 of \"1 +\": expected a number, a reference {label}.metric, "
                "log2(..), max(..), mean(..), min(..), sqrt(..) or ("                     },
        {"1 2",           "at character 3 of \"1 2\": expected +, -, *, / or the end"                    },
        {"(1",            "at character 3 of \"(1\": expected )"                                         },
        {"log2 8",        "at character 6 of \"log2 8\": expected ( behind the function"                 },
        {"min 8",         "at character 5 of \"min 8\": expected ( behind the function"                  },
        {"min(8; 9)",     "at character 6 of \"min(8; 9)\": expected , or )"                             },
        {"sqrt(8, 9)",    "at character 7 of \"sqrt(8, 9)\": expected )"                                 },
        {"minimum(8)",
         "at character 1 of \"minimum(8)\": expected a number, a reference {label}.metric, "
         "log2(..), max(..), mean(..), min(..), sqrt(..) or ("                                           },
        {"{ring",         "at character 2 of \"{ring\": expected } behind the label"                     },
        {"{ring}",        "at character 7 of \"{ring}\": expected a point and a metric, {ring}.exposed_s"},
        {"{ring}.",       "at character 8 of \"{ring}.\": expected a metric, {ring}.exposed_s"           },
        {"1 + {ring}.no", "no such metric"                                                               },
    };
    double result = -7;

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(lag_arithmetic(rows[i].text, find, NULL, &result, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        g_assert_cmpstr(error->message, ==, rows[i].message);
    }
    g_assert_cmpfloat(result, ==, -7); /* written on success only */
}

/* Many parentheses are refused, not followed until the stack ends. */
static void deep(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    double result;

    for (int i = 0; i < 100000; i++)
        g_string_append_c(text, '(');
    g_assert_false(lag_arithmetic(text->str, find, NULL, &result, NULL));
    g_string_truncate(text, 0);
    for (int i = 0; i < 100000; i++)
        g_string_append(text, "min(");
    g_assert_false(lag_arithmetic(text->str, find, NULL, &result, &error));
    g_assert_true(g_str_has_suffix(error->message, "expected fewer parentheses in each other"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/arithmetic/values", values);
    g_test_add_func("/arithmetic/refusals", refusals);
    g_test_add_func("/arithmetic/deep", deep);
    return g_test_run();
}
