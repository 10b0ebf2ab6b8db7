/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared links: the ring of fat-tree.h through replay, and the fabric alone with k flows on one
 * link or on two each. One line of JSON a measurement.
 *
 * With --ranks N [--messages M] [--repeat R] [--bare] it does the ring alone, for callgrind and for
 * a comparison with bench-simgrid; with --flows K [--sides 2] [--changes C] the fabric alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/network/fabric.h"
#include "tests/bench/fat-tree.h"
#include "tests/helpers.h"

struct tree {
    uint32_t *leaf; /* [rank] */
    uint32_t n_leaves;
};

static void tree_free(void *shape)
{
    struct tree *tree = shape;

    g_free(tree->leaf);
    g_free(tree);
}

/* Links: ports out, ports in, cables up by leaf and spine, cables down. */
static void tree_route(const lag_topology *topology, uint32_t src, uint32_t dst, GArray *links)
{
    const struct tree *tree = topology->shape;
    uint32_t n = topology->n_ranks, up = 2 * n, down = 2 * n + tree->n_leaves * TREE_SPINES;
    uint32_t spine = tree_spine(src, dst);
    uint32_t way[] = {src, up + tree->leaf[src] * TREE_SPINES + spine,
                      down + tree->leaf[dst] * TREE_SPINES + spine, n + dst};

    if (tree->leaf[src] == tree->leaf[dst]) {
        g_array_append_val(links, way[0]);
        g_array_append_val(links, way[3]);
    } else {
        g_array_append_vals(links, way, 4);
    }
}

static lag_topology *tree_new(uint32_t n)
{
    static const struct lag_topology_ops ops = {.route = tree_route};
    struct tree *tree = g_new(struct tree, 1);
    lag_topology *topology = g_new0(lag_topology, 1);
    uint32_t n_leaves = (n + TREE_HOSTS - 1) / TREE_HOSTS;

    *tree = (struct tree){g_new(uint32_t, n), n_leaves};
    tree_place(n, tree->leaf);
    topology->ops = &ops;
    topology->n_ranks = n;
    topology->n_nodes = n + n_leaves + TREE_SPINES;
    topology->n_links = 2 * n + 2 * n_leaves * TREE_SPINES;
    topology->links = g_new0(struct lag_link, topology->n_links);
    for (uint32_t i = 0; i < topology->n_links; i++)
        topology->links[i] = (struct lag_link){.rate = TREE_RATE, .pool = i};
    for (uint32_t i = 0; i < 2 * n; i++) {
        topology->links[i].rate = tree_port_rate(i % n, i / n);
        topology->links[i].latency = TREE_LATENCY / 2;
    }
    topology->shape = tree;
    topology->free_shape = tree_free;
    return topology;
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void ring_init(test_bed *bed, uint32_t n)
{
    bed_init(bed, named_plan("ring", LAGGARD_ALLREDUCE, n), TREE_BYTES, TREE_RATE, TREE_LATENCY);
    lag_topology_free(bed->topology);
    bed->topology = tree_new(n);
    bed->network.topology = bed->topology;
    bed->network.fluid = true;
    for (uint32_t rank = 0; rank < n; rank++)
        bed->arrival[rank] = tree_arrival(n, rank);
}

static void ring(uint32_t n, uint64_t messages, uint32_t repeat, bool bare)
{
    g_auto(test_bed) bed;
    struct rusage usage;

    ring_init(&bed, n);
    bed.bare = bare;
    bed.plan->n_rounds = (uint32_t)MIN(bed.plan->n_rounds, MAX(1, messages / n));
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

/* K flows from ports of their own (sides 1), or from one of sqrt(K) ports to another (sides 2),
 * each replaced by a new one when it ends. */
static void flows(uint32_t k, uint32_t sides, uint64_t changes)
{
    uint32_t n = sides == 1 ? k : (uint32_t)lround(sqrt(k)), cookie;
    g_autoptr(lag_topology) topology = lag_topology_new_switch(n + 1, TREE_RATE, 0);
    g_autofree uint32_t *links = g_new(uint32_t, 2 * k);
    lag_fabric *fabric = lag_fabric_new();
    lag_seconds now = 0;
    uint64_t drawn = 0;

    topology->links[lag_topology_ingress(topology, n)].rate = TREE_RATE / 2;
    lag_fabric_reset(fabric, topology);
    for (uint32_t i = 0; i < k; i++) {
        links[2 * i] = lag_topology_egress(topology, sides == 1 ? i : i / n % n);
        links[2 * i + 1] = lag_topology_ingress(topology, sides == 1 ? n : i % n);
        lag_fabric_start(fabric, (struct lag_route){2, &links[2 * i]}, tree_hash(++drawn) >> 34, i);
    }
    now = lag_fabric_settle(fabric, now);
    double start = cpu_seconds();
    for (uint64_t i = 0; i < changes; i++) {
        while (lag_fabric_take(fabric, now, &cookie))
            lag_fabric_start(fabric, (struct lag_route){2, &links[2 * cookie]},
                             tree_hash(++drawn) >> 34, cookie);
        now = lag_fabric_settle(fabric, now);
    }
    printf(
        "{\"benchmark\": \"fabric\", \"flows\": %u, \"sides\": %u, \"changes\": %" G_GUINT64_FORMAT
        ", \"ns_per_change\": %.0f}\n",
        k, sides, changes, 1e9 * (cpu_seconds() - start) / (double)changes);
    fflush(stdout);
    lag_fabric_free(fabric);
}

static void everything(void)
{
    for (uint32_t n = 64; n <= 1024; n *= 4)
        ring(n, G_MAXUINT64, 1 + 128 / n, false);
    for (uint32_t k = 10; k <= 100000; k *= 10)
        flows(k, 1, 1000000);
    for (uint32_t k = 10; k <= 10000; k *= 10)
        flows(k, 2, 10000000 / k);
}

int main(int argc, char **argv)
{
    gint ranks = 0, repeat = 1, n_flows = 0, sides = 1;
    gint64 messages = G_MAXINT64, changes = 100000;
    gboolean bare = FALSE;
    const GOptionEntry entries[] = {
        {"ranks",    0, 0, G_OPTION_ARG_INT,   &ranks,    "the ring of this size only",           "N" },
        {"messages", 0, 0, G_OPTION_ARG_INT64, &messages, "about so many",                        "M" },
        {"repeat",   0, 0, G_OPTION_ARG_INT,   &repeat,   "times",                                "R" },
        {"bare",     0, 0, G_OPTION_ARG_NONE,  &bare,     "without busy times and critical path", NULL},
        {"flows",    0, 0, G_OPTION_ARG_INT,   &n_flows,  "the fabric alone, so many flows",      "K" },
        {"sides",    0, 0, G_OPTION_ARG_INT,   &sides,    "links that each flow shares, 1 or 2",  "1" },
        {"changes",  0, 0, G_OPTION_ARG_INT64, &changes,  "ends and starts",                      "C" },
        {NULL,       0, 0, G_OPTION_ARG_NONE,  NULL,      NULL,                                   NULL},
    };
    g_autoptr(GOptionContext) options = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(options, entries, NULL);
    if (!g_option_context_parse(options, &argc, &argv, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return EXIT_FAILURE;
    }
    if (ranks > 0)
        ring((uint32_t)ranks, (uint64_t)messages, (uint32_t)repeat, bare);
    else if (n_flows > 0)
        flows((uint32_t)n_flows, (uint32_t)sides, (uint64_t)changes);
    else
        everything();
    return EXIT_SUCCESS;
}
