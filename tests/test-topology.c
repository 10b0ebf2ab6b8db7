/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The switch, the names of its links, and what a transfer over it costs. */
#include "sim/network/topology.h"
#include "tests/helpers.h"

/* n ranks have 2 n links, of one direction each and half the latency; ports are the links that
 * start or end at the rank. */
static void a_switch(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(5, 100, 6);

    g_assert_cmpuint(topology->n_ranks, ==, 5);
    g_assert_cmpuint(topology->n_links, ==, 10);
    for (uint32_t rank = 0; rank < 5; rank++) {
        const struct lag_link *out = &topology->links[lag_topology_egress(topology, rank)];
        const struct lag_link *in = &topology->links[lag_topology_ingress(topology, rank)];
        g_assert_true(out->from == rank && out->to == 5);
        g_assert_true(in->from == 5 && in->to == rank);
        g_assert_true(out->rate == 100 && in->rate == 100);
        g_assert_true(out->latency == 3 && in->latency == 3);
    }
}

/* Each link's name finds that link, "a--b" both directions in the order in which they're said. */
static void names(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(12, 1, 0);
    uint32_t links[2];

    for (uint32_t i = 0; i < topology->n_links; i++) {
        g_autofree char *name = lag_topology_link_name(topology, i);
        g_assert_cmpuint(lag_topology_find_links(topology, name, links), ==, 1);
        g_assert_cmpuint(links[0], ==, i);
    }
    g_autofree char *name = lag_topology_link_name(topology, lag_topology_egress(topology, 11));
    g_assert_cmpstr(name, ==, "gpu11->switch");
    g_assert_cmpuint(lag_topology_find_links(topology, "gpu3--switch", links), ==, 2);
    g_assert_cmpuint(links[0], ==, lag_topology_egress(topology, 3));
    g_assert_cmpuint(links[1], ==, lag_topology_ingress(topology, 3));
    g_assert_cmpuint(lag_topology_find_links(topology, "switch -- gpu3", links), ==, 2);
    g_assert_cmpuint(links[0], ==, lag_topology_ingress(topology, 3));
}

/* What names no link finds none. */
static void no_such_link(void)
{
    static const char *const bad[] = {
        "",
        "gpu3",
        "->",
        "--",
        "gpu12->switch",
        "gpu->switch",
        "gpu-1->switch",
        "gpux->switch",
        "gpu3->gpu4",
        "switch->switch",
        "gpu3--gpu3",
        "gpu3->switch->gpu4",
        "node0->switch",
        "gpu4294967297->switch",
        "gpu1 2->switch",
    };
    g_autoptr(lag_topology) topology = lag_topology_new_switch(12, 1, 0);
    uint32_t links[2];

    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        if (lag_topology_find_links(topology, bad[i], links) != 0)
            g_error("\"%s\" finds a link", bad[i]);
}

/* DESIGN section 3: cut-through, the slowest link's rate and the sum of the latencies. From rank 0
 * (out at 50 B/s) to rank 1 (in at 20 B/s): 100 B take 5 s and the link is rank 1's. To rank 2 (in
 * at 100): 2 s, rank 0's own. On a tie the sender's link is named. */
static void costs(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(3, 100, 1);
    const struct lag_network network = {.topology = topology};

    topology->links[lag_topology_egress(topology, 0)].rate = 50;
    topology->links[lag_topology_ingress(topology, 1)].rate = 20;
    topology->links[lag_topology_ingress(topology, 1)].latency = 4;
    struct lag_cost cost = lag_network_cost(&network, NULL, 0, 1, 100);
    g_assert_cmpfloat(cost.wire, ==, 5);
    g_assert_cmpfloat(cost.latency, ==, 4.5);
    g_assert_cmpuint(cost.link, ==, lag_topology_ingress(topology, 1));
    cost = lag_network_cost(&network, NULL, 0, 2, 100);
    g_assert_cmpfloat(cost.wire, ==, 2);
    g_assert_cmpfloat(cost.latency, ==, 1);
    g_assert_cmpuint(cost.link, ==, lag_topology_egress(topology, 0));
    cost = lag_network_cost(&network, NULL, 1, 2, 0);
    g_assert_cmpfloat(cost.wire, ==, 0);
    g_assert_cmpuint(cost.link, ==, lag_topology_egress(topology, 1));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/topology/switch", a_switch);
    g_test_add_func("/topology/names", names);
    g_test_add_func("/topology/no-such-link", no_such_link);
    g_test_add_func("/topology/costs", costs);
    return g_test_run();
}
