/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rings over several lanes: orders that pass every rank once, and closed forms. */
#include "algorithms/orbit.h"
#include "tests/helpers.h"

/* Every rank once, and back to its index. */
static void check_order(const struct laggard_orbit *orbit)
{
    g_autofree bool *seen = g_new0(bool, orbit->n);

    for (uint32_t i = 0; i < orbit->n; i++) {
        uint32_t rank = laggard_orbit_rank(orbit, i);
        g_assert_cmpuint(rank, <, orbit->n);
        g_assert_false(seen[rank]);
        seen[rank] = true;
        g_assert_cmpuint(laggard_orbit_index(orbit, rank), ==, i);
    }
}

static void orders(void)
{
    for (uint32_t n = 1; n <= 70; n++)
        for (uint32_t lane = 0; lane < 9; lane++)
            for (uint32_t node = 0; node <= 9; node += 3) {
                struct laggard_orbit orbit = laggard_orbit_of_lane(n, node, lane);
                check_order(&orbit);
                for (uint32_t i = 0; lane == 0 && i < n; i++)
                    g_assert_cmpuint(laggard_orbit_rank(&orbit, i), ==, i);
            }
}

/* 8 ranks: strides 1, 3, 5, 7, 1, ..: 8 lanes use 4 pairs of each rank twice. In nodes of 4 lane 1
 * goes 1 2 3 0 | 5 6 7 4: it leaves the first node at 0 and enters the second at 5. */
static void by_hand(void)
{
    static const uint32_t strides[] = {1, 3, 5, 7, 1};
    static const uint32_t turned[] = {1, 2, 3, 0, 5, 6, 7, 4};
    struct laggard_orbit in_nodes = laggard_orbit_of_lane(8, 4, 1);

    for (uint32_t lane = 0; lane < 5; lane++) {
        struct laggard_orbit orbit = laggard_orbit_of_lane(8, 0, lane);
        g_assert_cmpuint(laggard_orbit_rank(&orbit, 1), ==, strides[lane]);
    }
    for (uint32_t i = 0; i < 8; i++)
        g_assert_cmpuint(laggard_orbit_rank(&in_nodes, i), ==, turned[i]);
}

/* Latencies that the closed forms are tried with [s]. */
static const double latencies[] = {0, 1e-7, 1e-6, 1e-5};

static double time_of(const char *text, enum laggard_collective collective, uint32_t n,
                      lag_seconds latency, bool fluid)
{
    g_auto(test_bed) bed;

    bed_init(&bed, set_plan(text, collective, n), (lag_bytes)n * 840 * 4, 1e9, latency);
    bed.network.fluid = fluid;
    return bed_run(&bed);
}

/* K lanes take S / K each. Through one port they share it and take as long as one: 2 (n - 1)(a + S /
 * (n B)); where nothing is shared they take 2 (n - 1)(a + S / (K n B)). Half of it for each half. */
static void closed_forms(void)
{
    static const struct {
        const char *text;
        double lanes;
    } rows[] = {
        {"ring lanes=1",       1},
        {"ring lanes=2",       2},
        {"ring lanes=5",       5},
        {"ring-bidirectional", 2},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (uint32_t n = 2; n <= 17; n++)
            for (size_t l = 0; l < G_N_ELEMENTS(latencies); l++) {
                double a = latencies[l];
                double s = 840 * 4 / 1e9, rounds = 2 * (n - 1), k = rows[i].lanes;
                const char *text = rows[i].text;
                assert_near(time_of(text, LAGGARD_ALLREDUCE, n, a, true), rounds * (a + s), 1e-9);
                assert_near(time_of(text, LAGGARD_ALLREDUCE, n, a, false), rounds * (a + s / k),
                            1e-9);
                assert_near(time_of(text, LAGGARD_ALL_GATHER, n, a, true), rounds * (a + s) / 2,
                            1e-9);
                assert_near(time_of(text, LAGGARD_REDUCE_SCATTER, n, a, true), rounds * (a + s) / 2,
                            1e-9);
            }
}

/* K01, K02, K03: 8 ranks, 1 GiB, 5 us, 100 GB/s; one link at a quarter of the rate, wherever it is;
 * one rank 40 ms late. */
static void k01_k02_k03(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, set_plan("ring", LAGGARD_ALLREDUCE, 8), GIB, 100e9, 5e-6);
    assert_near(bed_run(&bed), 0.01886048192, 1e-9);
    for (uint32_t rank = 0; rank < 8; rank++) {
        bed.arrival[rank] = 40e-3;
        assert_near(bed_run(&bed), 0.05886048192, 1e-9);
        bed.arrival[rank] = 0;
        bed.topology->links[lag_topology_egress(bed.topology, rank)].rate = 25e9;
        assert_near(bed_run(&bed), 0.07523192768, 1e-9);
        bed.topology->links[lag_topology_egress(bed.topology, rank)].rate = 100e9;
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/orbit/orders", orders);
    g_test_add_func("/orbit/by-hand", by_hand);
    g_test_add_func("/orbit/closed-forms", closed_forms);
    g_test_add_func("/orbit/k01-k02-k03", k01_k02_k03);
    return g_test_run();
}
