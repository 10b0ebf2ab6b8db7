/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of measured arrivals: complete and finite, or refused. */
#include <math.h>
#include <stdint.h>

#include "scenarios/trace.h"
#include "sim/laggard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_trace(const struct lag_trace *trace)
{
    size_t n = (size_t)trace->n_steps * trace->n_ranks;

    g_assert_cmpuint(n, >, 0);
    for (size_t i = 0; i < n; i++)
        g_assert_true(trace->arrival[i] >= 0 && isfinite(trace->arrival[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const times[] = {"a_ms", "b_ms", NULL};
    g_autoptr(GBytes) contents = g_bytes_new(data, size);

    for (int is_wait = 0; is_wait < 2; is_wait++) {
        struct lag_trace_columns columns = {
            .step = "step", .rank = "rank", .times = times + is_wait, .is_wait = is_wait == 1};
        g_autoptr(GError) error = NULL;
        struct lag_trace *trace = lag_trace_parse(contents, "t.csv", &columns, &error);
        if (trace != NULL)
            check_trace(trace);
        else
            g_assert_true(g_error_matches(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT));
        lag_trace_free(trace);
    }
    return 0;
}
