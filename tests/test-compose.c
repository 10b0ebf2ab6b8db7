/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks inside nodes and between them, by hand; placement; ways that users prescribe; what is
 * refused, and which entry is told. */
#include <string.h>

#include "sim/network/compose.h"
#include "tests/topology-samples.h"

static char *way_text(const lag_topology *topology, uint32_t src, uint32_t dst)
{
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autoptr(GString) text = g_string_new(NULL);

    lag_topology_route(topology, src, dst, way);
    for (guint i = 0; i < way->len; i++) {
        const struct lag_link *link = &topology->links[g_array_index(way, uint32_t, i)];
        g_autofree char *to = lag_topology_node_name(topology, link->to);
        g_autofree char *from = lag_topology_node_name(topology, link->from);
        g_string_append_printf(text, "%s %s", i > 0 ? "" : from, to);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void assert_way(const lag_topology *topology, uint32_t src, uint32_t dst,
                       const char *expected)
{
    g_autofree char *text = way_text(topology, src, dst);

    g_assert_cmpstr(text, ==, expected);
}

static lag_topology *compose(const struct lag_topology_request *request)
{
    struct lag_topology_fault fault;
    g_autoptr(GError) error = NULL;
    lag_topology *topology = lag_topology_compose(request, &fault, &error);

    g_assert_no_error(error);
    return topology;
}

static struct lag_topology_part a_switch(lag_rate rate, lag_seconds latency)
{
    return (struct lag_topology_part){
        .kind = lag_topology_kind_find("switch"), .rate = rate, .latency = latency};
}

/* A node of four GPUs on an NVSwitch with two NICs, and one of two GPUs, whose NIC is the only way
 * between them. GPUs 0 and 1 share node0.nic0. Latency of 0 -> 4: 1 to the NIC, 6 / 2 twice through
 * the switch, 2 from the NIC. */
static void mixed_nodes(void)
{
    const struct lag_node_shape shapes[] = {
        {.count = 1,
         .gpus = 4,
         .inner = a_switch(400,         4),
         .nics = 2,
         .nic_rate = 60,
         .nic_latency = 1},
        {.count = 1, .gpus = 2, .nics = 1, .nic_rate = 30, .nic_latency = 2},
    };
    const struct lag_topology_request request = {
        .n_ranks = 6, .outer = a_switch(50, 6), .shapes = shapes, .n_shapes = 2};
    g_autoptr(lag_topology) topology = compose(&request);
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    lag_seconds latency = 0;
    lag_rate least = 1000;

    g_assert_cmpuint(topology->n_nodes, ==, 6 + 3 + 1 + 1);
    g_assert_cmpuint(topology->n_links, ==, 2 * (3 + 4 + 4 + 2));
    g_assert_false(topology->is_switch);
    assert_way(topology, 0, 3, "gpu0 node0.switch gpu3");
    assert_way(topology, 0, 4, "gpu0 node0.nic0 switch node1.nic0 gpu4");
    assert_way(topology, 1, 5, "gpu1 node0.nic0 switch node1.nic0 gpu5");
    assert_way(topology, 4, 2, "gpu4 node1.nic0 switch node0.nic1 gpu2");
    assert_way(topology, 4, 5, "gpu4 node1.nic0 gpu5");
    lag_topology_route(topology, 0, 4, way);
    for (guint i = 0; i < way->len; i++) {
        const struct lag_link *link = &topology->links[g_array_index(way, uint32_t, i)];
        latency += link->latency;
        least = MIN(least, link->rate);
    }
    g_assert_cmpfloat(latency, ==, 1 + 6 + 2);
    g_assert_cmpfloat(least, ==, 30);
    g_assert_cmpfloat(lag_topology_rate_out(topology, 0), ==, 460);
}

/* Two nodes of two GPUs with a NIC each on two rails without a spine: to the other rail's GPU of
 * the other node, data change rails inside the sender's node. */
static void by_rail(void)
{
    const double rails = 2, spines = 0;
    const struct lag_topology_value values[4] = {
        [0] = {1, &rails },
          [3] = {1, &spines}
    };
    struct lag_node_shape shape = {.count = 2,
                                   .gpus = 2,
                                   .inner = a_switch(400, 4),
                                   .nics = 2,
                                   .by_rail = true,
                                   .nic_rate = 60};
    const struct lag_topology_request request = {
        .n_ranks = 4,
        .outer = {.kind = lag_topology_kind_find("rail"), .values = values, .rate = 50},
        .shapes = &shape,
        .n_shapes = 1,
    };
    struct lag_topology_fault fault;
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_topology) topology = compose(&request);

    assert_way(topology, 0, 2, "gpu0 node0.nic0 rail0 node1.nic0 gpu2");
    assert_way(topology, 0, 3, "gpu0 node0.switch gpu1 node0.nic1 rail1 node1.nic1 gpu3");
    assert_way(topology, 3, 0, "gpu3 node1.switch gpu2 node1.nic0 rail0 node0.nic0 gpu0");
    shape.by_rail = false;
    g_assert_null(lag_topology_compose(&request, &fault, &error));
    g_assert_error(error, LAG_TOPOLOGY_ERROR, LAG_TOPOLOGY_ERROR_INPUT);
    g_assert_cmpint(fault.what, ==, LAG_FAULT_SHAPE);
}

/* Four NICs for two GPUs: each has two, and the hash spreads its ways over both. Listed NICs are
 * those listed. */
static void several_nics(void)
{
    static const uint32_t crossed[] = {1, 0};
    struct lag_node_shape shape = {.count = 8, .gpus = 2, .nics = 4, .nic_rate = 60};
    struct lag_topology_request request = {
        .n_ranks = 16, .outer = a_switch(50, 6), .shapes = &shape, .n_shapes = 1};
    g_autoptr(lag_topology) topology = compose(&request);
    uint32_t used[4] = {0}, first;

    g_assert_true(lag_topology_find_node(topology, "node0.nic0", &first));
    for (uint32_t dst = 2; dst < 16; dst++) {
        g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        lag_topology_route(topology, 1, dst, way);
        used[topology->links[g_array_index(way, uint32_t, 0)].to - first]++;
    }
    g_assert_true(used[0] == 0 && used[1] == 0 && used[2] > 0 && used[3] > 0);
    shape.nics = 2;
    shape.nic_of = crossed;
    g_autoptr(lag_topology) other = compose(&request);
    assert_way(other, 0, 3, "gpu0 node0.nic1 switch node1.nic0 gpu3");
}

/* Ranks 0 and 2 in the first node, 1 and 3 in the second. */
static void placement(void)
{
    static const uint32_t slot[] = {0, 2, 1, 3};
    const struct lag_node_shape shape = {.count = 2, .gpus = 2, .inner = a_switch(400, 4)};
    const struct lag_topology_request request = {
        .n_ranks = 4, .outer = a_switch(50, 6), .shapes = &shape, .n_shapes = 1, .slot = slot};
    g_autoptr(lag_topology) topology = compose(&request);

    assert_way(topology, 0, 2, "gpu0 node0.switch gpu2");
    assert_way(topology, 0, 1, "gpu0 switch gpu1");
    assert_way(topology, 1, 3, "gpu1 node1.switch gpu3");
}

/* A prescribed way is taken, in its direction only. */
static void prescribed(void)
{
    static const char *const nodes[] = {"gpu0", "gpu3", "gpu2", "gpu1"};
    const struct lag_static_route route = {nodes, 4};
    const struct lag_topology_request request = {
        .n_ranks = 4,
        .outer = {.kind = lag_topology_kind_find("ring"), .rate = 1},
        .routes = &route,
        .n_routes = 1,
    };
    g_autoptr(lag_topology) topology = compose(&request);

    assert_way(topology, 0, 1, "gpu0 gpu3 gpu2 gpu1");
    assert_way(topology, 1, 0, "gpu1 gpu0");
}

/* Refuses a request; the message has `part` in it, and the entry at fault is told. */
static void assert_refused(const struct lag_topology_request *request, const char *part,
                           enum lag_fault what, uint32_t index)
{
    struct lag_topology_fault fault;
    g_autoptr(GError) error = NULL;

    g_assert_null(lag_topology_compose(request, &fault, &error));
    g_assert_error(error, LAG_TOPOLOGY_ERROR, LAG_TOPOLOGY_ERROR_INPUT);
    if (strstr(error->message, part) == NULL)
        g_error("no \"%s\" in \"%s\"", part, error->message);
    g_assert_cmpint(fault.what, ==, what);
    g_assert_cmpuint(fault.index, ==, index);
}

static void bad_graphs(void)
{
    static const struct {
        struct lag_graph_link links[4];
        uint32_t n;
        const char *part;
        enum lag_fault what;
        uint32_t index;
    } cases[] = {
        {{{"gpu0", "gpu1", 1, 0, 0}, {"gpu2", "tor", 1, 0, 0}},
         2,                                                                                    "gpu0 to gpu2",
         LAG_FAULT_WHOLE,                                                                                                                    0},
        {{{"gpu0", "gpu1", 1, 0, 0}, {"gpu1", "gpu2", 1, 0, 0}, {"gpu1", "gpu0", 1, 0, 0}},
         3,                                                                                    "linked already",
         LAG_FAULT_LINK,                                                                                                                     2},
        {{{"gpu0", "gpu0", 1, 0, 0}},                                                       1, "gpu0 is linked with itself", LAG_FAULT_LINK, 0},
        {{{"gpu0", "gpu1", 1, 0, 0}, {"gpu1", "gpu2", 0, 0, 0}},
         2,                                                                                    "gpu1--gpu2",
         LAG_FAULT_LINK,                                                                                                                     1},
        {{{"gpu0", "gpu1", 1, 0, 0}, {"gpu1", "gpu2", -1, 0, 0}},
         2,                                                                                    "gpu1--gpu2",
         LAG_FAULT_LINK,                                                                                                                     1},
        {{{"gpu0", "gpu3", 1, 0, 0}},                                                       1, "there is no gpu3",           LAG_FAULT_LINK, 0},
        {{{"gpu0", "a--b", 1, 0, 0}},                                                       1, "can't be a name",            LAG_FAULT_LINK, 0},
        {{{"gpu0", "", 1, 0, 0}},                                                           1, "can't be a name",            LAG_FAULT_LINK, 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const struct lag_topology_request request = {
            .n_ranks = 3,
            .outer = {.kind = lag_topology_kind_find("graph"),
                      .links = cases[i].links,
                      .n_links = cases[i].n},
        };
        assert_refused(&request, cases[i].part, cases[i].what, cases[i].index);
    }
}

static void bad_routes(void)
{
    static const struct {
        const char *nodes[5];
        uint32_t n;
        const char *part;
    } cases[] = {
        {{"gpu0", "gpu2"},          2, "no link gpu0->gpu2"      },
        {{"gpu0", "spine", "gpu1"}, 3, "no node \"spine\""       },
        {{"gpu0", "gpu1", "gpu0"},  3, "comes to gpu0 twice"     },
        {{"gpu0"},                  1, "begins and ends at a GPU"},
        {{"gpu0", "gpu1"},          2, "a second route"          },
    };
    static const char *const good[] = {"gpu0", "gpu1"};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const struct lag_static_route routes[] = {
            {good,           2         },
            {cases[i].nodes, cases[i].n}
        };
        const struct lag_topology_request request = {
            .n_ranks = 4,
            .outer = {.kind = lag_topology_kind_find("ring"), .rate = 1},
            .routes = routes,
            .n_routes = 2,
        };
        assert_refused(&request, cases[i].part, LAG_FAULT_ROUTE, 1);
    }
}

static void bad_numbers(void)
{
    static const double dims[] = {2, 3}, half = 1.5, four = 4;
    const struct lag_topology_value two_dims = {2, dims}, fraction = {1, &half};
    const struct lag_topology_value tree[] = {
        {1,      &four},
        {0     },
        {1, &four},
        {0},
        {0     }
    };
    const struct lag_topology_value pods[] = {
        {1,     &four},
        {2,     dims},
        {0},
        {0    },
        {0    }
    };
    static const uint32_t twice[] = {0, 1, 2, 1}, beyond[] = {0, 1, 2, 4};
    struct lag_topology_request request = {
        .n_ranks = 4, .outer = {.kind = lag_topology_kind_find("torus"), .rate = 1}
    };

    assert_refused(&request, "torus needs dims", LAG_FAULT_PARAMETER, 0);
    request.outer.values = &two_dims;
    assert_refused(&request, "2 x 3 is 6", LAG_FAULT_PARAMETER, 0);
    request.outer.values = &fraction;
    assert_refused(&request, "1.5 is not a whole number", LAG_FAULT_PARAMETER, 0);
    request.outer.kind = lag_topology_kind_find("fat-tree");
    request.outer.values = tree;
    assert_refused(&request, "4 is not from 2 to 3", LAG_FAULT_PARAMETER, 2);
    request.outer.values = pods;
    assert_refused(&request, "2 numbers for 2 levels", LAG_FAULT_PARAMETER, 1);
    request.outer = a_switch(1, 0);
    request.slot = twice;
    assert_refused(&request, "place 1 is given to rank 1 and to rank 3", LAG_FAULT_SLOT, 3);
    request.slot = beyond;
    assert_refused(&request, "places are 0 to 3", LAG_FAULT_SLOT, 3);
    request.slot = NULL;
    request.outer.rate = 0;
    assert_refused(&request, "no bandwidth", LAG_FAULT_WHOLE, 0);
}

static void bad_nodes(void)
{
    static const uint32_t nic_of[] = {0, 2};
    struct lag_node_shape shape = {.count = 2, .gpus = 2, .nics = 2, .nic_rate = 1};
    struct lag_topology_request request = {
        .n_ranks = 5, .outer = a_switch(1, 0), .shapes = &shape, .n_shapes = 1};

    assert_refused(&request, "the nodes have 4 GPUs together, the cluster has 5", LAG_FAULT_WHOLE,
                   0);
    request.n_ranks = 4;
    shape.nics = 3;
    assert_refused(&request, "3 NICs can't be shared out", LAG_FAULT_SHAPE, 0);
    shape.nics = 2;
    shape.nic_of = nic_of;
    assert_refused(&request, "GPU 1 of a node has NIC 2", LAG_FAULT_SHAPE, 0);
    shape.nic_of = NULL;
    shape.by_rail = true;
    assert_refused(&request, "ways by rail need", LAG_FAULT_SHAPE, 0);
    shape.by_rail = false;
    request.outer.kind = NULL;
    assert_refused(&request, "2 nodes need a network between them", LAG_FAULT_WHOLE, 0);
}

/* A server has a port of its own behind the GPUs: on one switch links 3 and 7 of four hosts; beside
 * nodes it is an endpoint of what connects these. It has a name that is no GPU's. */
static void servers(void)
{
    const struct lag_node_shape shapes[] = {
        {.count = 1, .gpus = 2, .inner = a_switch(400, 4), .nics = 1, .nic_rate = 60},
        {.count = 1,        .gpus = 1       }, /* the server */
    };
    const struct lag_topology_request flat = {
        .n_ranks = 4, .n_servers = 1, .outer = a_switch(50, 6)};
    const struct lag_topology_request nodes = {
        .n_ranks = 3, .n_servers = 1, .outer = a_switch(50, 6), .shapes = shapes, .n_shapes = 2};
    g_autoptr(lag_topology) on_switch = compose(&flat), beside = compose(&nodes);
    uint32_t node;

    g_assert_true(on_switch->is_switch);
    assert_way(on_switch, 1, 3, "gpu1 switch server0");
    assert_way(on_switch, 3, 0, "server0 switch gpu0");
    g_assert_true(lag_topology_find_node(on_switch, "server0", &node) && node == 3);
    g_assert_false(lag_topology_find_node(on_switch, "gpu3", &node));
    g_assert_false(lag_topology_find_node(on_switch, "server1", &node));
    assert_way(beside, 1, 2, "gpu1 node0.nic0 switch server0");
    assert_way(beside, 2, 0, "server0 switch node0.nic0 gpu0");
}

/* A graph's links name it; kinds of a fixed shape, and a single node, have no place for it. */
static void places_for_servers(void)
{
    const struct lag_graph_link links[] = {
        {.a = "gpu0",    .b = "sw", .rate = 1},
        {.a = "server0", .b = "sw", .rate = 2}
    };
    const struct lag_topology_request graph = {
        .n_ranks = 2,
        .n_servers = 1,
        .outer = {.kind = lag_topology_kind_find("graph"), .links = links, .n_links = 2}
    };
    g_autoptr(lag_topology) topology = compose(&graph);

    assert_way(topology, 0, 1, "gpu0 sw server0");
    for (uint32_t i = 0; lag_topologies[i] != NULL; i++) {
        struct lag_topology_request request = {
            .n_ranks = 5, .n_servers = 1, .outer = {.kind = lag_topologies[i], .rate = 1}
        };
        if (!lag_topologies[i]->extends)
            assert_refused(&request, "has no place for", LAG_FAULT_WHOLE, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/compose/mixed-nodes", mixed_nodes);
    g_test_add_func("/compose/by-rail", by_rail);
    g_test_add_func("/compose/several-nics", several_nics);
    g_test_add_func("/compose/placement", placement);
    g_test_add_func("/compose/prescribed", prescribed);
    g_test_add_func("/compose/bad-graphs", bad_graphs);
    g_test_add_func("/compose/bad-routes", bad_routes);
    g_test_add_func("/compose/bad-numbers", bad_numbers);
    g_test_add_func("/compose/bad-nodes", bad_nodes);
    g_test_add_func("/compose/servers", servers);
    g_test_add_func("/compose/places-for-servers", places_for_servers);
    return g_test_run();
}
