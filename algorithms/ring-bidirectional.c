/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bidirectional ring: two rings, one each way round, with half of the buffer each. Where a rank
 * has a link to each of its neighbours, both carry data both ways all the time. */
#include "algorithms/orbit.h"

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    uint32_t n = request->n_ranks;
    struct laggard_orbit *orbits = g_new(struct laggard_orbit, 2);

    (void)error;
    orbits[0] = laggard_orbit_by_stride(n, 1);
    orbits[1] = laggard_orbit_by_stride(n, MAX(n - 1, 1));
    laggard_orbit_describe(request, orbits, 2, plan);
    return true;
}

const struct laggard_algorithm laggard_ring_bidirectional = {
    .name = "ring-bidirectional",
    .summary = "two rings, one each way round, with half of the buffer each",
    .formula = "2 (n - 1) (latency + S / (n B)) where both share a port; 2 (n - 1) (latency + S / "
               "(2 n B)) where each neighbour has a link of its own; half of it for reduce-scatter "
               "and all-gather",
    .source =
        "derived from Patarasuk, Yuan, JPDC 2009; as on the links of a torus, Jain, Sabharwal, "
        "ICS 2010",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE) | LAGGARD_BIT(LAGGARD_REDUCE_SCATTER) |
                   LAGGARD_BIT(LAGGARD_ALL_GATHER),
    .describe = describe,
};
