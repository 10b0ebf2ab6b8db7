/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A closed chain without switches. Links 2 e and 2 e + 1 join endpoint e with the next. */
#include "sim/network/fragment.h"

static bool build(struct lag_fragment *fragment, struct lag_topology_fault *fault, GError **error)
{
    const struct lag_topology_part *part = &fragment->part;
    uint32_t n = fragment->n_endpoints, n_pairs = n > 2 ? n : n - 1;

    (void)fault;
    (void)error;
    for (uint32_t e = 0; e < n_pairs; e++)
        lag_fragment_add_pair(fragment, e, (e + 1) % n, part->rate, part->latency);
    return true;
}

static void route(const struct lag_fragment *fragment, struct lag_way *way)
{
    uint32_t n = fragment->n_endpoints, up = (way->dst + n - way->src) % n, down = n - up;
    bool goes_up = up < down || (up == down && lag_way_choose(way, 2) == 0);

    if (n == 2)
        goes_up = way->src == 0;
    for (uint32_t e = way->src; e != way->dst;) {
        uint32_t before = e > 0 ? e - 1 : n - 1, next = e + 1 < n ? e + 1 : 0;
        lag_way_add(way, goes_up ? 2 * e : 2 * before + 1);
        e = goes_up ? next : before;
    }
}

static bool bisection(const struct lag_fragment *fragment, lag_rate *ret_rate)
{
    double halves = fragment->part.half_duplex ? 0.5 : 1;
    uint32_t n_cut = MIN(fragment->n_endpoints - 1, 2);

    *ret_rate = halves * n_cut * fragment->part.rate;
    return true;
}

const struct lag_topology_kind lag_topology_kind_ring = {
    .name = "ring",
    .summary = "each GPU linked with the one before and the one behind; no switch",
    .drawing = "  gpu0 -- gpu1 -- gpu2 -- gpu3\n"
               "    |                       |\n"
               "    +-----------------------+\n",
    .bisection_formula = "2 B (B for 2 GPUs)",
    .routing = "the shorter way round; the hash decides between two equal ones",
    .build = build,
    .route = route,
    .bisection = bisection,
};
