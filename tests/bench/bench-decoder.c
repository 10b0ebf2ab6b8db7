/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decoder of a code of n x n: made once, a set of late workers that is new, one that is known. One
 * line of JSON a measurement. */
#include <math.h>
#include <stdio.h>

#include <glib.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>

#include "algorithms/codes/codes.h"
#include "sim/coding/decoder.h"

#define N_SETS 200
#define ROUNDS 50

static double seconds_since(gint64 start)
{
    return (double)(g_get_monotonic_time() - start) * 1e-6;
}

static void measure(const char *name, uint32_t n, uint32_t s)
{
    struct lag_code_request request = {
        .n_workers = n, .n_stragglers = s, .late = NAN, .candidates = 1};
    g_autoptr(lag_code) code = lag_code_new(lag_code_kind_find(name), &request, NULL);
    gint64 start = g_get_monotonic_time();
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);
    double made = seconds_since(start), sum = 0;
    g_autofree bool *arrived = g_new(bool, (size_t)N_SETS *n);
    g_autofree size_t *all = g_new(size_t, n), *late = g_new(size_t, n);
    struct lag_stream stream;

    lag_code_stream(&request, 1, &stream);
    for (uint32_t i = 0; i < n; i++)
        all[i] = i;
    for (size_t k = 0; k < N_SETS; k++) {
        for (uint32_t i = 0; i < n; i++)
            arrived[k * n + i] = true;
        gsl_ran_choose(&stream.rng, late, s, all, n, sizeof *all);
        for (uint32_t i = 0; i < s; i++)
            arrived[k * n + late[i]] = false;
    }
    start = g_get_monotonic_time();
    for (size_t k = 0; k < N_SETS; k++)
        sum += lag_decoder_decode(decoder, arrived + k * n).residual;
    double new = seconds_since(start) / N_SETS;
    start = g_get_monotonic_time();
    for (size_t r = 0; r < ROUNDS; r++)
        for (size_t k = 0; k < N_SETS; k++)
            sum += lag_decoder_decode(decoder, arrived + k * n).residual;
    double known = seconds_since(start) / N_SETS / ROUNDS;
    printf("{\"bench\": \"decoder\", \"code\": \"%s\", \"workers\": %u, \"stragglers\": %u, "
           "\"make_s\": %.3g, \"new_set_s\": %.3g, \"known_set_s\": %.3g, \"residuals\": %.3g}\n",
           name, n, s, made, new, known, sum);
}

int main(void)
{
    gsl_set_error_handler_off();
    measure("cyclic", 12, 1);
    measure("cyclic", 156, 12);
    measure("cyclic", 156, 39);
    measure("fractional", 156, 12);
    measure("cyclic", 512, 20);
    return 0;
}
