/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/quantity.h"

#include <math.h>
#include <string.h>

#include "scenarios/nearest.h"
#include "sim/laggard.h"

#define KI 1024.0
#define MI (KI * KI)
#define GI (KI * MI)
#define TI (KI * GI)

/* clang-format off */
static const struct lag_unit units[] = {
#define TIME_UNIT(name, times, per) {name, LAG_TIME, times, per},
#include "algorithms/time-units.def"
#undef TIME_UNIT
    {"B", LAG_SIZE, 1, 1},
    {"kB", LAG_SIZE, 1e3, 1},
    {"MB", LAG_SIZE, 1e6, 1},
    {"GB", LAG_SIZE, 1e9, 1},
    {"TB", LAG_SIZE, 1e12, 1},
    {"KiB", LAG_SIZE, KI, 1},
    {"MiB", LAG_SIZE, MI, 1},
    {"GiB", LAG_SIZE, GI, 1},
    {"TiB", LAG_SIZE, TI, 1},
    {"B/s", LAG_BANDWIDTH, 1, 1},
    {"kB/s", LAG_BANDWIDTH, 1e3, 1},
    {"MB/s", LAG_BANDWIDTH, 1e6, 1},
    {"GB/s", LAG_BANDWIDTH, 1e9, 1},
    {"TB/s", LAG_BANDWIDTH, 1e12, 1},
    {"KiB/s", LAG_BANDWIDTH, KI, 1},
    {"MiB/s", LAG_BANDWIDTH, MI, 1},
    {"GiB/s", LAG_BANDWIDTH, GI, 1},
    {"TiB/s", LAG_BANDWIDTH, TI, 1},
    {"bit/s", LAG_BANDWIDTH, 1, 8},
    {"kbit/s", LAG_BANDWIDTH, 1e3, 8},
    {"Mbit/s", LAG_BANDWIDTH, 1e6, 8},
    {"Gbit/s", LAG_BANDWIDTH, 1e9, 8},
    {"Tbit/s", LAG_BANDWIDTH, 1e12, 8},
    {"Pbit/s", LAG_BANDWIDTH, 1e15, 8},
    {"bps", LAG_BANDWIDTH, 1, 8},
    {"kbps", LAG_BANDWIDTH, 1e3, 8},
    {"Mbps", LAG_BANDWIDTH, 1e6, 8},
    {"Gbps", LAG_BANDWIDTH, 1e9, 8},
    {"Tbps", LAG_BANDWIDTH, 1e12, 8},
    {"Pbps", LAG_BANDWIDTH, 1e15, 8},
    {"b/s", LAG_BANDWIDTH, 1, 8},
    {"kb/s", LAG_BANDWIDTH, 1e3, 8},
    {"Mb/s", LAG_BANDWIDTH, 1e6, 8},
    {"Gb/s", LAG_BANDWIDTH, 1e9, 8},
    {"Tb/s", LAG_BANDWIDTH, 1e12, 8},
    {"Pb/s", LAG_BANDWIDTH, 1e15, 8},
    {"%", LAG_SHARE, 1, 100},
    {"FLOP", LAG_WORK, 1, 1},
    {"kFLOP", LAG_WORK, 1e3, 1},
    {"MFLOP", LAG_WORK, 1e6, 1},
    {"GFLOP", LAG_WORK, 1e9, 1},
    {"TFLOP", LAG_WORK, 1e12, 1},
    {"PFLOP", LAG_WORK, 1e15, 1},
    {"EFLOP", LAG_WORK, 1e18, 1},
    {"FLOP/s", LAG_SPEED, 1, 1},
    {"GFLOP/s", LAG_SPEED, 1e9, 1},
    {"TFLOP/s", LAG_SPEED, 1e12, 1},
    {"PFLOP/s", LAG_SPEED, 1e15, 1},
    {"EFLOP/s", LAG_SPEED, 1e18, 1},
    {"GFLOPS", LAG_SPEED, 1e9, 1},
    {"TFLOPS", LAG_SPEED, 1e12, 1},
    {"PFLOPS", LAG_SPEED, 1e15, 1},
    {"EFLOPS", LAG_SPEED, 1e18, 1},
};
/* clang-format on */

static const struct {
    const char *name, *example;
} dimensions[LAG_N_DIMENSIONS] = {
    [LAG_TIME] = {"a time",                 "3 us"       },
    [LAG_SIZE] = {"a size",                 "1 GiB"      },
    [LAG_BANDWIDTH] = {"a bandwidth",            "450 GB/s"   },
    [LAG_SHARE] = {"a share",                "1 %"        },
    [LAG_WORK] = {"a number of operations", "1.5 TFLOP"  },
    [LAG_SPEED] = {"a speed of computing",   "312 TFLOP/s"},
};

/* Prefixes that people write alone, and what they may mean: {10^k, 2^k}. */
static const struct {
    const char *written, *decimal, *binary;
} ambiguous[] = {
    {"k", "kB", "KiB"},
    {"K", "kB", "KiB"},
    {"M", "MB", "MiB"},
    {"G", "GB", "GiB"},
    {"T", "TB", "TiB"},
};

const char *lag_dimension_name(enum lag_dimension dimension)
{
    return dimensions[dimension].name;
}

const char *lag_dimension_example(enum lag_dimension dimension)
{
    return dimensions[dimension].example;
}

static bool refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool refuse(GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, message);
    return false;
}

static const char *skip_digits(const char *text)
{
    while (g_ascii_isdigit(*text))
        text++;
    return text;
}

/* The end of a decimal number at the start of text, or text where there is none. An exponent
 * needs its digits: "3e" is 3 with the rest "e". */
static const char *number_end(const char *text)
{
    const char *start = text + (*text == '-' || *text == '+');
    const char *end = skip_digits(start);
    const char *exponent;
    size_t n_digits = (size_t)(end - start);

    if (*end == '.') {
        const char *fraction = end + 1;
        end = skip_digits(fraction);
        n_digits += (size_t)(end - fraction);
    }
    if (n_digits == 0)
        return text;
    if (*end != 'e' && *end != 'E')
        return end;
    exponent = end + 1 + (end[1] == '-' || end[1] == '+');
    return g_ascii_isdigit(*exponent) ? skip_digits(exponent) : end;
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* The number at the start of text; *ret_rest is what follows it. */
static bool leading_number(const char *text, double *ret_number, const char **ret_rest,
                           GError **error)
{
    const char *end = number_end(text);
    double number;

    if (end == text)
        return refuse(error, "'%s' is not a number", text);
    number = g_ascii_strtod(text, NULL);
    if (!isfinite(number))
        return refuse(error, "'%s' is too large", text);
    *ret_number = number;
    *ret_rest = end;
    return true;
}

static const struct lag_unit *find_unit(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

/* `name` is the unit, and `digits` the length of the number in front of it. */
static bool refuse_unit(const char *text, int digits, const char *name,
                        enum lag_dimension dimension, GError **error)
{
    const char *names[G_N_ELEMENTS(units)];
    const char *per = dimension == LAG_BANDWIDTH ? "/s" : "";
    bool is_bytes = dimension == LAG_BANDWIDTH || dimension == LAG_SIZE;
    uint32_t n_names = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(ambiguous) && is_bytes; i++) {
        if (strcmp(name, ambiguous[i].written) == 0) {
            return refuse(error,
                          "'%s' is ambiguous; write %.*s %s%s (powers of 1000) or %.*s %s%s "
                          "(powers of 1024)",
                          text, digits, text, ambiguous[i].decimal, per, digits, text,
                          ambiguous[i].binary, per);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
        if (units[i].dimension == dimension)
            names[n_names++] = units[i].name;
    g_autofree char *hint = lag_nearest_hint(name, names, n_names);
    return refuse(error, "'%s' has the unknown unit '%s'%s", text, name, hint);
}

bool lag_quantity_parse(const char *text, enum lag_dimension dimension, double *ret_value,
                        GError **error)
{
    const char *rest = text;
    double number = 0, value = 0;
    const struct lag_unit *unit;

    if (number_end(text) == text) {
        return refuse(error, "'%s' is not %s; write for example %s", text,
                      dimensions[dimension].name, dimensions[dimension].example);
    }
    if (!leading_number(text, &number, &rest, error))
        return false;
    g_autofree char *name = g_strchomp(g_strdup(skip_blanks(rest)));
    if (*name == '\0') {
        return refuse(error, "'%s' has no unit; write for example %s", text,
                      dimensions[dimension].example);
    }
    unit = find_unit(name);
    if (unit == NULL)
        return refuse_unit(text, (int)(rest - text), name, dimension, error);
    if (unit->dimension != dimension) {
        return refuse(error, "'%s' is %s, not %s; write for example %s", text,
                      dimensions[unit->dimension].name, dimensions[dimension].name,
                      dimensions[dimension].example);
    }
    value = lag_unit_value(unit, number);
    if (!isfinite(value))
        return refuse(error, "'%s' is too large", text);
    *ret_value = value;
    return true;
}

bool lag_number_parse(const char *text, double *ret_value, GError **error)
{
    const char *rest = text;
    double value = 0;

    if (!leading_number(text, &value, &rest, error))
        return false;
    if (*rest != '\0')
        return refuse(error, "'%s' is not a number: '%s' is too much", text, rest);
    *ret_value = value;
    return true;
}

bool lag_integer_parse(const char *text, uint64_t *ret_value, GError **error)
{
    uint64_t value = 0;

    if (*text == '-' && *skip_digits(text + 1) == '\0' && text[1] != '\0')
        return refuse(error, "'%s' is negative", text);
    if (*text == '\0' || *skip_digits(text) != '\0')
        return refuse(error, "'%s' is not a whole number", text);
    if (!g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &value, NULL))
        return refuse(error, "'%s' is too large", text);
    *ret_value = value;
    return true;
}

const struct lag_unit *lag_unit_find(const char *name, enum lag_dimension dimension)
{
    const struct lag_unit *unit = find_unit(name);

    return unit != NULL && unit->dimension == dimension ? unit : NULL;
}

const struct lag_unit *lag_unit_at(enum lag_dimension dimension, uint32_t i)
{
    for (size_t j = 0; j < G_N_ELEMENTS(units); j++)
        if (units[j].dimension == dimension && i-- == 0)
            return &units[j];
    return NULL;
}
