/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/parameter.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOST_WHOLE (INT64_C(1) << 53) /* whole numbers that a double holds exactly */

uint32_t lag_parameters_count(const struct laggard_parameter *parameters)
{
    uint32_t n = 0;

    while (parameters != NULL && parameters[n].name != NULL)
        n++;
    return n;
}

int lag_parameters_find(const struct laggard_parameter *parameters, const char *name)
{
    for (int i = 0; parameters != NULL && parameters[i].name != NULL; i++)
        if (strcmp(parameters[i].name, name) == 0)
            return i;
    return -1;
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

static bool parse_choice(const struct laggard_parameter *parameter, const char *text,
                         double *ret_value, GError **error)
{
    g_auto(GStrv) words = g_strsplit(parameter->choices, "|", 0);

    for (uint32_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0) {
            *ret_value = i;
            return true;
        }
    return refuse(error, "\"%s\" is not one of %s", text, parameter->choices);
}

static bool parse_whole(const char *text, double min, double max, double *ret_value, GError **error)
{
    int64_t least = (int64_t)min, most = max < (double)MOST_WHOLE ? (int64_t)max : MOST_WHOLE;
    int64_t value;

    if (isinf(max) && strcmp(text, "inf") == 0) {
        *ret_value = LAGGARD_INFINITE;
        return true;
    }
    if (g_ascii_string_to_signed(text, 10, least, most, &value, NULL)) {
        *ret_value = (double)value;
        return true;
    }
    if (isinf(max))
        return refuse(error,
                      "expected a whole number, at least %" PRId64 ", or the word inf, got \"%s\"",
                      least, text);
    return refuse(error, "expected a whole number from %" PRId64 " to %" PRId64 ", got \"%s\"",
                  least, most, text);
}

static bool parse_count(const struct laggard_parameter *parameter, const char *text,
                        double *ret_value, GError **error)
{
    if (strcmp(text, "auto") == 0) {
        *ret_value = LAGGARD_AUTO;
        return true;
    }
    if (parse_whole(text, parameter->min, parameter->max, ret_value, error))
        return true;
    g_prefix_error(error, "neither auto nor valid: ");
    return false;
}

/* The decimal number at the start of text, and what follows it and blanks; NULL: there is none. */
static const char *leading_number(const char *text, double *ret_number)
{
    char *end;

    if (text[0] == '\0' || strchr("+-.0123456789", text[0]) == NULL || strpbrk(text, "xX") != NULL)
        return NULL;
    *ret_number = g_ascii_strtod(text, &end);
    if (end == text || !isfinite(*ret_number))
        return NULL;
    while (*end == ' ')
        end++;
    return end;
}

/* "90 %" */
static bool parse_share(const char *text, double *ret_value, GError **error)
{
    double number;
    const char *rest = leading_number(text, &number);

    if (rest != NULL && strcmp(rest, "%") == 0 && number >= 0 && number <= 100) {
        *ret_value = number / 100;
        return true;
    }
    return refuse(error, "expected a share from 0 %% to 100 %%, such as 90 %%, got \"%s\"", text);
}

static bool find_unit(const char *name, double *ret_times, double *ret_per)
{
    static const struct {
        const char *name;
        double times, per;
    } units[] = {
#define TIME_UNIT(name, times, per) {name, times, per},
#include "algorithms/time-units.def"
#undef TIME_UNIT
    };

    for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
        if (strcmp(units[i].name, name) == 0) {
            *ret_times = units[i].times;
            *ret_per = units[i].per;
            return true;
        }
    return false;
}

/* "up to 1 s", "or the word inf" */
static char *limit_text(const struct laggard_parameter *parameter, const char *unit)
{
    if (isinf(parameter->max))
        return g_strdup_printf("at least %.15g%s, or the word inf", parameter->min, unit);
    return g_strdup_printf("from %.15g%s to %.15g%s", parameter->min, unit, parameter->max, unit);
}

/* A number, or a time with its unit. */
static bool parse_real(const struct laggard_parameter *parameter, const char *text,
                       double *ret_value, GError **error)
{
    bool is_time = parameter->type == LAGGARD_TIME;
    double number = 0, times = 1, per = 1;
    const char *rest = leading_number(text, &number);

    if (isinf(parameter->max) && strcmp(text, "inf") == 0) {
        *ret_value = LAGGARD_INFINITE;
        return true;
    }
    if (rest != NULL && (is_time ? find_unit(rest, &times, &per) : *rest == '\0')) {
        number = number * times / per;
        if (number >= parameter->min && number <= parameter->max && isfinite(number)) {
            *ret_value = number;
            return true;
        }
    }
    g_autofree char *limits = limit_text(parameter, is_time ? " s" : "");
    if (is_time)
        return refuse(error, "expected a time with its unit, such as 1 ms, %s, got \"%s\"", limits,
                      text);
    return refuse(error, "expected a number, %s, got \"%s\"", limits, text);
}

bool lag_parameter_parse(const struct laggard_parameter *parameter, const char *text,
                         uint32_t n_ranks, double *ret_value, GError **error)
{
    switch (parameter->type) {
    case LAGGARD_INTEGER:
        return parse_whole(text, parameter->min, parameter->max, ret_value, error);
    case LAGGARD_COUNT:
        return parse_count(parameter, text, ret_value, error);
    case LAGGARD_RANK:
        return parse_whole(text, 0, (double)n_ranks - 1, ret_value, error);
    case LAGGARD_CHOICE:
        return parse_choice(parameter, text, ret_value, error);
    case LAGGARD_SHARE:
        return parse_share(text, ret_value, error);
    case LAGGARD_TIME:
    case LAGGARD_NUMBER:
        return parse_real(parameter, text, ret_value, error);
    }
    assert(false && "unknown parameter type");
    return false;
}

/* 0.001 as "1 ms": the largest unit of three figures before the point, or seconds. */
static char *time_text(double value)
{
    static const struct {
        const char *name;
        double per;
    } units[] = {
        {"s",  1  },
        {"ms", 1e3},
        {"us", 1e6},
        {"ns", 1e9},
    };
    size_t unit = 0;

    while (value != 0 && fabs(value) * units[unit].per < 1 && unit + 1 < G_N_ELEMENTS(units))
        unit++;
    return g_strdup_printf("%.10g %s", value * units[unit].per, units[unit].name);
}

char *lag_parameter_text(const struct laggard_parameter *parameter, double value)
{
    if (parameter->type == LAGGARD_COUNT && value == LAGGARD_AUTO)
        return g_strdup("auto");
    if (isinf(value))
        return g_strdup("inf");
    if (parameter->type == LAGGARD_SHARE)
        return g_strdup_printf("%.10g %%", value * 100);
    if (parameter->type == LAGGARD_TIME)
        return time_text(value);
    if (parameter->type == LAGGARD_NUMBER)
        return g_strdup_printf("%.10g", value);
    if (parameter->type != LAGGARD_CHOICE)
        return g_strdup_printf("%.0f", value);
    g_auto(GStrv) words = g_strsplit(parameter->choices, "|", 0);
    return g_strdup(words[(int)value]);
}

void lag_parameters_defaults(const struct laggard_parameter *parameters, double *ret_values)
{
    uint32_t n = lag_parameters_count(parameters);

    for (uint32_t i = 0; i < n; i++) {
        const struct laggard_parameter *parameter = &parameters[i];
        ret_values[i] = LAGGARD_NONE;
        if (parameter->default_text[0] != '\0' &&
            !lag_parameter_parse(parameter, parameter->default_text, LAGGARD_NONE, &ret_values[i],
                                 NULL))
            assert(false && "a parameter's default is not a value of its type");
    }
}
