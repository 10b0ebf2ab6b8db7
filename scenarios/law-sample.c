/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/law-sample.h"

#include <math.h>
#include <string.h>

#include "scenarios/csv.h"
#include "sim/laggard.h"

typedef struct lag_csv table;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(table, lag_csv_clear)

static bool refuse(const char *name, uint32_t line, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
static bool refuse(const char *name, uint32_t line, GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s:%u: %s", name, line, message);
    return false;
}

/* A first line that is no number, not even a wrong one, is a name. */
static bool is_name(const char *text)
{
    char *end;

    g_ascii_strtod(text, &end);
    return end == text && (g_ascii_isalpha(*text) || *text == '_');
}

static const struct lag_unit *suffix_of(const char *header)
{
    const char *underscore = header != NULL ? strrchr(header, '_') : NULL;

    return underscore != NULL ? lag_unit_find(underscore + 1, LAG_TIME) : NULL;
}

/* The unit of times: the end of the name in the first line, or the one that was given. */
static bool find_unit(const char *name, const char *header, const char *given,
                      const struct lag_unit **ret, GError **error)
{
    const struct lag_unit *suffix = suffix_of(header);

    *ret = given != NULL ? lag_unit_find(given, LAG_TIME) : suffix;
    if (*ret == NULL) {
        return refuse(name, 1, error,
                      "its numbers have no unit: write empirical: {file: %s, unit: ms}, or begin "
                      "the file with a line like delay_ms",
                      name);
    }
    if (suffix != NULL && suffix != *ret)
        return refuse(name, 1, error, "'%s' says %s, but `unit:` says %s", header, suffix->name,
                      given);
    return true;
}

static bool read_value(const struct lag_csv *csv, const char *name, const struct lag_unit *unit,
                       GArray *values, GError **error)
{
    const char *text = csv->fields->pdata[0];
    double value;

    if (csv->fields->len != 1)
        return refuse(name, csv->line, error, "has %u fields; expected one number a line",
                      csv->fields->len);
    if (values->len == LAG_MOST_VALUES_OF_SAMPLE)
        return refuse(name, csv->line, error, "more than %u numbers", LAG_MOST_VALUES_OF_SAMPLE);
    if (!lag_number_parse(text, &value, error)) {
        g_prefix_error(error, "%s:%u: ", name, csv->line);
        return false;
    }
    if (value < 0)
        return refuse(name, csv->line, error, "'%s' is negative", text);
    if (unit != NULL)
        value = lag_unit_value(unit, value);
    if (!isfinite(value))
        return refuse(name, csv->line, error, "'%s' is too large", text);
    g_array_append_val(values, value);
    return true;
}

bool lag_sample_parse(GBytes *contents, const char *name, bool is_factor, const char *unit,
                      double **ret_values, uint32_t *ret_n, GError **error)
{
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
    const struct lag_unit *unit_of = NULL;
    g_autofree char *header = NULL;
    g_auto(table) csv;
    bool more;

    lag_csv_init(&csv, contents);
    more = lag_csv_next(&csv);
    if (more && is_name(csv.fields->pdata[0])) {
        header = g_strdup(csv.fields->pdata[0]);
        more = lag_csv_next(&csv);
    }
    if (!is_factor && !find_unit(name, header, unit, &unit_of, error))
        return false;
    if (is_factor && suffix_of(header) != NULL)
        return refuse(name, 1, error, "'%s' are times, which are no factors", header);
    for (; more; more = lag_csv_next(&csv))
        if (!read_value(&csv, name, unit_of, values, error))
            return false;
    if (values->len == 0)
        return refuse(name, csv.line, error, "has no numbers");
    *ret_n = values->len;
    *ret_values = (double *)(void *)g_array_free(g_steal_pointer(&values), FALSE);
    return true;
}
