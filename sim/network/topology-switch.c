/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One switch that never blocks, with a port for each endpoint. Links 0 .. n - 1 lead to it, links
 * n .. 2 n - 1 away from it (topology.h counts on that). */
#include "sim/network/fragment.h"

static bool build(struct lag_fragment *fragment, struct lag_topology_fault *fault, GError **error)
{
    const struct lag_topology_part *part = &fragment->part;
    uint32_t n = fragment->n_endpoints, the_switch = fragment->n_nodes++;

    (void)fault;
    (void)error;
    for (uint32_t out = 0; out < n; out++) {
        struct lag_link link = {out, the_switch, part->rate, part->latency / 2, out};
        g_array_append_val(fragment->links, link);
    }
    for (uint32_t out = 0; out < n; out++) {
        uint32_t pool = part->half_duplex ? out : n + out;
        struct lag_link link = {the_switch, out, part->rate, part->latency / 2, pool};
        g_array_append_val(fragment->links, link);
    }
    return true;
}

static void route(const struct lag_fragment *fragment, struct lag_way *way)
{
    lag_way_add(way, way->src);
    lag_way_add(way, fragment->n_endpoints + way->dst);
}

static void name(const struct lag_fragment *fragment, uint32_t node, GString *text)
{
    (void)fragment;
    (void)node;
    g_string_append(text, "switch");
}

static bool bisection(const struct lag_fragment *fragment, lag_rate *ret_rate)
{
    double halves = fragment->part.half_duplex ? 0.5 : 1;
    uint32_t half = fragment->n_endpoints / 2;

    *ret_rate = halves * half * fragment->part.rate;
    return true;
}

const struct lag_topology_kind lag_topology_kind_switch = {
    .name = "switch",
    .summary = "one switch that never blocks, with a port for each GPU",
    .drawing = "  gpu0  gpu1  gpu2  gpu3\n"
               "    |     |     |     |\n"
               "  [        switch       ]\n",
    .bisection_formula = "(n / 2) B",
    .routing = "through the switch",
    .extends = true,
    .build = build,
    .route = route,
    .node_name = name,
    .bisection = bisection,
};
