/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/trace.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "scenarios/csv.h"
#include "scenarios/nearest.h"
#include "scenarios/quantity.h"
#include "sim/laggard.h"

#define MOST_TIMES 16
#define MOST_ROWS  (1u << 23) /* bounds the memory of a table that may be of no use */

typedef struct lag_csv table;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(table, lag_csv_clear)

struct row {
    uint64_t step;
    double time; /* sum of the row's times [s] */
    uint32_t rank;
    uint32_t line; /* where it is written */
};

/* Where the columns are in a line. */
struct layout {
    uint32_t step, rank, n_times;
    uint32_t time[MOST_TIMES];
    const struct lag_unit *unit[MOST_TIMES];
};

static bool refuse(const char *name, uint32_t line, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
static bool refuse(const char *name, uint32_t line, GError **error, const char *format, ...)
{
    g_autofree char *place = line > 0 ? g_strdup_printf("%s:%u", name, line) : g_strdup(name);
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: %s", place, message);
    return false;
}

static bool find_column(const struct lag_csv *csv, const char *name, const char *column,
                        uint32_t *ret, GError **error)
{
    const char *const *fields = (const char *const *)csv->fields->pdata;

    for (uint32_t i = 0; i < csv->fields->len; i++) {
        if (strcmp(fields[i], column) == 0) {
            *ret = i;
            return true;
        }
    }
    g_autofree char *hint = lag_nearest_hint(column, fields, csv->fields->len);
    return refuse(name, csv->line, error, "has no column '%s'%s", column, hint);
}

/* The unit of a column of times: its suffix, or the one that was given, or an error. */
static bool find_unit(const char *column, const char *name, const char *given,
                      const struct lag_unit **ret, GError **error)
{
    const char *underscore = strrchr(column, '_');
    const struct lag_unit *suffix =
        underscore != NULL ? lag_unit_find(underscore + 1, LAG_TIME) : NULL;
    const struct lag_unit *unit = given != NULL ? lag_unit_find(given, LAG_TIME) : NULL;

    if (suffix == NULL && unit == NULL) {
        return refuse(name, 0, error,
                      "the column '%s' has no unit: neither a suffix _s, _ms or _us nor `unit:`",
                      column);
    }
    if (suffix != NULL && unit != NULL && suffix != unit) {
        return refuse(name, 0, error, "the column '%s' says %s, but `unit:` says %s", column,
                      suffix->name, unit->name);
    }
    *ret = suffix != NULL ? suffix : unit;
    return true;
}

static bool find_layout(const struct lag_csv *csv, const char *name,
                        const struct lag_trace_columns *columns, struct layout *ret, GError **error)
{
    if (!find_column(csv, name, columns->step, &ret->step, error) ||
        !find_column(csv, name, columns->rank, &ret->rank, error))
        return false;
    for (uint32_t i = 0; columns->times[i] != NULL; i++) {
        if (i == MOST_TIMES)
            return refuse(name, 0, error, "more than %d columns of times", MOST_TIMES);
        if (!find_column(csv, name, columns->times[i], &ret->time[i], error) ||
            !find_unit(columns->times[i], name, columns->unit, &ret->unit[i], error))
            return false;
        ret->n_times = i + 1;
    }
    return true;
}

static bool read_row(const struct lag_csv *csv, const char *name, const struct layout *layout,
                     guint n_columns, struct row *ret, GError **error)
{
    const char *const *fields = (const char *const *)csv->fields->pdata;
    uint64_t rank;

    if (csv->fields->len != n_columns) {
        return refuse(name, csv->line, error, "has %u fields; the header has %u", csv->fields->len,
                      n_columns);
    }
    *ret = (struct row){.line = csv->line};
    if (!lag_integer_parse(fields[layout->step], &ret->step, error) ||
        !lag_integer_parse(fields[layout->rank], &rank, error)) {
        g_prefix_error(error, "%s:%u: ", name, csv->line);
        return false;
    }
    if (rank >= UINT32_MAX)
        return refuse(name, csv->line, error, "rank %" PRIu64 " is too large", rank);
    ret->rank = (uint32_t)rank;
    for (uint32_t i = 0; i < layout->n_times; i++) {
        const char *text = fields[layout->time[i]];
        double number;
        if (!lag_number_parse(text, &number, error)) {
            g_prefix_error(error, "%s:%u: ", name, csv->line);
            return false;
        }
        if (number < 0)
            return refuse(name, csv->line, error, "the time '%s' is negative", text);
        ret->time += lag_unit_value(layout->unit[i], number);
    }
    if (!isfinite(ret->time))
        return refuse(name, csv->line, error, "the time is too large");
    return true;
}

/* All rows (struct row) in the order of the file. */
static GArray *read_rows(GBytes *contents, const char *name,
                         const struct lag_trace_columns *columns, GError **error)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(struct row));
    g_auto(table) csv;
    struct layout layout = {0};
    guint n_columns;

    lag_csv_init(&csv, contents);
    if (!lag_csv_next(&csv)) {
        refuse(name, 0, error, "has no header line");
        return NULL;
    }
    if (!find_layout(&csv, name, columns, &layout, error))
        return NULL;
    n_columns = csv.fields->len;
    while (lag_csv_next(&csv)) {
        struct row row;
        if (!read_row(&csv, name, &layout, n_columns, &row, error))
            return NULL;
        if (rows->len == MOST_ROWS) {
            refuse(name, csv.line, error, "more than %u rows", MOST_ROWS);
            return NULL;
        }
        g_array_append_val(rows, row);
    }
    if (rows->len == 0) {
        refuse(name, 0, error, "has no rows");
        return NULL;
    }
    return g_steal_pointer(&rows);
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Sorted rows: each step must have each rank once. */
static bool check_rows(const GArray *rows, uint64_t n_ranks, const char *name, GError **error)
{
    const struct row *row = (const struct row *)(const void *)rows->data;
    uint64_t step = row[0].step, expected = 0;

    for (guint i = 0; i < rows->len; i++) {
        if (i > 0 && row[i].step == row[i - 1].step && row[i].rank == row[i - 1].rank) {
            return refuse(name, row[i].line, error,
                          "rank %u of step %" PRIu64 " is given twice, also in line %u",
                          row[i].rank, row[i].step, row[i - 1].line);
        }
        if (expected == n_ranks) {
            expected = 0;
            step = row[i].step;
        }
        if (row[i].step != step || row[i].rank != expected) {
            return refuse(name, 0, error,
                          "step %" PRIu64 " has no row for rank %" PRIu64
                          " (the highest rank is %" PRIu64 ")",
                          step, expected, n_ranks - 1);
        }
        expected++;
    }
    return expected == n_ranks || refuse(name, 0, error,
                                         "step %" PRIu64 " has no row for rank %" PRIu64
                                         " (the highest rank is %" PRIu64 ")",
                                         step, expected, n_ranks - 1);
}

/* Waits become arrivals: who waited longest was there first. */
static void turn_waits(lag_seconds *step, uint32_t n_ranks)
{
    lag_seconds longest = 0;

    for (uint32_t i = 0; i < n_ranks; i++)
        longest = MAX(longest, step[i]);
    for (uint32_t i = 0; i < n_ranks; i++)
        step[i] = longest - step[i];
}

struct lag_trace *lag_trace_parse(GBytes *contents, const char *name,
                                  const struct lag_trace_columns *columns, GError **error)
{
    g_autoptr(GArray) rows = read_rows(contents, name, columns, error);
    struct lag_trace *trace;
    uint64_t n_ranks = 0;

    if (rows == NULL)
        return NULL;
    for (guint i = 0; i < rows->len; i++)
        n_ranks = MAX(n_ranks, (uint64_t)g_array_index(rows, struct row, i).rank + 1);
    g_array_sort(rows, compare_rows);
    if (!check_rows(rows, n_ranks, name, error))
        return NULL;
    trace = g_new0(struct lag_trace, 1);
    trace->n_ranks = (uint32_t)n_ranks; /* at most the number of rows */
    trace->n_steps = rows->len / trace->n_ranks;
    trace->arrival = g_new(lag_seconds, rows->len);
    for (guint i = 0; i < rows->len; i++)
        trace->arrival[i] = g_array_index(rows, struct row, i).time;
    for (uint32_t i = 0; columns->is_wait && i < trace->n_steps; i++)
        turn_waits(trace->arrival + (size_t)i * trace->n_ranks, trace->n_ranks);
    return trace;
}

void lag_trace_free(struct lag_trace *trace)
{
    if (trace != NULL) {
        g_free(trace->arrival);
        g_free(trace);
    }
}
