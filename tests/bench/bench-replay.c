/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event-driven replay of a ring allreduce where every rank arrives at another time and every link
 * has another bandwidth, so that no two events coincide. One line of JSON a measurement.
 *
 * With --ranks N [--messages M] [--bare] it does that one, once, cut after about M messages: for
 * callgrind. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/helpers.h"

#define RATE    100e9
#define LATENCY 5e-6

/* Arrivals within half of a round of each other, rates within 10 % and latencies within 20 %. */
static void jitter(test_bed *bed)
{
    g_autoptr(gsl_rng) rng = test_rng(1);
    uint32_t n = bed->plan->n_ranks;
    double round = LATENCY + (double)GIB / n / RATE;

    for (uint32_t rank = 0; rank < n; rank++)
        bed->arrival[rank] = 0.5 * round * gsl_rng_uniform(rng);
    for (uint32_t i = 0; i < bed->topology->n_links; i++) {
        bed->topology->links[i].rate *= 0.9 + 0.1 * gsl_rng_uniform(rng);
        bed->topology->links[i].latency *= 0.8 + 0.4 * gsl_rng_uniform(rng);
    }
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void ring_init(test_bed *bed, uint32_t n)
{
    bed_init(bed, named_plan("ring", LAGGARD_ALLREDUCE, n), GIB, RATE, LATENCY);
    jitter(bed);
}

static void report(uint32_t n, bool bare)
{
    g_auto(test_bed) bed;
    double best = INFINITY;
    uint64_t repeat = 1 + 1000000 / (2 * (uint64_t)n * n);

    ring_init(&bed, n);
    bed.bare = bare;
    for (int i = 0; i < 5; i++) {
        double start = cpu_seconds();
        for (uint64_t k = 0; k < repeat; k++)
            bed_run(&bed);
        best = fmin(best, (cpu_seconds() - start) / (double)repeat);
    }
    printf("{\"benchmark\": \"replay\", \"plan\": \"ring\", \"ranks\": %u, \"bare\": %s, "
           "\"messages\": %" G_GUINT64_FORMAT
           ", \"seconds\": %.6f, \"messages_per_s\": %.3g, \"completion_s\": %.17g}\n",
           n, bare ? "true" : "false", bed.outcome.n_messages, best,
           (double)bed.outcome.n_messages / best, bed.outcome.completion);
    fflush(stdout);
}

static void run_once(uint32_t n, uint64_t messages, bool bare)
{
    g_auto(test_bed) bed;

    ring_init(&bed, n);
    bed.bare = bare;
    bed.plan->n_rounds = (uint32_t)MIN(bed.plan->n_rounds, MAX(1, messages / n));
    bed_run(&bed);
    printf("{\"benchmark\": \"replay\", \"plan\": \"ring\", \"ranks\": %u, \"bare\": %s, "
           "\"messages\": %" G_GUINT64_FORMAT "}\n",
           n, bare ? "true" : "false", bed.outcome.n_messages);
}

int main(int argc, char **argv)
{
    gint ranks = 0;
    gint64 messages = G_MAXINT64;
    gboolean bare = FALSE;
    const GOptionEntry entries[] = {
        {"ranks",    0, 0, G_OPTION_ARG_INT,   &ranks,    "this size only, once",                 "N" },
        {"messages", 0, 0, G_OPTION_ARG_INT64, &messages, "about so many",                        "N" },
        {"bare",     0, 0, G_OPTION_ARG_NONE,  &bare,     "without busy times and critical path", NULL},
        {NULL,       0, 0, G_OPTION_ARG_NONE,  NULL,      NULL,                                   NULL},
    };
    g_autoptr(GOptionContext) options = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(options, entries, NULL);
    if (!g_option_context_parse(options, &argc, &argv, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return EXIT_FAILURE;
    }
    if (ranks > 0) {
        run_once((uint32_t)ranks, (uint64_t)messages, bare);
        return EXIT_SUCCESS;
    }
    for (uint32_t n = 64; n <= 1024; n *= 4) {
        report(n, false);
        report(n, true);
    }
    return EXIT_SUCCESS;
}
