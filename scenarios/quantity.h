/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities as people write them: a number and a unit, which is required. */
#ifndef LAGGARD_SCENARIOS_QUANTITY_H
#define LAGGARD_SCENARIOS_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

enum lag_dimension {
    LAG_TIME,      /* s ms us ns min h: seconds */
    LAG_SIZE,      /* B kB MB GB TB KiB MiB GiB TiB: bytes */
    LAG_BANDWIDTH, /* B/s .. TB/s, KiB/s .., bit/s, kbps .. Pbps, Gb/s: bytes per second */
    LAG_SHARE,     /* %: plain numbers */
    LAG_WORK,      /* FLOP .. EFLOP: floating-point operations */
    LAG_SPEED,     /* FLOP/s .. EFLOP/s, GFLOPS ..: operations per second */
    LAG_N_DIMENSIONS
};

/* A unit, as the base unit x times / per. Both are whole numbers, so that "7 us" is the double
 * nearest to 7e-6, as a literal would be. */
struct lag_unit {
    const char *name;
    enum lag_dimension dimension;
    double times, per;
};

/* What people call a dimension, "a time", and a quantity of it, "3 us"; for messages. */
const char *lag_dimension_name(enum lag_dimension dimension);
const char *lag_dimension_example(enum lag_dimension dimension);

/* Reads "450 GiB/s", "3us": false with LAGGARD_ERROR_INPUT, whose message says what was expected
 * ("has no unit; write for example 3 us"). The result is finite; it may be negative. */
bool lag_quantity_parse(const char *text, enum lag_dimension dimension, double *ret_value,
                        GError **error);

/* Numbers without a unit, in decimal notation: "0.5", "1e-3"; no NaN, no infinity. */
bool lag_number_parse(const char *text, double *ret_value, GError **error);

/* Whole numbers from 0 to 2^64 - 1: digits only. */
bool lag_integer_parse(const char *text, uint64_t *ret_value, GError **error);

/* NULL where `name` is no unit of the dimension. */
const struct lag_unit *lag_unit_find(const char *name, enum lag_dimension dimension);

/* The i-th unit of a dimension, or NULL; the first is the base unit. */
const struct lag_unit *lag_unit_at(enum lag_dimension dimension, uint32_t i);

/* So many of a unit, in the base unit. */
static inline double lag_unit_value(const struct lag_unit *unit, double number)
{
    return number * unit->times / unit->per;
}

#endif
