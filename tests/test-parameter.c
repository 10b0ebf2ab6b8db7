/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/parameter.h"

static void expect_value(const struct laggard_parameter *parameter, const char *text, double want)
{
    double value = -7;

    g_assert_true(lag_parameter_parse(parameter, text, 8, &value, NULL));
    g_assert_cmpfloat(value, ==, want);
}

static void expect_refusal(const struct laggard_parameter *parameter, const char *text,
                           const char *message)
{
    g_autoptr(GError) error = NULL;
    double value = -7;

    g_assert_false(lag_parameter_parse(parameter, text, 8, &value, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_cmpstr(error->message, ==, message);
    g_assert_cmpfloat(value, ==, -7); /* written on success only */
}

/* Values as users write them: numbers within their limits, ranks of 8, words of a list. */
static void parameters(void)
{
    const struct laggard_parameter number = {
        .name = "lanes", .type = LAGGARD_INTEGER, .min = -2, .max = 16};
    const struct laggard_parameter rank = {.name = "straggler", .type = LAGGARD_RANK};
    const struct laggard_parameter word = {
        .name = "shape", .type = LAGGARD_CHOICE, .choices = "ring|tree|mesh"};
    const struct laggard_parameter share = {.name = "hit_rate", .type = LAGGARD_SHARE};
    const struct laggard_parameter count = {
        .name = "chunks", .type = LAGGARD_COUNT, .min = 1, .max = 16};

    const struct laggard_parameter bound = {
        .name = "bound", .type = LAGGARD_INTEGER, .min = 0, .max = LAGGARD_INFINITE};

    expect_value(&bound, "inf", LAGGARD_INFINITE);
    expect_value(&bound, "3", 3);
    expect_refusal(&bound, "-1",
                   "expected a whole number, at least 0, or the word inf, got \"-1\"");
    expect_refusal(&number, "inf", "expected a whole number from -2 to 16, got \"inf\"");
    expect_value(&count, "auto", LAGGARD_AUTO);
    expect_value(&count, "3", 3);
    expect_refusal(&count, "-1",
                   "neither auto nor valid: expected a whole number from 1 to 16, got \"-1\"");
    expect_value(&number, "16", 16);
    expect_value(&number, "-2", -2);
    expect_refusal(&number, "17", "expected a whole number from -2 to 16, got \"17\"");
    expect_refusal(&number, "1.5", "expected a whole number from -2 to 16, got \"1.5\"");
    expect_refusal(&number, "", "expected a whole number from -2 to 16, got \"\"");
    expect_value(&rank, "7", 7);
    expect_refusal(&rank, "8", "expected a whole number from 0 to 7, got \"8\"");
    expect_refusal(&rank, "-1", "expected a whole number from 0 to 7, got \"-1\"");
    expect_value(&share, "90 %", 0.9);
    expect_value(&share, "45.6%", 0.456);
    expect_value(&share, "0 %", 0);
    expect_refusal(&share, "90", "expected a share from 0 % to 100 %, such as 90 %, got \"90\"");
    expect_refusal(&share, "101 %",
                   "expected a share from 0 % to 100 %, such as 90 %, got \"101 %\"");
    expect_value(&word, "ring", 0);
    expect_value(&word, "mesh", 2);
    expect_refusal(&word, "rin", "\"rin\" is not one of ring|tree|mesh");
    expect_refusal(&word, "ring|tree", "\"ring|tree\" is not one of ring|tree|mesh");
}

/* Times need their unit, numbers have none; both are decimal, finite unless `max` says otherwise. */
static void reals(void)
{
    const struct laggard_parameter time = {
        .name = "late", .type = LAGGARD_TIME, .min = 0, .max = LAGGARD_INFINITE};
    const struct laggard_parameter weight = {
        .name = "weight", .type = LAGGARD_NUMBER, .min = 0, .max = 2};
    const struct laggard_parameter shortest = {
        .name = "gap", .type = LAGGARD_TIME, .min = 1e-3, .max = 60};

    expect_value(&time, "1 ms", 1e-3);
    expect_value(&time, "7us", 7e-6);
    expect_value(&time, "2 min", 120);
    expect_value(&time, "inf", LAGGARD_INFINITE);
    expect_value(&weight, "0.5", 0.5);
    expect_value(&weight, "1e-3", 1e-3);
    expect_refusal(&time, "3",
                   "expected a time with its unit, such as 1 ms, at least 0 s, or the "
                   "word inf, got \"3\"");
    expect_refusal(&shortest, "2 h",
                   "expected a time with its unit, such as 1 ms, from 0.001 s to "
                   "60 s, got \"2 h\"");
    expect_refusal(&shortest, "2 parsec",
                   "expected a time with its unit, such as 1 ms, from 0.001 "
                   "s to 60 s, got \"2 parsec\"");
    expect_refusal(&shortest, "0 s",
                   "expected a time with its unit, such as 1 ms, from 0.001 s to "
                   "60 s, got \"0 s\"");
    expect_refusal(&weight, "2.5", "expected a number, from 0 to 2, got \"2.5\"");
    expect_refusal(&weight, "1 s", "expected a number, from 0 to 2, got \"1 s\"");
    expect_refusal(&weight, "nan", "expected a number, from 0 to 2, got \"nan\"");
    expect_refusal(&weight, "0x1", "expected a number, from 0 to 2, got \"0x1\"");
    expect_refusal(&weight, "1e999", "expected a number, from 0 to 2, got \"1e999\"");
}

static void expect_text(const struct laggard_parameter *parameter, const char *given,
                        const char *want)
{
    double value;

    g_assert_true(lag_parameter_parse(parameter, given, 8, &value, NULL));
    g_autofree char *text = lag_parameter_text(parameter, value);
    g_assert_cmpstr(text, ==, want);
}

/* What is printed is what a user may write; equal values look the same. */
static void texts(void)
{
    const struct laggard_parameter time = {
        .name = "late", .type = LAGGARD_TIME, .min = 0, .max = LAGGARD_INFINITE};
    const struct laggard_parameter share = {.name = "part", .type = LAGGARD_SHARE};
    const struct laggard_parameter whole = {
        .name = "bound", .type = LAGGARD_INTEGER, .min = -9, .max = LAGGARD_INFINITE};

    expect_text(&time, "0.001 s", "1 ms");
    expect_text(&time, "1500 us", "1.5 ms");
    expect_text(&time, "2 min", "120 s");
    expect_text(&time, "0 h", "0 s");
    expect_text(&time, "0.25ns", "0.25 ns");
    expect_text(&time, "inf", "inf");
    expect_text(&share, "45.6 %", "45.6 %");
    expect_text(&whole, "-3", "-3");
    expect_text(&whole, "9007199254740992", "9007199254740992"); /* 2^53 */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/parameter/parameters", parameters);
    g_test_add_func("/parameter/reals", reals);
    g_test_add_func("/parameter/texts", texts);
    return g_test_run();
}
