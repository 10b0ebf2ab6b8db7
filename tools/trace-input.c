/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/trace-input.h"

#include <string.h>

#include <gsl/gsl_statistics.h>

#include "scenarios/csv.h"
#include "scenarios/file.h"
#include "scenarios/quantity.h"
#include "sim/laggard.h"
#include "tools/trace-columns.h"

#define MOST_BYTES ((size_t)1 << 30)

typedef struct lag_csv csv_auto;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(csv_auto, lag_csv_clear)

void lag_trace_options_clear(struct lag_trace_options *options)
{
    g_free(options->step);
    g_free(options->rank);
    g_free(options->wait);
    g_free(options->arrival);
    g_free(options->unit);
    memset(options, 0, sizeof *options);
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

/* What is being found out. */
struct guess {
    const GPtrArray *header;
    const struct lag_trace_options *options;
    GPtrArray *guessed; /* of static strings */
};

static char *header_text(const GPtrArray *header)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (guint i = 0; i < header->len; i++)
        g_ptr_array_add(names, g_ptr_array_index(header, i));
    g_ptr_array_add(names, NULL);
    return g_strjoinv(", ", (char **)names->pdata);
}

/* A column that must be there. */
static char *find_one(struct guess *guess, const char *given, enum lag_column_role role,
                      const char *option, GError **error)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new();

    if (given != NULL)
        return g_strdup(given);
    if (!lag_columns_guess(guess->header, role, option, found, error))
        return NULL;
    if (found->len == 1) {
        g_ptr_array_add(guess->guessed, (gpointer)(uintptr_t)(option + strlen("--")));
        return g_strdup(g_ptr_array_index(found, 0));
    }
    g_autofree char *names = header_text(guess->header);
    refuse(error, "no column looks like the %s: say %s; the columns are %s", option + 2, option,
           names);
    return NULL;
}

static bool all_have_units(const GPtrArray *columns, const char *unit)
{
    for (guint i = 0; i < columns->len && unit == NULL; i++) {
        const char *suffix = strrchr(g_ptr_array_index(columns, i), '_');
        if (suffix == NULL || lag_unit_find(suffix + 1, LAG_TIME) == NULL)
            return false;
    }
    return true;
}

/* Columns that may be there: an empty list where there are none or, unless they are `needed`,
 * where it isn't clear which are meant, or what their unit is. NULL is an error. */
static GStrv find_some(struct guess *guess, enum lag_column_role role, const char *option,
                       bool needed, GError **error)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    g_autoptr(GPtrArray) copy = g_ptr_array_new_with_free_func(g_free);
    bool clear = lag_columns_guess(guess->header, role, option, found, needed ? error : NULL);

    if (!clear && needed)
        return NULL;
    clear = clear && (needed || all_have_units(found, guess->options->unit));
    for (guint i = 0; clear && i < found->len; i++)
        g_ptr_array_add(copy, g_strdup(g_ptr_array_index(found, i)));
    if (copy->len > 0)
        g_ptr_array_add(guess->guessed, (gpointer)(uintptr_t)(option + strlen("--")));
    g_ptr_array_add(copy, NULL);
    g_ptr_array_set_free_func(copy, NULL);
    return (GStrv)g_ptr_array_free(g_steal_pointer(&copy), FALSE);
}

static bool find_times(struct guess *guess, lag_trace_input *input, GError **error)
{
    const struct lag_trace_options *options = guess->options;
    bool named = options->wait != NULL || options->arrival != NULL;
    g_auto(GStrv) wait = NULL;

    if (options->wait == NULL) {
        wait = find_some(guess, LAG_COLUMN_WAIT, "--wait", !named, error);
        if (wait == NULL)
            return false;
    }
    input->wait = g_strdup(options->wait != NULL ? options->wait : wait[0]);
    input->compute = options->arrival != NULL ? g_strsplit(options->arrival, ",", -1)
                                              : find_some(guess, LAG_COLUMN_ARRIVAL, "--arrival",
                                                          input->wait == NULL, error);
    if (input->compute == NULL)
        return false;
    if (input->wait != NULL || input->compute[0] != NULL)
        return true;
    g_autofree char *names = header_text(guess->header);
    return refuse(error,
                  "no column looks like a wait or an arrival: say --wait or --arrival; the columns "
                  "are %s",
                  names);
}

static bool find_columns(lag_trace_input *input, GBytes *contents,
                         const struct lag_trace_options *options, GError **error)
{
    g_auto(csv_auto) csv;
    g_autoptr(GPtrArray) guessed = g_ptr_array_new();
    struct guess guess = {NULL, options, guessed};

    lag_csv_init(&csv, contents);
    if (!lag_csv_next(&csv))
        return refuse(error, "has no header line");
    guess.header = csv.fields;
    if (csv.fields->len == 1 && strpbrk(g_ptr_array_index(csv.fields, 0), ";\t") != NULL)
        return refuse(error, "has one column, '%s': separate fields with commas",
                      (const char *)g_ptr_array_index(csv.fields, 0));
    input->step = find_one(&guess, options->step, LAG_COLUMN_STEP, "--step", error);
    if (input->step == NULL)
        return false;
    input->rank = find_one(&guess, options->rank, LAG_COLUMN_RANK, "--rank", error);
    if (input->rank == NULL || !find_times(&guess, input, error))
        return false;
    g_ptr_array_add(guessed, NULL);
    if (guessed->len > 1)
        input->guessed = g_strjoinv(", ", (char **)guessed->pdata);
    return true;
}

static bool read_table(lag_trace_input *input, GBytes *contents, const char *name, const char *unit,
                       GError **error)
{
    g_autoptr(GPtrArray) times = g_ptr_array_new();

    if (input->wait != NULL)
        g_ptr_array_add(times, input->wait);
    for (size_t i = 0; input->compute[i] != NULL; i++)
        g_ptr_array_add(times, input->compute[i]);
    g_ptr_array_add(times, NULL);
    const struct lag_trace_columns columns = {
        .step = input->step,
        .rank = input->rank,
        .times = (const char *const *)times->pdata,
        .unit = unit,
    };
    input->table = lag_trace_table_parse(contents, name, &columns, error);
    if (input->table == NULL)
        return false;
    return input->table->n_ranks > 1 ||
           refuse(error, "%s: has one rank only; nobody can be late for nobody", name);
}

/* Arrival = the step's largest wait - the rank's own. */
static void take_waits(lag_trace_input *input)
{
    size_t n_ranks = input->table->n_ranks, n = input->table->n_steps * n_ranks;

    input->by_wait = g_new(lag_seconds, n);
    for (size_t i = 0; i < n; i += n_ranks) {
        lag_seconds longest = gsl_stats_max(input->table->time + i, 1, n_ranks);
        for (size_t rank = 0; rank < n_ranks; rank++)
            input->by_wait[i + rank] = longest - input->table->time[i + rank];
    }
}

static void add_compute(lag_trace_input *input, uint32_t first_column)
{
    size_t n = (size_t)input->table->n_steps * input->table->n_ranks;

    input->by_compute = g_new0(lag_seconds, n);
    for (uint32_t k = first_column; k < input->table->n_times; k++)
        for (size_t i = 0; i < n; i++)
            input->by_compute[i] += input->table->time[k * n + i];
}

/* The first column is the wait, where there is one. */
static void take_arrivals(lag_trace_input *input, bool prefer_wait)
{
    const lag_trace_table *table = input->table;
    struct lag_measured trace = {
        .n_steps = table->n_steps, .n_ranks = table->n_ranks, .step = table->step};

    if (input->wait != NULL) {
        take_waits(input);
        trace.duration = table->time;
        input->waited = trace;
        input->waited.arrival = input->by_wait;
    }
    if (input->compute[0] != NULL) {
        add_compute(input, input->wait != NULL ? 1 : 0);
        input->computed = trace;
        input->computed.arrival = input->by_compute;
    }
    input->trace = input->wait != NULL && prefer_wait ? input->waited : input->computed;
}

static bool check_unit(const char *unit, GError **error)
{
    return lag_unit_find(unit, LAG_TIME) != NULL ||
           refuse(error, "--unit: '%s' is no unit of time; expected s, ms, us or ns", unit);
}

lag_trace_input *lag_trace_input_read(const char *path, const struct lag_trace_options *options,
                                      GError **error)
{
    g_autoptr(lag_trace_input) input = g_new0(lag_trace_input, 1);
    g_autoptr(GBytes) contents = NULL;

    if (options->unit != NULL && !check_unit(options->unit, error))
        return NULL;
    contents = lag_file_read(path, MOST_BYTES, error);
    if (contents == NULL) {
        g_prefix_error(error, "%s: ", path);
        return NULL;
    }
    if (!find_columns(input, contents, options, error)) {
        g_prefix_error(error, "%s: ", path);
        return NULL;
    }
    if (!read_table(input, contents, path, options->unit, error))
        return NULL;
    take_arrivals(input, options->wait != NULL || options->arrival == NULL);
    return g_steal_pointer(&input);
}

void lag_trace_input_free(lag_trace_input *input)
{
    if (input == NULL)
        return;
    g_free(input->step);
    g_free(input->rank);
    g_free(input->wait);
    g_strfreev(input->compute);
    g_free(input->guessed);
    lag_trace_table_free(input->table);
    g_free(input->by_wait);
    g_free(input->by_compute);
    g_free(input);
}
