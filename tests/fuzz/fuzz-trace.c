/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of measured arrivals: complete and finite, or refused; what is complete has statistics and
 * laws. Which columns mean what is guessed, without one being named that isn't there. */
#include <math.h>
#include <stdint.h>

#include <gsl/gsl_errno.h>

#include "results/late-law.h"
#include "scenarios/csv.h"
#include "scenarios/trace.h"
#include "sim/laggard.h"
#include "tools/trace-columns.h"

#define MOST_FITTED 256 /* values; fits of more are right, and slow */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_trace(const struct lag_trace *trace)
{
    size_t n = (size_t)trace->n_steps * trace->n_ranks;

    g_assert_cmpuint(n, >, 0);
    for (size_t i = 0; i < n; i++)
        g_assert_true(trace->arrival[i] >= 0 && isfinite(trace->arrival[i]));
}

static void check_laws(const struct lag_trace *trace)
{
    g_autofree uint64_t *number = g_new(uint64_t, trace->n_steps);
    const struct lag_measured measured = {trace->n_steps, trace->n_ranks, number, trace->arrival,
                                          trace->arrival};
    g_autoptr(GString) text = g_string_new(NULL);
    uint64_t n_last = 0;

    for (uint32_t i = 0; i < trace->n_steps; i++)
        number[i] = i;
    g_assert_cmpuint(lag_trace_warm_up(&measured), <=, trace->n_steps / 4);
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&measured);
    g_autoptr(lag_late_laws) laws = lag_late_laws_new(&measured, stats);
    for (uint32_t rank = 0; rank < trace->n_ranks; rank++)
        n_last += stats->ranks[rank].n_last;
    g_assert_cmpuint(n_last + stats->n_ties, ==, trace->n_steps);
    for (uint32_t i = 0; i < laws->n_entries; i++)
        if (laws->entries[i].law.type != NULL)
            g_assert_null(lag_law_objection(&laws->entries[i].law));
    lag_late_laws_print(laws, text);
    g_assert_true(g_str_has_prefix(text->str, "stragglers:"));
}

static void check_guesses(GBytes *contents)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    struct lag_csv csv;

    lag_csv_init(&csv, contents);
    for (int role = LAG_COLUMN_STEP; lag_csv_next(&csv) && role <= LAG_COLUMN_ARRIVAL; role++) {
        g_autoptr(GError) error = NULL;
        g_ptr_array_set_size(found, 0);
        bool clear =
            lag_columns_guess(csv.fields, (enum lag_column_role)role, "--x", found, &error);
        g_assert_true(clear == (error == NULL));
        for (guint i = 0; i < found->len; i++)
            g_assert_true(g_ptr_array_find(csv.fields, g_ptr_array_index(found, i), NULL));
    }
    lag_csv_clear(&csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const times[] = {"a_ms", "b_ms", NULL};
    g_autoptr(GBytes) contents = g_bytes_new(data, size);

    gsl_set_error_handler_off();
    check_guesses(contents);
    for (int is_wait = 0; is_wait < 2; is_wait++) {
        struct lag_trace_columns columns = {
            .step = "step", .rank = "rank", .times = times + is_wait, .is_wait = is_wait == 1};
        g_autoptr(GError) error = NULL;
        struct lag_trace *trace = lag_trace_parse(contents, "t.csv", &columns, &error);
        if (trace != NULL)
            check_trace(trace);
        if (trace != NULL && trace->n_ranks > 1 &&
            (size_t)trace->n_steps * trace->n_ranks <= MOST_FITTED)
            check_laws(trace);
        if (trace == NULL)
            g_assert_true(g_error_matches(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT));
        lag_trace_free(trace);
    }
    return 0;
}
