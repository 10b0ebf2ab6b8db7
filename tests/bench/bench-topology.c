/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building a 3-level fat-tree of 10,000 GPUs, and finding routes in it: one line of JSON each. */
#include <stdio.h>
#include <sys/resource.h>

#include "sim/network/router.h"
#include "tests/topology-samples.h"

static void print(const char *what, double seconds, double each)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    printf("{\"benchmark\": \"topology\", \"what\": \"%s\", \"seconds\": %.6f, \"ns_each\": %.1f, "
           "\"peak_MB\": %.1f}\n",
           what, seconds, each * 1e9, (double)usage.ru_maxrss / 1024);
}

static double seconds_since(gint64 start)
{
    return (double)(g_get_monotonic_time() - start) * 1e-6;
}

/* From each GPU to `n_peers` others. */
static void find_routes(lag_router *router, uint32_t n, uint32_t n_peers, const char *what)
{
    gint64 start = g_get_monotonic_time();
    uint64_t n_links = 0;

    for (uint32_t src = 0; src < n; src++)
        for (uint32_t k = 1; k <= n_peers; k++)
            n_links += lag_router_find(router, src, (src + k * 37) % n).n_links;
    double seconds = seconds_since(start);
    g_assert_cmpuint(n_links, >, 0);
    print(what, seconds, seconds / ((double)n * n_peers));
}

int main(void)
{
    struct sample sample;
    gint64 start = g_get_monotonic_time();
    uint32_t links[2];

    sample_init(&sample, lag_topology_kind_find("fat-tree"), 10000);
    sample_set(&sample, "gpus_per_leaf", 32);
    sample_set(&sample, "levels", 3);
    sample_set(&sample, "leaves_per_pod", 16);
    g_autoptr(lag_topology) topology = sample_build(&sample);
    print("build", seconds_since(start), seconds_since(start) / topology->n_links);
    start = g_get_monotonic_time();
    for (uint32_t l = 0; l < topology->n_links; l++) {
        g_autofree char *name = lag_topology_link_name(topology, l);
        g_assert_cmpuint(lag_topology_find_links(topology, name, links), ==, 1);
    }
    print("find links by name", seconds_since(start), seconds_since(start) / topology->n_links);
    g_autoptr(lag_router) router = lag_router_new();
    lag_router_reset(router, topology);
    find_routes(router, 10000, 100, "find a million routes");
    find_routes(router, 10000, 100, "find them again");
    sample_clear(&sample);
    return 0;
}
