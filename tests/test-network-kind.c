/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks as scenarios say them: wrong ones, each with its one message, and what right ones are. */
#include <string.h>

#include "scenarios/scenario.h"

struct wrong {
    const char *gpus, *network;
    const char *message; /* how it starts, after "x.yaml:" */
};

/* clang-format off */
static const struct wrong wrong_graphs[] = {
    {"4", "topology: graph, links: [{a: gpu0, b: gpu1, bandwidth: 1 GB/s}]",
     "3:40: cluster.network.topology: no links lead from gpu0 to gpu2"},
    {"2", "topology: graph, links: [{a: gpu0, b: s, bandwidth: 1 GB/s}, {a: s, b: gpu1, bandwidth: 1 GB/s}, {a: gpu0, b: s, bandwidth: 1 GB/s}]",
     "3:127: cluster.network.links[2]: gpu0 and s are linked already; give one link the"},
    {"2", "topology: graph, links: [{a: gpu0, b: gpu0, bandwidth: 1 GB/s}]",
     "3:55: cluster.network.links[0]: gpu0 is linked with itself"},
    {"2", "topology: graph, links: [{a: gpu0, b: gpu9, bandwidth: 1 GB/s}]",
     "3:55: cluster.network.links[0]: there is no gpu9 to link"},
    {"2", "topology: graph, links: [{a: gpu0, b: gpu1, bandwidth: 0 B/s}]",
     "3:85: cluster.network.links[0].bandwidth: '0 B/s' is too small; expected a bandwidth"},
    {"2", "topology: graph, links: [{a: gpu0, b: gpu1, bandwidth: -1 GB/s}]",
     "3:85: cluster.network.links[0].bandwidth: '-1 GB/s' is negative; expected a bandwidth"},
    {"2", "topology: graph, links: [{a: gpu0, b: gpu1}]",
     "3:55: cluster.network.links[0]: the key 'bandwidth' is missing, here and for the whole"},
    {"2", "topology: graph",
     "3:29: cluster.network: the key 'links' is missing: a graph is made of them, [{a: gpu0,"},
    {"2", "topology: graph, bandwidth: 1 GB/s, links: []",
     "3:40: cluster.network.topology: no links lead from gpu0 to gpu1"},
    {"2", "topology: graph, links: [{a: gpu0, bandwidth: 1 GB/s}]",
     "3:55: cluster.network.links[0]: the key 'b' is missing: of a graph: the other end"},
    {"2", "topology: graph, links: [{a: gpu0, b: 's w', bandwidth: 1 GB/s}]",
     "3:55: cluster.network.links[0]: \"s w\" can't be a name: it is empty, or has a blank,"},
    {"2", "topology: switch, bandwidth: 1 GB/s, links: [{a: gpu0, b: gpu1, bandwidth: 1 GB/s}]",
     "3:75: cluster.network.links[0]: a switch makes its own links; 'a' and 'b' are for graph"},
    {"2", "topology: switch, bandwidth: 1 GB/s, links: [{link: gpu0->gpu1, bandwidth: 1 GB/s}]",
     "3:82: cluster.network.links[0].link: there is no link 'gpu0->gpu1'; those of gpu0 are"},
    {"2", "topology: switch, bandwidth: 1 GB/s, links: [{link: gpu0, bandwidth: 1 GB/s}]",
     "3:82: cluster.network.links[0].link: 'gpu0' is no link; write gpu0->switch for one"},
    {"2", "topology: switch, bandwidth: 1 GB/s, links: [{link: gpu0->switch, bandwidth: 0 B/s}]",
     "3:107: cluster.network.links[0].bandwidth: '0 B/s' is too small; expected a bandwidth"},
    {"2", "topology: switch, bandwidth: 1 GB/s, links: [{link: gpu0->switch, bandwidth: -1 GB/s}]",
     "3:107: cluster.network.links[0].bandwidth: '-1 GB/s' is negative; expected a bandwidth"},
    {"8", "topology: fat-tree, gpus_per_leaf: 4, bandwidth: 1 GB/s, links: [{link: leav0->gpu0, bandwidth: 1 GB/s}]",
     "3:102: cluster.network.links[0].link: there is no link 'leav0->gpu0': nothing is called"},
};

static const struct wrong wrong_keys[] = {
    {"8", "topology: fat-tree, bandwidth: 1 GB/s",
     "3:29: cluster.network: the key 'gpus_per_leaf' is missing: GPUs (or NICs) at each leaf"},
    {"8", "topology: fat-tree, gpus_per_leaf: 0, bandwidth: 1 GB/s",
     "3:65: cluster.network.gpus_per_leaf: '0' is too small; expected a whole number from 1"},
    {"8", "topology: fat-tree, gpus_per_leaf: [4], bandwidth: 1 GB/s",
     "3:65: cluster.network.gpus_per_leaf: is a list; expected a whole number"},
    {"8", "topology: fat-tree, gpus_per_leaf: 4, oversubscription: 0, bandwidth: 1 GB/s",
     "3:86: cluster.network.oversubscription: '0' is too small; expected a number from 0.01"},
    {"8", "topology: fat-tree, gpus_per_leaf: 4, oversubscription: [1, 2, 3], bandwidth: 1 GB/s",
     "3:86: cluster.network.oversubscription: 3 numbers for 2 levels; expected one, or one"},
    {"8", "topology: torus, dims: [2, 3], bandwidth: 1 GB/s",
     "3:53: cluster.network.dims: 2 x 3 is 6, and there are 8 to join"},
    {"8", "topology: torus, dims: 8, bandwidth: 1 GB/s",
     "3:53: cluster.network.dims: is a single value; expected a list of whole numbers, [2, 8]"},
    {"8", "topology: torus, dims: [], bandwidth: 1 GB/s",
     "3:53: cluster.network.dims: has 0 entries; expected 1 to 64"},
    {"8", "topology: torus, dims: [2, x], bandwidth: 1 GB/s",
     "3:57: cluster.network.dims[1]: 'x' is not a whole number; expected a whole number from"},
    {"8", "topology: torus, dim: [2, 4], bandwidth: 1 GB/s",
     "3:47: cluster.network: unknown key 'dim'; did you mean 'dims'?"},
    {"8", "topology: switch, dims: [2, 4], bandwidth: 1 GB/s",
     "3:48: cluster.network: 'dims' is a key of torus, and the topology is switch; in a sweep"},
    {"8", "topology: switch, oversubscription: 4, bandwidth: 1 GB/s",
     "3:48: cluster.network: 'oversubscription' is a key of fat-tree, rail, and the topology"},
    {"8", "topology: torus, torus: {dims: [2, 4]}, dims: [2, 4], bandwidth: 1 GB/s",
     "3:76: cluster.network.dims: 'dims' is given twice, outside of the block torus too"},
    {"8", "topology: torus, torus: {gpus_per_leaf: 4}, bandwidth: 1 GB/s",
     "3:55: cluster.network.torus: torus has no key 'gpus_per_leaf'; possible: dims"},
    {"8", "topology: torus, torus: 4, bandwidth: 1 GB/s",
     "3:54: cluster.network.torus: is a single value; expected keys of that topology"},
    {"8", "topology: mesh, duplex: hlaf, bandwidth: 1 GB/s",
     "3:54: cluster.network.duplex: unknown value 'hlaf'; did you mean 'half'?"},
    {"8", "topology: mesh, switching: store, bandwidth: 1 GB/s",
     "3:57: cluster.network.switching: unknown value 'store'; possible: cut-through,"},
};

static const struct wrong wrong_places[] = {
    {"4", "topology: switch, bandwidth: 1 GB/s, placement: [0, 1, 2]",
     "3:78: cluster.network.placement: has 3 places, but the cluster has 4 GPUs"},
    {"4", "topology: switch, bandwidth: 1 GB/s, placement: [0, 1, 2, 2]",
     "3:88: cluster.network.placement[3]: place 2 is taken; there is one for each of 0 to 3"},
    {"4", "topology: switch, bandwidth: 1 GB/s, placement: [0, 1, 2, 4]",
     "3:88: cluster.network.placement[3]: there is no place 4; they are 0 to 3"},
    {"4", "topology: switch, bandwidth: 1 GB/s, placement: scattered",
     "3:78: cluster.network.placement: unknown value 'scattered'; possible: contiguous,"},
    {"4", "topology: switch, bandwidth: 1 GB/s, placement: round-robin",
     "3:78: cluster.network.placement: nodes are not known; give cluster.gpus_per_node"},
    {"4", "topology: switch, bandwidth: 1 GB/s, placement: {radnom: 1}",
     "3:79: cluster.network.placement: unknown key 'radnom'; did you mean 'random'?"},
    {"8", "topology: fat-tree, gpus_per_leaf: 4, bandwidth: 1 GB/s, routes: [{from: gpu0, to: gpu7, via: [leaf0, spin1, leaf1]}]",
     "3:96: cluster.network.routes[0]: there is no node \"spin1\"; did you mean 'spine1'?"},
    {"8", "topology: fat-tree, gpus_per_leaf: 4, bandwidth: 1 GB/s, routes: [{from: gpu0, to: gpu7, via: [leaf1, spine1, leaf0]}]",
     "3:96: cluster.network.routes[0]: there is no link gpu0->leaf1"},
    {"8", "topology: fat-tree, gpus_per_leaf: 4, bandwidth: 1 GB/s, routes: [{from: leaf0, to: gpu7, via: [spine1, leaf1]}]",
     "3:96: cluster.network.routes[0]: a route begins and ends at a GPU"},
    {"8", "topology: fat-tree, gpus_per_leaf: 4, bandwidth: 1 GB/s, routes: [{from: gpu0, to: gpu7}]",
     "3:96: cluster.network.routes[0]: the key 'via' is missing: all that is between, in"},
};

static const struct wrong wrong_events[] = {
    {"8", "topology: switch, bandwidth: 1 GB/s, events: [{at: 1 ms, link: gpu9--switch, down: true}]",
     "3:93: cluster.network.events[0].link: there is no link 'gpu9--switch': nothing is"},
    {"8", "topology: switch, bandwidth: 1 GB/s, events: [{at: 1 ms, link: gpu1--switch}]",
     "3:76: cluster.network.events[0]: give one of 'bandwidth', 'down' and 'up'"},
    {"8", "topology: switch, bandwidth: 1 GB/s, events: [{at: 1 ms, down: true}]",
     "3:76: cluster.network.events[0]: give one of 'link', 'nic', 'switch' and 'node'"},
    {"8", "topology: switch, bandwidth: 1 GB/s, events: [{at: 1 ms, node: 1, down: true}]",
     "3:93: cluster.network.events[0].node: nodes are not known; give cluster.gpus_per_node"},
    {"8", "topology: switch, bandwidth: 1 GB/s, events: [{at: 1 ms, nic: node0.nic1, down: true}]",
     "3:92: cluster.network.events[0].nic: there is no nic 'node0.nic1'; possible: gpu0,"},
    {"8", "topology: switch, bandwidth: 1 GB/s, events: [{at: -1 ms, link: gpu1--switch, down: true}]",
     "3:81: cluster.network.events[0].at: '-1 ms' is negative; expected a time of 0 or more"},
    {"8", "topology: switch, bandwidth: 1 GB/s, events: [{at: 1 ms, link: gpu1--switch, bandwidth: 0 B/s}]",
     "3:118: cluster.network.events[0].bandwidth: '0 B/s' is too small; expected a bandwidth"},
    {"8", "topology: switch, model: alpha-beta, bandwidth: 1 GB/s, events: [{at: 1 ms, link: gpu1--switch, down: true}]",
     "3:94: cluster.network.events: events need the model fluid; leave 'model' out"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, events: [{at: 1 ms, node: 2, down: true}]",
     "3:111: cluster.network.events[0].node: there is no node 2; they are 0 to 1"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, events: [{at: 1 ms, node: 1, bandwidth: 1 GB/s}]",
     "3:111: cluster.network.events[0].node: the links of a node have different bandwidths;"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {nics: 2, nic_bandwidth: 1 GB/s}, events: [{at: 1 ms, nic: node1.nik1, down: true}]",
     "3:150: cluster.network.events[0].nic: there is no nic 'node1.nik1'; did you mean 'node1.nic1'?"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {nics: 2, nic_bandwidth: 1 GB/s}, events: [{at: 1 ms, switch: gpu1, down: true}]",
     "3:153: cluster.network.events[0].switch: 'gpu1' is a GPU, no switch; name its links"},
};

static const struct wrong wrong_nodes[] = {
    {"8", "topology: switch, bandwidth: 1 GB/s, node: {topology: switch, bandwidth: 1 GB/s}",
     "3:73: cluster.network.node: how many GPUs a node has is not said; give"},
    {"8, gpus_per_node: 3", "topology: switch, bandwidth: 1 GB/s, node: {topology: switch, bandwidth: 1 GB/s}",
     "3:35: cluster.gpus_per_node: 8 GPUs are not a whole number of nodes of 3"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {topology: swich, bandwidth: 1 GB/s}",
     "3:102: cluster.network.node.topology: unknown value 'swich'; did you mean 'switch'?"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {topology: torus, dims: [3, 1], bandwidth: 1 GB/s}",
     "3:115: cluster.network.node.dims: 3 x 1 is 3, and there are 4 to join"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {topology: switch}",
     "3:91: cluster.network.node: the key 'bandwidth' is missing: of a link inside the node"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {nics: 2}",
     "3:91: cluster.network.node: the key 'nic_bandwidth' is missing: between a GPU and its"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {topology: switch, bandwidth: 1 GB/s, nic_bandwidth: 1 GB/s}",
     "3:144: cluster.network.node.nic_bandwidth: the node has no NICs; give nics, or leave it"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {nics: 2, nic_bandwidth: 1 GB/s, nic_of: [0, 0, 1]}",
     "3:132: cluster.network.node.nic_of: has 3 entries, but the node has 4 GPUs"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {nics: 2, nic_bandwidth: 1 GB/s, nic_of: [0, 0, 1, 2]}",
     "3:142: cluster.network.node.nic_of[3]: there is no NIC 2: the node has 2"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {nics: 2, nic_bandwidth: 1 GB/s, by_rail: true}",
     "3:91: cluster.network.node: ways by rail need NICs, and a network inside the node"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, node: {}",
     "3:91: cluster.network.node: says nothing; give topology or nics"},
    {"8", "topology: switch, bandwidth: 1 GB/s, nodes: [{count: 1, gpus: 4, topology: switch, bandwidth: 1 GB/s}]",
     "3:74: cluster.network.nodes: the nodes have 4 GPUs in all, but cluster.gpus"},
    {"8", "topology: switch, bandwidth: 1 GB/s, nodes: []",
     "3:74: cluster.network.nodes: the list is empty; expected a list of nodes"},
    {"8, gpus_per_node: 4", "topology: switch, bandwidth: 1 GB/s, nodes: [{count: 2, gpus: 4, topology: switch, bandwidth: 1 GB/s}]",
     "3:92: cluster.network.nodes: says how many GPUs each node has; leave out"},
    {"8, gpus_per_node: 4", "topology: rail, rails: 3, bandwidth: 1 GB/s, node: {topology: switch, bandwidth: 1 GB/s, nics: 4, nic_bandwidth: 1 GB/s}",
     "3:99: cluster.network.node: 4 ports of a node are not a whole number for each of 3 rails"},
    {"8, gpus_per_node: 4", "topology: rail, rails: 4, spines: 0, bandwidth: 1 GB/s, node: {topology: switch, bandwidth: 1 GB/s, nics: 4, nic_bandwidth: 1 GB/s}",
     "3:110: cluster.network.node: rails without a spine reach each other inside nodes only:"},
};

/* clang-format on */

static lag_scenario *read_network(const char *gpus, const char *network, GError **error)
{
    g_autofree char *text = g_strdup_printf("laggard: 1\nname: t\n"
                                            "cluster: {gpus: %s, network: {%s}}\n"
                                            "workload: {size: 1 MiB}\nalgorithms: [ring]\n",
                                            gpus, network);
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "x.yaml", ".", NULL, error);

    return document != NULL ? lag_document_point(document, 0, error) : NULL;
}

static void assert_wrong(const struct wrong *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *expected = g_strconcat("x.yaml:", rows[i].message, NULL);
        g_autoptr(lag_scenario) scenario = read_network(rows[i].gpus, rows[i].network, &error);
        g_test_message("%s", rows[i].message);
        g_assert_null(scenario);
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        g_assert_null(strchr(error->message, '\n'));
        if (!g_str_has_prefix(error->message, expected))
            g_assert_cmpstr(error->message, ==, expected);
    }
}

static void test_wrong(void)
{
    assert_wrong(wrong_graphs, G_N_ELEMENTS(wrong_graphs));
    assert_wrong(wrong_keys, G_N_ELEMENTS(wrong_keys));
    assert_wrong(wrong_places, G_N_ELEMENTS(wrong_places));
    assert_wrong(wrong_events, G_N_ELEMENTS(wrong_events));
    assert_wrong(wrong_nodes, G_N_ELEMENTS(wrong_nodes));
}

static lag_scenario *right(const char *gpus, const char *network)
{
    g_autoptr(GError) error = NULL;
    lag_scenario *scenario = read_network(gpus, network, &error);

    g_assert_no_error(error);
    return scenario;
}

/* The names along the way from one GPU to another. */
static char *way(const lag_scenario *scenario, uint32_t src, uint32_t dst)
{
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    GString *text = g_string_new(NULL);

    lag_topology_route(scenario->topology, src, dst, links);
    for (guint i = 0; i < links->len; i++) {
        g_autofree char *name =
            lag_topology_link_name(scenario->topology, g_array_index(links, uint32_t, i));
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", name);
    }
    return g_string_free(text, FALSE);
}

static void assert_way(const lag_scenario *scenario, uint32_t src, uint32_t dst,
                       const char *expected)
{
    g_autofree char *found = way(scenario, src, dst);

    g_assert_cmpstr(found, ==, expected);
}

/* Round-robin on nodes of 2, 1 and 3 GPUs: places 0 1 | 2 | 3 4 5; turns give ranks 0 1 2, then 3
 * to the first and 4 to the third, then 5. */
static void test_placement(void)
{
    static const uint32_t nodes[] = {0, 1, 2, 0, 2, 2};
    g_autoptr(lag_scenario) dealt =
        right("6", "topology: switch, bandwidth: 1 GB/s, placement: round-robin, nodes: ["
                   "{count: 1, gpus: 2, topology: switch, bandwidth: 9 GB/s},"
                   "{count: 1, gpus: 1, topology: switch, bandwidth: 9 GB/s},"
                   "{count: 1, gpus: 3, topology: switch, bandwidth: 9 GB/s}]");
    g_autoptr(lag_scenario) listed =
        right("4, gpus_per_node: 2", "topology: fat-tree, gpus_per_leaf: 2, bandwidth: 1 GB/s, "
                                     "placement: [3, 0, 1, 2]");
    g_autoptr(lag_scenario) a =
        right("64", "topology: switch, bandwidth: 1 GB/s, placement: {random: 1}");

    g_assert_cmpuint(dealt->n_nodes, ==, 3);
    g_assert_cmpuint(dealt->gpus_per_node, ==, 0);
    for (uint32_t rank = 0; rank < 6; rank++)
        g_assert_cmpuint(lag_scenario_node(dealt, rank), ==, nodes[rank]);
    assert_way(dealt, 0, 3, "gpu0->node0.switch node0.switch->gpu3");
    assert_way(listed, 1, 2, "gpu1->leaf0 leaf0->gpu2");
    assert_way(listed, 0, 3, "gpu0->leaf1 leaf1->gpu3");
    g_assert_cmpuint(lag_scenario_node(listed, 0), ==, 1);
    g_assert_cmpuint(a->n_nodes, ==, 0);
}

/* Prescribed one way, chosen the other. */
static void test_routes(void)
{
    g_autoptr(lag_scenario) scenario =
        right("8", "topology: fat-tree, gpus_per_leaf: 4, bandwidth: 1 GB/s, "
                   "routes: [{from: gpu0, to: gpu7, via: [leaf0, spine2, leaf1]}]");

    assert_way(scenario, 0, 7, "gpu0->leaf0 leaf0->spine2 spine2->leaf1 leaf1->gpu7");
}

/* A link of 4 GB/s with both directions: events come by time, a recovery has the rate that
 * `links:` gave, and a node's links are those of its GPUs, both ways. */
static void test_events(void)
{
    g_autoptr(lag_scenario) scenario = right(
        "4, gpus_per_node: 2",
        "topology: switch, bandwidth: 1 GB/s, links: [{link: gpu3--switch, bandwidth: 4 GB/s}], "
        "events: [{at: 3 ms, link: gpu3--switch, up: true}, {at: 1 ms, node: 1, down: true}, "
        "{at: 2 ms, link: gpu3->switch, bandwidth: 2 GB/s}]");
    const struct lag_network *network = &scenario->network;

    g_assert_cmpuint(network->n_events, ==, 7);
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpfloat(network->events[i].at, ==, 1e-3);
        g_assert_cmpfloat(network->events[i].rate, ==, 0);
    }
    g_assert_cmpfloat(network->events[4].at, ==, 2e-3);
    g_assert_cmpuint(network->events[4].link, ==, lag_topology_egress(scenario->topology, 3));
    g_assert_cmpfloat(network->events[4].rate, ==, 2e9);
    g_assert_cmpfloat(network->events[6].rate, ==, 4e9);
}

/* Half duplex: both directions draw on one capacity. */
static void test_half_duplex(void)
{
    g_autoptr(lag_scenario) scenario =
        right("2", "topology: ring, bandwidth: 1 GB/s, duplex: half, "
                   "events: [{at: 1 ms, link: gpu0->gpu1, bandwidth: 1 MB/s}]");

    g_assert_cmpuint(scenario->topology->links[0].pool, ==, scenario->topology->links[1].pool);
    g_assert_cmpuint(scenario->network.n_events, ==, 1);
}

/* A block belongs to its kind, and waits while another one is the topology. */
static void test_blocks(void)
{
    const char *rest = "bandwidth: 1 GB/s, torus: {dims: [2, 4]}, "
                       "fat-tree: {gpus_per_leaf: 4, oversubscription: 4}";

    for (uint32_t i = 0; i < 3; i++) {
        static const char *const kinds[] = {"torus", "fat-tree", "switch"};
        static const uint32_t links[] = {24, 20, 16}; /* 12 cables, 8 + 2 x 1, 8 */
        g_autofree char *text = g_strdup_printf("topology: %s, %s", kinds[i], rest);
        g_autoptr(lag_scenario) scenario = right("8", text);
        g_assert_cmpuint(scenario->topology->n_links, ==, links[i]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network-kind/wrong", test_wrong);
    g_test_add_func("/network-kind/placement", test_placement);
    g_test_add_func("/network-kind/routes", test_routes);
    g_test_add_func("/network-kind/events", test_events);
    g_test_add_func("/network-kind/half-duplex", test_half_duplex);
    g_test_add_func("/network-kind/blocks", test_blocks);
    return g_test_run();
}
