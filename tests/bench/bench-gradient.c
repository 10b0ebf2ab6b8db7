/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Iterations of coded trees a second, for times only: event by event, with given message times and on
 * a switch. One line of JSON a measurement. */
#include <stdio.h>

#include "tests/gradient-helpers.h"

static void measure(uint32_t degree, uint32_t depth, uint32_t stragglers, bool network)
{
    struct tree_bed bed;

    tree_bed_init(&bed, degree, depth, stragglers, "auto");
    bed.gradient.n_iterations = network ? 500 : 4000;
    bed.gradient.points = 1e5;
    bed.gradient.compute.point = 1e-5;
    bed.gradient.compute.rate = 1e5;
    bed.gradient.message_time = 1e-4;
    if (network)
        tree_bed_network(&bed, true, 8e7, 1e-6);
    gint64 start = g_get_monotonic_time();
    tree_bed_run(&bed);
    double seconds = (double)(g_get_monotonic_time() - start) * 1e-6;
    printf("{\"bench\": \"gradient\", \"degree\": %u, \"depth\": %u, \"stragglers\": %u, "
           "\"workers\": %u, \"network\": %s, \"iterations\": %u, \"iterations_per_s\": %.0f, "
           "\"mean_s\": %.6g}\n",
           degree, depth, stragglers, bed.run.n_workers, network ? "true" : "false",
           bed.gradient.n_iterations, bed.gradient.n_iterations / seconds,
           bed.outcome.time / bed.gradient.n_iterations);
    tree_bed_clear(&bed);
}

int main(void)
{
    gsl_set_error_handler_off();
    measure(10, 3, 1, false);
    measure(12, 2, 1, false);
    measure(156, 1, 12, false);
    measure(10, 3, 1, true);
    measure(12, 2, 1, true);
    return 0;
}
