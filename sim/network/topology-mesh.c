/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A link between every two endpoints, as in AMD's MI300X platforms. The pairs of links (a, b) with
 * a < b come by a, then b. */
#include "sim/network/fragment.h"

static bool build(struct lag_fragment *fragment, struct lag_topology_fault *fault, GError **error)
{
    const struct lag_topology_part *part = &fragment->part;
    uint32_t n = fragment->n_endpoints;

    if (!lag_fragment_has_room((uint64_t)n * (n - 1) / 2, fault, error))
        return false;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            lag_fragment_add_pair(fragment, a, b, part->rate, part->latency);
    return true;
}

static void route(const struct lag_fragment *fragment, struct lag_way *way)
{
    uint32_t n = fragment->n_endpoints, a = MIN(way->src, way->dst), b = MAX(way->src, way->dst);
    uint32_t pairs_before = a * (2 * n - a - 1) / 2;

    lag_way_add(way, 2 * (pairs_before + b - a - 1) + (way->src > way->dst));
}

static bool bisection(const struct lag_fragment *fragment, lag_rate *ret_rate)
{
    uint32_t half = fragment->n_endpoints / 2;
    double halves = fragment->part.half_duplex ? 0.5 : 1;

    *ret_rate = halves * half * (fragment->n_endpoints - half) * fragment->part.rate;
    return true;
}

const struct lag_topology_kind lag_topology_kind_mesh = {
    .name = "mesh",
    .summary = "every GPU linked directly with every other; no switch",
    .drawing = "  gpu0 ---- gpu1\n"
               "    | \\    / |\n"
               "    |  \\  /  |\n"
               "    |   \\/   |\n"
               "    |   /\\   |\n"
               "    |  /  \\  |\n"
               "    | /    \\ |\n"
               "  gpu2 ---- gpu3\n",
    .bisection_formula = "(n / 2)^2 B",
    .routing = "the direct link",
    .extends = true,
    .build = build,
    .route = route,
    .bisection = bisection,
};
