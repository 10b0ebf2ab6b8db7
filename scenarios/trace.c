/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/trace.h"

#include <inttypes.h>
#include <string.h>

#include "scenarios/csv.h"
#include "scenarios/nearest.h"
#include "scenarios/quantity.h"
#include "sim/laggard.h"

#define MOST_TIMES 16
#define MOST_ROWS  (1u << 23) /* bounds the memory of a table that may be of no use */
#define MOST_TIME  1e15       /* [s] sums and squares of such are finite and exact enough */

typedef struct lag_csv csv_auto;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(csv_auto, lag_csv_clear)

struct row {
    uint64_t step;
    uint32_t rank;
    uint32_t line;  /* where it is written */
    uint32_t place; /* in the order of the file */
};

/* All rows in the order of the file. */
struct rows {
    GArray *row;  /* of struct row */
    GArray *time; /* of double, those of a row side by side [s] */
};

static void rows_clear(struct rows *rows)
{
    g_clear_pointer(&rows->row, g_array_unref);
    g_clear_pointer(&rows->time, g_array_unref);
}
typedef struct rows rows_auto;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(rows_auto, rows_clear)

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

/* What to say of a line that has too few fields. */
static const char *separator_hint(const struct lag_csv *csv)
{
    for (guint i = 0; i < csv->fields->len; i++)
        if (strpbrk(g_ptr_array_index(csv->fields, i), ";\t") != NULL)
            return "; separate fields with commas";
    return "";
}

static bool find_column(const struct lag_csv *csv, const char *name, const char *column,
                        uint32_t *ret, GError **error)
{
    const char *const *fields = (const char *const *)csv->fields->pdata;
    uint32_t n_found = 0;

    for (uint32_t i = 0; i < csv->fields->len; i++) {
        if (strcmp(fields[i], column) == 0) {
            *ret = i;
            n_found++;
        }
    }
    if (n_found == 1)
        return true;
    if (n_found > 1)
        return refuse(name, csv->line, error, "has %u columns '%s'", n_found, column);
    g_autofree char *hint = lag_nearest_hint(column, fields, csv->fields->len);
    return refuse(name, csv->line, error, "has no column '%s'%s%s", column, hint,
                  separator_hint(csv));
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

/* Plain decimals, which is what logs hold, without a detour: both numbers of the quotient are exact,
 * so that it is the double nearest to the text. */
static bool plain_number(const char *text, double *ret)
{
    static const double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t digits = 0;
    uint32_t n_digits = 0, n_decimals = 0;
    bool point = false;

    for (; g_ascii_isdigit(*text) || (*text == '.' && !point); text++) {
        point = point || *text == '.';
        if (*text == '.')
            continue;
        digits = digits * 10 + (uint64_t)(*text - '0');
        n_decimals += point;
        if (++n_digits == G_N_ELEMENTS(power))
            return false;
    }
    if (*text != '\0' || n_digits == 0)
        return false;
    *ret = (double)digits / power[n_decimals];
    return true;
}

static bool read_integer(const char *text, uint64_t *ret, GError **error)
{
    double number;

    if (strchr(text, '.') != NULL || !plain_number(text, &number))
        return lag_integer_parse(text, ret, error);
    *ret = (uint64_t)number;
    return true;
}

static bool read_time(const struct lag_csv *csv, const char *name, const char *text,
                      const struct lag_unit *unit, double *ret, GError **error)
{
    double number;

    if (!plain_number(text, &number) && !lag_number_parse(text, &number, error)) {
        g_prefix_error(error, "%s:%u: ", name, csv->line);
        return false;
    }
    if (number < 0)
        return refuse(name, csv->line, error, "the time '%s' is negative", text);
    *ret = lag_unit_value(unit, number);
    return true;
}

static bool read_times(const struct lag_csv *csv, const char *name, const struct layout *layout,
                       GArray *times, GError **error)
{
    double time[MOST_TIMES], sum = 0;

    for (uint32_t i = 0; i < layout->n_times; i++) {
        const char *text = g_ptr_array_index(csv->fields, layout->time[i]);
        if (!read_time(csv, name, text, layout->unit[i], &time[i], error))
            return false;
        sum += time[i];
    }
    if (!(sum <= MOST_TIME))
        return refuse(name, csv->line, error, "the time is too large");
    g_array_append_vals(times, time, layout->n_times);
    return true;
}

static bool read_row(const struct lag_csv *csv, const char *name, const struct layout *layout,
                     guint n_columns, struct row *ret, GError **error)
{
    const char *const *fields = (const char *const *)csv->fields->pdata;
    uint64_t rank;

    if (csv->fields->len != n_columns) {
        return refuse(name, csv->line, error, "has %u fields; the header has %u%s",
                      csv->fields->len, n_columns, separator_hint(csv));
    }
    *ret = (struct row){.line = csv->line};
    if (!read_integer(fields[layout->step], &ret->step, error) ||
        !read_integer(fields[layout->rank], &rank, error)) {
        g_prefix_error(error, "%s:%u: ", name, csv->line);
        return false;
    }
    if (rank >= UINT32_MAX)
        return refuse(name, csv->line, error, "rank %" PRIu64 " is too large", rank);
    ret->rank = (uint32_t)rank;
    return true;
}

static bool read_rows(struct rows *rows, GBytes *contents, const char *name,
                      const struct lag_trace_columns *columns, GError **error)
{
    g_auto(csv_auto) csv;
    struct layout layout = {0};
    guint n_columns;

    lag_csv_init(&csv, contents);
    if (!lag_csv_next(&csv))
        return refuse(name, 0, error, "has no header line");
    if (!find_layout(&csv, name, columns, &layout, error))
        return false;
    n_columns = csv.fields->len;
    while (lag_csv_next(&csv)) {
        struct row row;
        if (!read_row(&csv, name, &layout, n_columns, &row, error) ||
            !read_times(&csv, name, &layout, rows->time, error))
            return false;
        if (rows->row->len == MOST_ROWS)
            return refuse(name, csv.line, error, "more than %u rows", MOST_ROWS);
        row.place = rows->row->len;
        g_array_append_val(rows->row, row);
    }
    return rows->row->len > 0 || refuse(name, 0, error, "has no rows");
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

static void sort_rows(GArray *rows)
{
    for (guint i = 1; i < rows->len; i++) {
        if (compare_rows(&g_array_index(rows, struct row, i - 1),
                         &g_array_index(rows, struct row, i)) > 0) {
            g_array_sort(rows, compare_rows);
            return;
        }
    }
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

/* From sorted rows. */
static lag_trace_table *make_table(const struct rows *rows, uint32_t n_ranks)
{
    const struct row *row = (const struct row *)(const void *)rows->row->data;
    lag_trace_table *made = g_new0(lag_trace_table, 1);
    size_t n = rows->row->len;

    made->n_ranks = n_ranks;
    made->n_steps = rows->row->len / n_ranks;
    made->n_times = rows->time->len / rows->row->len;
    made->step = g_new(uint64_t, made->n_steps);
    made->time = g_new(lag_seconds, n * made->n_times);
    for (uint32_t i = 0; i < made->n_steps; i++)
        made->step[i] = row[(size_t)i * n_ranks].step;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < made->n_times; k++)
            made->time[k * n + i] =
                g_array_index(rows->time, double, row[i].place * made->n_times + k);
    return made;
}

lag_trace_table *lag_trace_table_parse(GBytes *contents, const char *name,
                                       const struct lag_trace_columns *columns, GError **error)
{
    g_auto(rows_auto) rows = {g_array_new(FALSE, FALSE, sizeof(struct row)),
                              g_array_new(FALSE, FALSE, sizeof(double))};
    uint64_t n_ranks = 0;

    if (!read_rows(&rows, contents, name, columns, error))
        return NULL;
    for (guint i = 0; i < rows.row->len; i++)
        n_ranks = MAX(n_ranks, (uint64_t)g_array_index(rows.row, struct row, i).rank + 1);
    sort_rows(rows.row);
    if (!check_rows(rows.row, n_ranks, name, error))
        return NULL;
    return make_table(&rows, (uint32_t)n_ranks); /* at most the number of rows */
}

void lag_trace_table_free(lag_trace_table *table)
{
    if (table != NULL) {
        g_free(table->step);
        g_free(table->time);
        g_free(table);
    }
}

struct lag_trace *lag_trace_parse(GBytes *contents, const char *name,
                                  const struct lag_trace_columns *columns, GError **error)
{
    g_autoptr(lag_trace_table) read = lag_trace_table_parse(contents, name, columns, error);
    struct lag_trace *trace;

    if (read == NULL)
        return NULL;
    size_t n = (size_t)read->n_steps * read->n_ranks;
    trace = g_new0(struct lag_trace, 1);
    trace->n_ranks = read->n_ranks;
    trace->n_steps = read->n_steps;
    trace->arrival = g_new0(lag_seconds, n);
    for (uint32_t k = 0; k < read->n_times; k++)
        for (size_t i = 0; i < n; i++)
            trace->arrival[i] += read->time[k * n + i];
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
