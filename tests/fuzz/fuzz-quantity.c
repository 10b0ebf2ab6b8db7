/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and units: a text is one quantity at most, and a finite one. */
#include <math.h>
#include <stdint.h>

#include "scenarios/quantity.h"
#include "sim/laggard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool read, double value, const GError *error)
{
    g_assert_true(read == (error == NULL));
    if (read)
        g_assert_true(isfinite(value));
    else
        g_assert_true(g_error_matches(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT));
}

/* In how many dimensions a text is a quantity. */
static unsigned read_quantity(const char *text)
{
    unsigned n_read = 0;

    for (enum lag_dimension i = 0; i < LAG_N_DIMENSIONS; i++) {
        g_autoptr(GError) error = NULL;
        double value = NAN;
        bool read = lag_quantity_parse(text, i, &value, &error);
        check(read, value, error);
        n_read += read;
    }
    return n_read;
}

static unsigned read_number(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GError) error_of_integer = NULL;
    double number = NAN;
    uint64_t integer = 0;
    bool is_number = lag_number_parse(text, &number, &error);
    bool is_integer = lag_integer_parse(text, &integer, &error_of_integer);

    check(is_number, number, error);
    check(is_integer, (double)integer, error_of_integer);
    if (is_integer)
        g_assert_true(is_number && number == (double)integer);
    return is_number;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);

    g_assert_cmpuint(read_quantity(text) + read_number(text), <=, 1);
    return 0;
}
