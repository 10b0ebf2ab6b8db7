/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flows in flight on a switch, by hand; the fluid model in replay. */
#include "sim/network/fabric.h"
#include "tests/helpers.h"

/* Runs a fabric until all its flows have ended; ends[cookie] gets when. */
static void drain(lag_fabric *fabric, lag_seconds *ends)
{
    lag_seconds now = 0;
    uint32_t cookie;

    while (isfinite(now = lag_fabric_settle(fabric, now)))
        while (lag_fabric_take(fabric, now, &cookie))
            ends[cookie] = now;
}

/* K20: k flows through one bottleneck share it as a processor is shared: 100 B/s and 100, 200,
 * 300, 400 B end at 4, 7, 9 and 10 s. Here the bottleneck is the ingress of rank 4. */
static void k20(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(5, 100, 0);
    lag_fabric *fabric = lag_fabric_new();
    g_autoptr(lag_router) router = lag_router_new();
    lag_seconds ends[4];
    static const lag_seconds expected[] = {4, 7, 9, 10};

    lag_router_reset(router, topology);
    lag_fabric_reset(fabric, topology);
    for (uint32_t i = 0; i < 4; i++)
        lag_fabric_start(fabric, lag_router_find(router, i, 4), 100 * (i + 1), i);
    drain(fabric, ends);
    for (uint32_t i = 0; i < 4; i++)
        assert_near(ends[i], expected[i], 1e-12);
    lag_fabric_free(fabric);
}

/* K19 on a switch: A from rank 0 to 1 (20 B), B from 0 to 2 (40 B), C from 3 to 1 (10 B); egress
 * of 0 is 10 B/s, ingress of 1 is 4 B/s. At first A = C = 2, B = 8: B and C end at 5 s. Then A has
 * 10 B left at 4 B/s: 7.5 s. */
static void k19(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(4, 100, 0);
    lag_fabric *fabric = lag_fabric_new();
    g_autoptr(lag_router) router = lag_router_new();
    lag_seconds ends[3];

    topology->links[lag_topology_egress(topology, 0)].rate = 10;
    topology->links[lag_topology_ingress(topology, 1)].rate = 4;
    lag_router_reset(router, topology);
    lag_fabric_reset(fabric, topology);
    lag_fabric_start(fabric, lag_router_find(router, 0, 1), 20, 0);
    lag_fabric_start(fabric, lag_router_find(router, 0, 2), 40, 1);
    lag_fabric_start(fabric, lag_router_find(router, 3, 1), 10, 2);
    drain(fabric, ends);
    assert_near(ends[0], 7.5, 1e-12);
    assert_near(ends[1], 5, 1e-12);
    assert_near(ends[2], 5, 1e-12);
    lag_fabric_free(fabric);
}

/* Ingress of rank 2 is 100 B/s. Two flows of 100 B share it; at 1 s one is taken out with 50 B
 * left. The other has 50 B left too, and all of the link: 1.5 s. */
static void cancelled(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(3, 100, 0);
    lag_fabric *fabric = lag_fabric_new();
    g_autoptr(lag_router) router = lag_router_new();
    uint32_t cookie;

    lag_router_reset(router, topology);
    lag_fabric_reset(fabric, topology);
    lag_fabric_start(fabric, lag_router_find(router, 0, 2), 100, 7);
    uint32_t flow = lag_fabric_start(fabric, lag_router_find(router, 1, 2), 100, 8);
    assert_near(lag_fabric_settle(fabric, 0), 2, 1e-15);
    assert_near(lag_fabric_rate(fabric, flow), 50, 1e-15);
    assert_near(lag_fabric_cancel(fabric, flow, 1), 50, 1e-15);
    assert_near(lag_fabric_settle(fabric, 1), 1.5, 1e-15);
    /* One that has not moved yet has everything left. */
    flow = lag_fabric_start(fabric, lag_router_find(router, 1, 2), 30, 9);
    assert_near(lag_fabric_cancel(fabric, flow, 1), 30, 0);
    assert_near(lag_fabric_settle(fabric, 1), 1.5, 1e-15);
    g_assert_true(lag_fabric_take(fabric, 1.5, &cookie));
    g_assert_cmpuint(cookie, ==, 7);
    g_assert_false(lag_fabric_take(fabric, 1.5, &cookie));
    g_assert_true(isinf(lag_fabric_settle(fabric, 1.5)));
    lag_fabric_free(fabric);
}

/* 100 B at 100 B/s. The link dies at 0.25 s with 75 B left and comes back at 2 s with 50 B/s:
 * 3.5 s. A flow that starts on the dead link waits too, and then takes its half: the first has
 * 75 B left at 25 B/s (5 s), the second then 25 B at 50 B/s: 5.5 s. */
static void dead_and_back(void)
{
    for (uint32_t n = 1; n <= 2; n++) {
        g_autoptr(lag_topology) topology = lag_topology_new_switch(3, 100, 0);
        lag_fabric *fabric = lag_fabric_new();
        g_autoptr(lag_router) router = lag_router_new();
        uint32_t cookie, in = lag_topology_ingress(topology, 2);

        lag_router_reset(router, topology);
        lag_fabric_reset(fabric, topology);
        lag_fabric_start(fabric, lag_router_find(router, 0, 2), 100, 0);
        assert_near(lag_fabric_settle(fabric, 0), 1, 1e-15);
        lag_fabric_set_rate(fabric, in, 0, 0.25);
        g_assert_true(isinf(lag_fabric_settle(fabric, 0.25)));
        if (n == 2)
            lag_fabric_start(fabric, lag_router_find(router, 1, 2), 100, 1);
        g_assert_true(isinf(lag_fabric_settle(fabric, 1)));
        g_assert_false(lag_fabric_take(fabric, 1.5, &cookie));
        lag_fabric_set_rate(fabric, in, 50, 2);
        assert_near(lag_fabric_settle(fabric, 2), n == 1 ? 3.5 : 5, 1e-15);
        if (n == 2) {
            g_assert_true(lag_fabric_take(fabric, 5, &cookie));
            g_assert_cmpuint(cookie, ==, 0);
            assert_near(lag_fabric_settle(fabric, 5), 5.5, 1e-15);
        }
        lag_fabric_free(fabric);
    }
}

/* A route that crosses a link of 100 B/s twice takes it twice: with another flow that crosses it
 * once, three parts of a third each. */
static void twice_over_a_link(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(3, 100, 0);
    lag_fabric *fabric = lag_fabric_new();
    const uint32_t there_and_back[] = {0, 3 + 1, 0}, once[] = {0, 3 + 2};

    lag_fabric_reset(fabric, topology);
    lag_fabric_start(fabric, (struct lag_route){3, there_and_back}, 100, 0);
    assert_near(lag_fabric_settle(fabric, 0), 2, 1e-15);
    lag_fabric_start(fabric, (struct lag_route){2, once}, 100, 1);
    assert_near(lag_fabric_settle(fabric, 0), 3, 1e-15);
    lag_fabric_free(fabric);
}

/* The anomaly of max-min fairness: more bandwidth may hurt. A crosses L1 and L2 = 4, C only L2; C
 * has 3 to send, and 10 s of work wait for it. With L1 = 1: A = 1, C = 3, C ends at 1 s, all at 11.
 * With L1 = 4: A = C = 2, C ends at 1.5 s, all at 11.5. Here L1 is the ingress of rank 1, L2 the
 * egress of rank 0. */
static void anomaly(void)
{
    static const lag_rate rate[] = {1, 4};
    static const lag_seconds all_done[] = {11, 11.5};

    for (uint32_t i = 0; i < 2; i++) {
        g_autoptr(lag_topology) topology = lag_topology_new_switch(3, 4, 0);
        lag_fabric *fabric = lag_fabric_new();
        g_autoptr(lag_router) router = lag_router_new();
        lag_seconds ends[2];

        topology->links[lag_topology_ingress(topology, 1)].rate = rate[i];
        lag_router_reset(router, topology);
        lag_fabric_reset(fabric, topology);
        lag_fabric_start(fabric, lag_router_find(router, 0, 1), 1000, 0);
        lag_fabric_start(fabric, lag_router_find(router, 0, 2), 3, 1);
        drain(fabric, ends);
        assert_near(ends[1] + 10, all_done[i], 1e-15);
        lag_fabric_free(fabric);
    }
}

/* TC2 (astra-sim#296): n = 8, 100 MB, one 50 GB/s port a rank, 10 ns. Everybody to everybody takes
 * 2 latencies and 2 (n - 1) / n S / B = 3500.02 us on one port; with seven links of that rate a
 * rank, one for each peer, 500.02 us: what alpha-beta gives, where nothing is shared. */
static void tc2(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("allpairs", LAGGARD_ALLREDUCE, 8), 100000000, 50e9, 10e-9);
    bed.network.fluid = true;
    assert_prints(1e6 * bed_run(&bed), 3500.02, 0.01);
    bed.network.fluid = false;
    assert_prints(1e6 * bed_run(&bed), 500.02, 0.01);
}

/* The path of the above: 2 latencies; alone on its links each of its two transfers would take
 * S / (n B) = 250 us, and 6/7 of their time is due to sharing. */
static void contention_on_the_path(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("allpairs", LAGGARD_ALLREDUCE, 8), 100000000, 50e9, 10e-9);
    bed.network.fluid = true;
    bed_run(&bed);
    assert_near(bed.outcome.path.shares.latency, 20e-9, 1e-9);
    assert_near(bed.outcome.path.shares.bandwidth, 500e-6, 1e-9);
    assert_near(bed.outcome.path.shares.contention, 3000e-6, 1e-9);
}

/* Where ports aren't shared the fabric gives what the closed costs give: a plan that claims a
 * second port flies its transfers through the fabric, and must take the same time. */
static void agrees_where_nothing_is_shared(void)
{
    g_autoptr(gsl_rng) rng = test_rng(19);

    for (int i = 0; i < 200; i++)
        for (size_t a = 0; lag_algorithms[a] != NULL; a++) {
            g_auto(test_bed) bed;
            if (!(lag_algorithms[a]->collectives & LAGGARD_BIT(LAGGARD_ALLREDUCE)))
                continue;
            uint32_t n = random_ranks(lag_algorithms[a], LAGGARD_ALLREDUCE, rng);
            bed_init(&bed, algorithm_plan(lag_algorithms[a], LAGGARD_ALLREDUCE, n, 0),
                     4 * (1 + below(rng, 100000)), 1e9, 1e-5);
            if (!lag_plan_is_one_port(bed.plan))
                continue;
            bed_randomise(&bed, rng);
            bed.network.eager = false;
            lag_seconds closed = bed_run(&bed);
            bed.plan->degree = 2;
            bed.network.fluid = true;
            assert_near(bed_run(&bed), closed, 1e-12);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fabric/k19", k19);
    g_test_add_func("/fabric/k20", k20);
    g_test_add_func("/fabric/cancelled", cancelled);
    g_test_add_func("/fabric/dead-and-back", dead_and_back);
    g_test_add_func("/fabric/twice-over-a-link", twice_over_a_link);
    g_test_add_func("/fabric/anomaly", anomaly);
    g_test_add_func("/fabric/tc2", tc2);
    g_test_add_func("/fabric/contention-on-the-path", contention_on_the_path);
    g_test_add_func("/fabric/agrees-where-nothing-is-shared", agrees_where_nothing_is_shared);
    return g_test_run();
}
