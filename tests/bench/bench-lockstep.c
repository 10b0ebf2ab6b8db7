/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lockstep on a ring allreduce and on StragglAR, one run or several side by side, bare or with
 * busy times and the critical path. One line of JSON a measurement.
 *
 * With --ranks N it does one, once (or --repeat times): for callgrind, for memory, and, with
 * --engine replay, for a comparison of the engines and with bench-simgrid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/lockstep.h"
#include "tests/helpers.h"

#define RATE    100e9
#define LATENCY 5e-6

/* What to run. In replication i, rank n - 1 - i is `late` behind all others. */
struct task {
    const char *plan;
    uint32_t ranks, width, rounds; /* cut after so many rounds */
    bool bare, replay;
    double late; /* [s] */
};

struct bench {
    struct task task;
    test_bed bed;
    lag_lockstep *lockstep;
    struct lag_run runs[LAG_LOCKSTEP_WIDTH];
    struct lag_outcome outcomes[LAG_LOCKSTEP_WIDTH];
    lag_seconds *arrival[LAG_LOCKSTEP_WIDTH];
};

static void bench_init(struct bench *bench, const struct task *task)
{
    uint32_t n = task->ranks;

    bench->task = *task;
    bed_init(&bench->bed, named_plan(task->plan, LAGGARD_ALLREDUCE, n), GIB, RATE, LATENCY);
    bench->bed.plan->n_rounds = MIN(bench->bed.plan->n_rounds, task->rounds);
    bench->lockstep = lag_lockstep_new();
    for (uint32_t i = 0; i < task->width; i++) {
        bench->arrival[i] = g_new0(lag_seconds, n);
        bench->arrival[i][(2 * n - 1 - i) % n] = task->late;
        lag_outcome_init(&bench->outcomes[i], n);
        bench->runs[i] = (struct lag_run){
            .plan = bench->bed.plan,
            .network = &bench->bed.network,
            .chunks = bench->bed.chunks,
            .arrival = bench->arrival[i],
            .bare = task->bare,
        };
    }
}

static void bench_clear(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->task.width; i++) {
        g_free(bench->arrival[i]);
        lag_outcome_clear(&bench->outcomes[i]);
    }
    lag_lockstep_free(bench->lockstep);
    bed_clear(&bench->bed);
}

static void bench_run(struct bench *bench)
{
    g_autoptr(GError) error = NULL;

    if (!bench->task.replay) {
        lag_lockstep_run(bench->lockstep, bench->runs, bench->task.width, bench->outcomes);
        return;
    }
    for (uint32_t i = 0; i < bench->task.width; i++)
        lag_replay_run(bench->bed.replay, &bench->runs[i], &bench->outcomes[i], &error);
    g_assert_no_error(error);
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Prints a line, which the caller closes. */
static void print(const struct bench *bench, double seconds)
{
    const struct task *task = &bench->task;
    uint64_t messages = task->width * bench->outcomes[0].n_messages;

    printf("{\"benchmark\": \"%s\", \"plan\": \"%s\", \"ranks\": %u, \"width\": %u, \"bare\": %s, "
           "\"messages\": %" G_GUINT64_FORMAT
           ", \"seconds\": %.6f, \"messages_per_s\": %.3g, \"completion_s\": %.17g",
           task->replay ? "replay" : "lockstep", task->plan, task->ranks, task->width,
           task->bare ? "true" : "false", messages, seconds, (double)messages / seconds,
           bench->outcomes[0].completion);
}

/* The best of three, each long enough to be measured. */
static void report(const struct task *task)
{
    struct bench bench = {0};
    double best = INFINITY;
    uint32_t repeat = 1;

    bench_init(&bench, task);
    for (int i = 0; i < 3; i++) {
        double seconds = 0, start = cpu_seconds();
        for (uint32_t k = 0; k < repeat; k++)
            bench_run(&bench);
        seconds = cpu_seconds() - start;
        best = fmin(best, seconds / repeat);
        repeat = (uint32_t)CLAMP(0.2 / best, 1, 1e6);
    }
    print(&bench, best);
    printf("}\n");
    fflush(stdout);
    bench_clear(&bench);
}

/* Ring and StragglAR; the large ring is cut so that busy times are still recorded. */
static void report_all(void)
{
    const struct task tasks[] = {
        {.plan = "ring",      .ranks = 1024,  .rounds = UINT32_MAX},
        {.plan = "ring",      .ranks = 65536, .rounds = 8192      },
        {.plan = "stragglar", .ranks = 1024,  .rounds = UINT32_MAX},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(tasks); i++)
        for (uint32_t width = 1; width <= LAG_LOCKSTEP_WIDTH; width *= LAG_LOCKSTEP_WIDTH)
            for (int bare = 1; bare >= 0; bare--) {
                struct task task = tasks[i];
                task.width = width;
                task.rounds /= width;
                task.bare = bare;
                task.late = 1e-3;
                report(&task);
            }
}

/* Runs it `repeat` times; the line holds the whole process's memory at its peak. */
static void run_once(const struct task *task, gint repeat)
{
    struct bench bench = {0};
    struct rusage usage;

    bench_init(&bench, task);
    double start = cpu_seconds();
    for (gint i = 0; i < repeat; i++)
        bench_run(&bench);
    print(&bench, (cpu_seconds() - start) / repeat);
    getrusage(RUSAGE_SELF, &usage);
    printf(", \"max_rss_mb\": %.1f}\n", 1024e-6 * (double)usage.ru_maxrss);
    bench_clear(&bench);
}

int main(int argc, char **argv)
{
    g_autofree char *plan = g_strdup("ring"), *engine = g_strdup("lockstep");
    gint ranks = 0, width = 1, rounds = G_MAXINT, repeat = 1;
    gboolean bare = FALSE;
    gdouble late = 1e-3;
    const GOptionEntry entries[] = {
        {"ranks",  0, 0, G_OPTION_ARG_INT,    &ranks,  "this size only, once",                 "N"   },
        {"plan",   0, 0, G_OPTION_ARG_STRING, &plan,   "ring or stragglar",                    "NAME"},
        {"engine", 0, 0, G_OPTION_ARG_STRING, &engine, "lockstep or replay",                   "NAME"},
        {"width",  0, 0, G_OPTION_ARG_INT,    &width,  "replications",                         "N"   },
        {"rounds", 0, 0, G_OPTION_ARG_INT,    &rounds, "cut the plan",                         "N"   },
        {"repeat", 0, 0, G_OPTION_ARG_INT,    &repeat, "how often",                            "N"   },
        {"late",   0, 0, G_OPTION_ARG_DOUBLE, &late,   "the last rank's delay",                "S"   },
        {"bare",   0, 0, G_OPTION_ARG_NONE,   &bare,   "without busy times and critical path", NULL  },
        {NULL,     0, 0, G_OPTION_ARG_NONE,   NULL,    NULL,                                   NULL  },
    };
    g_autoptr(GOptionContext) options = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(options, entries, NULL);
    if (!g_option_context_parse(options, &argc, &argv, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return EXIT_FAILURE;
    }
    if (ranks > 0)
        run_once(&(struct task){plan, (uint32_t)ranks,
                                (uint32_t)CLAMP(width, 1, LAG_LOCKSTEP_WIDTH), (uint32_t)rounds,
                                bare, g_str_equal(engine, "replay"), late},
                 MAX(repeat, 1));
    else
        report_all();
    return EXIT_SUCCESS;
}
