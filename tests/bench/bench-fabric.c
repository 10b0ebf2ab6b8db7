/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared links: a ring through replay on a 2-level fat-tree of leaves of 8, 4:1 oversubscribed,
 * with seeded random placement, every rank late by another time and every port of another rate; and
 * the fabric alone, k flows on one link or on two each. One line of JSON a measurement.
 *
 * With --ranks N [--messages M] [--repeat R] [--bare] it does the ring alone, for callgrind; with
 * --case it prints the ring's case instead, for bench-simgrid. With --flows K [--sides 2]
 * [--changes C] it does the fabric alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <gsl/gsl_randist.h>

#include "sim/network/compose.h"
#include "sim/network/fabric.h"
#include "sim/network/router.h"
#include "tests/helpers.h"

#define RATE    100e9
#define LATENCY 5e-6
#define CHUNK   ((lag_bytes)16 << 20) /* a message, at any N [B] */

/* All latency is on the ports, so that all ways are equally long. */
static lag_topology *new_tree(uint32_t n, lag_seconds latency, gsl_rng *rng)
{
    static const double per_leaf = 8, oversubscription = 4;
    const struct lag_topology_kind *kind = lag_topology_kind_find("fat-tree");
    struct lag_topology_value values[8] = {{0}};
    g_autofree uint32_t *slot = g_new(uint32_t, n);
    struct lag_topology_fault fault;

    values[lag_topology_kind_parameter(kind, "gpus_per_leaf")] =
        (struct lag_topology_value){1, &per_leaf};
    values[lag_topology_kind_parameter(kind, "oversubscription")] =
        (struct lag_topology_value){1, &oversubscription};
    for (uint32_t i = 0; i < n; i++)
        slot[i] = i;
    gsl_ran_shuffle(rng, slot, n, sizeof *slot);
    lag_topology *topology = lag_topology_compose(
        &(struct lag_topology_request){
            .n_ranks = n,
            .outer = {.kind = kind, .values = values, .rate = RATE, .latency = latency},
            .slot = slot,
            .seed = 1,
    },
        &fault, NULL);
    for (uint32_t i = 0; i < topology->n_links; i++) {
        struct lag_link *link = &topology->links[i];
        bool is_port = link->from < n || link->to < n;
        link->latency = is_port ? latency / 2 : 0;
        if (is_port)
            link->rate *= 0.9 + 0.1 * gsl_rng_uniform(rng);
    }
    return topology;
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The ring to do; cut after about so many messages. */
struct task {
    uint32_t ranks, repeat;
    uint64_t messages;
    lag_seconds latency;
    bool bare;
};

static void ring_init(test_bed *bed, const struct task *task)
{
    g_autoptr(gsl_rng) rng = test_rng(1);
    uint32_t n = task->ranks;

    bed_init(bed, named_plan("ring", LAGGARD_ALLREDUCE, n), n * CHUNK, RATE, LATENCY);
    bed->bare = task->bare;
    bed->plan->n_rounds = (uint32_t)MIN(bed->plan->n_rounds, MAX(1, task->messages / n));
    lag_topology_free(bed->topology);
    bed->topology = new_tree(n, task->latency, rng);
    bed->network.topology = bed->topology;
    bed->network.fluid = true;
    for (uint32_t rank = 0; rank < n; rank++)
        bed->arrival[rank] = ((double)CHUNK / RATE + LATENCY) * gsl_rng_uniform(rng);
}

/* Numbers, for bench-simgrid: ranks, rounds, bytes of a message, links; a line each link: rate and
 * latency; a line each rank: arrival, links of its way to the next, and which. */
static void print_case(const struct task *task)
{
    uint32_t n = task->ranks;
    g_auto(test_bed) bed;
    g_autoptr(lag_router) router = lag_router_new();

    ring_init(&bed, task);
    lag_router_reset(router, bed.topology);
    printf("%u %u %" G_GUINT64_FORMAT " %u\n", n, bed.plan->n_rounds, CHUNK, bed.topology->n_links);
    for (uint32_t i = 0; i < bed.topology->n_links; i++)
        printf("%.17g %.17g\n", bed.topology->links[i].rate, bed.topology->links[i].latency);
    for (uint32_t rank = 0; rank < n; rank++) {
        struct lag_route route = lag_router_find(router, rank, (rank + 1) % n);
        printf("%.17g %u", bed.arrival[rank], route.n_links);
        for (uint32_t i = 0; i < route.n_links; i++)
            printf(" %u", route.links[i]);
        printf("\n");
    }
}

static void ring(const struct task *task)
{
    g_auto(test_bed) bed;
    struct rusage usage;
    uint32_t n = task->ranks, repeat = task->repeat;
    bool bare = task->bare;

    ring_init(&bed, task);
    double start = cpu_seconds();
    for (uint32_t i = 0; i < repeat; i++)
        bed_run(&bed);
    double seconds = (cpu_seconds() - start) / repeat;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"benchmark\": \"fabric\", \"plan\": \"ring\", \"topology\": \"fat-tree 4:1\", "
           "\"ranks\": %u, \"bare\": %s, \"messages\": %" G_GUINT64_FORMAT
           ", \"seconds\": %.6f, \"messages_per_s\": %.3g, \"completion_s\": %.17g, "
           "\"max_rss_mb\": %.1f}\n",
           n, bare ? "true" : "false", bed.outcome.n_messages, seconds,
           (double)bed.outcome.n_messages / seconds, bed.outcome.completion,
           1024e-6 * (double)usage.ru_maxrss);
    fflush(stdout);
}

/* K flows: all into one port, each from a port of its own (sides 1); or between sqrt(K) ports and
 * as many others, drawn anew for each flow (sides 2). Ports have different rates. Each flow that
 * ends is followed by a new one, in a settling of its own: two changes. */
struct crowd {
    gsl_rng *rng;
    lag_topology *topology;
    lag_fabric *fabric;
    uint32_t n, sides;
    uint32_t (*links)[2]; /* [flow] */
};

static void start_flow(struct crowd *crowd, uint32_t i)
{
    uint32_t src = crowd->sides == 1 ? i : below(crowd->rng, crowd->n);
    uint32_t dst = crowd->sides == 1 ? crowd->n : below(crowd->rng, crowd->n);

    crowd->links[i][0] = lag_topology_egress(crowd->topology, src);
    crowd->links[i][1] = lag_topology_ingress(crowd->topology, dst);
    lag_fabric_start(crowd->fabric, (struct lag_route){2, crowd->links[i]},
                     1e9 * gsl_rng_uniform_pos(crowd->rng), i);
}

static void pass_changes(struct crowd *crowd, uint64_t changes)
{
    lag_seconds now = lag_fabric_settle(crowd->fabric, 0), next;
    uint32_t flow;

    for (uint64_t i = 0; i < changes; i += 2) {
        lag_fabric_take(crowd->fabric, now, &flow);
        lag_fabric_settle(crowd->fabric, now);
        start_flow(crowd, flow);
        next = lag_fabric_settle(crowd->fabric, now);
        now = fmax(now, next);
    }
}

static void flows(uint32_t k, uint32_t sides, uint64_t changes)
{
    g_autoptr(gsl_rng) rng = test_rng(1);
    uint32_t n = sides == 1 ? k : (uint32_t)lround(sqrt(k));
    g_autoptr(lag_topology) topology = lag_topology_new_switch(n + 1, RATE, 0);
    struct crowd crowd = {rng, topology, lag_fabric_new(), n, sides, NULL};

    crowd.links = g_malloc_n(k, sizeof *crowd.links);
    for (uint32_t i = 0; i < topology->n_links; i++)
        topology->links[i].rate *= 0.5 + 0.5 * gsl_rng_uniform(rng);
    lag_fabric_reset(crowd.fabric, topology);
    for (uint32_t i = 0; i < k; i++)
        start_flow(&crowd, i);
    double start = cpu_seconds();
    pass_changes(&crowd, changes);
    printf("{\"benchmark\": \"fabric\", \"flows\": %u, \"sides\": %u, \"changes\": "
           "%" G_GUINT64_FORMAT ", \"ns_per_change\": %.0f}\n",
           k, sides, changes, 1e9 * (cpu_seconds() - start) / (double)changes);
    fflush(stdout);
    lag_fabric_free(crowd.fabric);
    g_free(crowd.links);
}

static void everything(void)
{
    for (uint32_t n = 64; n <= 1024; n *= 4)
        ring(&(struct task){n, 1 + 128 / n, G_MAXUINT64, LATENCY, false});
    for (uint32_t k = 10; k <= 100000; k *= 10)
        flows(k, 1, MAX(200000, 4 * k));
    for (uint32_t k = 10; k <= 10000; k *= 10)
        flows(k, 2, 4000000 / k);
}

int main(int argc, char **argv)
{
    gint ranks = 0, repeat = 1, n_flows = 0, sides = 1;
    gint64 messages = G_MAXINT64, changes = 100000;
    gboolean bare = FALSE, is_case = FALSE, no_latency = FALSE;
    const GOptionEntry entries[] = {
        {"ranks",      0, 0, G_OPTION_ARG_INT,   &ranks,      "the ring of this size only",           "N" },
        {"messages",   0, 0, G_OPTION_ARG_INT64, &messages,   "about so many",                        "M" },
        {"repeat",     0, 0, G_OPTION_ARG_INT,   &repeat,     "times",                                "R" },
        {"bare",       0, 0, G_OPTION_ARG_NONE,  &bare,       "without busy times and critical path", NULL},
        {"no-latency", 0, 0, G_OPTION_ARG_NONE,  &no_latency, "on the tree",                          NULL},
        {"case",       0, 0, G_OPTION_ARG_NONE,  &is_case,    "print the ring's case",                NULL},
        {"flows",      0, 0, G_OPTION_ARG_INT,   &n_flows,    "the fabric alone, so many flows",      "K" },
        {"sides",      0, 0, G_OPTION_ARG_INT,   &sides,      "links that each flow shares, 1 or 2",  "1" },
        {"changes",    0, 0, G_OPTION_ARG_INT64, &changes,    "ends and starts",                      "C" },
        {NULL,         0, 0, G_OPTION_ARG_NONE,  NULL,        NULL,                                   NULL},
    };
    g_autoptr(GOptionContext) options = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(options, entries, NULL);
    if (!g_option_context_parse(options, &argc, &argv, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return EXIT_FAILURE;
    }
    const struct task task = {(uint32_t)ranks, (uint32_t)repeat, (uint64_t)messages,
                              no_latency ? 0 : LATENCY, bare};
    if (is_case)
        print_case(&task);
    else if (ranks > 0)
        ring(&task);
    else if (n_flows > 0)
        flows((uint32_t)n_flows, (uint32_t)sides, (uint64_t)changes);
    else
        everything();
    return EXIT_SUCCESS;
}
