/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `cluster.network:` what connects the GPUs. */
#include <string.h>

#include "scenarios/network-form.h"

static const struct lag_form model_form = {
    .shape = LAG_CHOICE, .what = "a network model", .choices = "fluid|alpha-beta"};
static const struct lag_form transfers_form = {
    .shape = LAG_CHOICE, .what = "a kind of transfer", .choices = "rendezvous|eager"};
static const struct lag_form switching_form = {
    .shape = LAG_CHOICE, .what = "a kind of switching", .choices = "cut-through|store-and-forward"};
static const struct lag_form ports_form = {
    .shape = LAG_CHOICE, .what = "a kind of port", .choices = "shared|serial"};
static const struct lag_form seed_form = {
    .shape = LAG_INTEGER, .what = "a seed", .most = UINT64_MAX};
static const struct lag_key routing_keys[] = {
    {.name = "ecmp_seed",
     .form = &seed_form,
     .default_text = "0",
     .offset = offsetof(struct lag_draft, network.ecmp_seed),
     .help = "of the hash that decides between equally short ways"},
    {.name = NULL},
};
static const struct lag_form routing_form = {
    .shape = LAG_MAPPING_OF, .what = "a mapping, {ecmp_seed: 1}", .keys = routing_keys};

static bool read_routing(const struct lag_at *at, void *into, GError **error)
{
    return lag_read_form(at, &routing_form, into, error);
}

static const struct lag_key network_keys[] = {
    {.name = "topology",
     .form = &lag_form_topology,
     .required = true,
     .offset = offsetof(struct lag_draft, network.topology),
     .help = "what connects the GPUs, or their nodes, for example: switch"},
    {.name = "model",
     .form = &model_form,
     .default_text = "fluid",
     .offset = offsetof(struct lag_draft, network.model),
     .help = "fluid: transfers that share a link share its rate; alpha-beta: each has all of it"},
    {.name = "bandwidth",
     .form = &lag_form_rate,
     .offset = offsetof(struct lag_draft, network.bandwidth),
     .help = "per direction and link, for example 450 GB/s; only a graph may leave it out"},
    {.name = "latency",
     .form = &lag_form_duration,
     .default_text = "0 s",
     .offset = offsetof(struct lag_draft, network.latency),
     .help = "between neighbours: one direct link, or two through one switch, for example 3 us"},
    {.name = "overhead",
     .form = &lag_form_duration,
     .default_text = "0 s",
     .offset = offsetof(struct lag_draft, network.overhead),
     .help = "occupies the sender's port before each transfer"},
    {.name = "transfers",
     .form = &transfers_form,
     .default_text = "rendezvous",
     .offset = offsetof(struct lag_draft, network.transfers),
     .help = "rendezvous: both ends must be ready; eager: only the sender"},
    {.name = "duplex",
     .form = &lag_form_duplex,
     .default_text = "full",
     .offset = offsetof(struct lag_draft, network.duplex),
     .help = "half: both directions of a link share its bandwidth"},
    {.name = "switching",
     .form = &switching_form,
     .default_text = "cut-through",
     .offset = offsetof(struct lag_draft, network.switching),
     .help = "store-and-forward: each link has all data before the next begins"},
    {.name = "ports",
     .form = &ports_form,
     .offset = offsetof(struct lag_draft, network.ports),
     .help = "of the messages of protocols, which no workload has yet; shared: a host "
             "receives all at once; serial: one after the other, first come, first served"},
    {.name = "node",
     .form = &lag_form_node,
     .read = lag_read_later,
     .help = "what is inside a node; the topology is then between the nodes"},
    {.name = "nodes",
     .form = &lag_form_nodes,
     .read = lag_read_later,
     .help = "instead of node: nodes of different shapes"},
    {.name = "placement",
     .form = &lag_form_placement,
     .read = lag_read_later,
     .help = "where the ranks' GPUs sit; contiguous where it is left out"},
    {.name = "routing",                                                                           .form = &routing_form, .read = read_routing, .help = "how ways are chosen"},
    {.name = "routes",
     .form = &lag_form_routes,
     .read = lag_read_later,
     .help = "ways that are prescribed"},
    {.name = "links",
     .form = &lag_form_links,
     .read = lag_read_later,
     .help = "the links of a graph, and overrides of single links"},
    {.name = "events",
     .form = &lag_form_events,
     .read = lag_read_later,
     .help = "links that degrade, die and recover while the job runs"},
    {.name = NULL                                  },
};
const struct lag_form lag_form_network = {.shape = LAG_MAPPING_OF,
                                          .what = "a mapping with topology and bandwidth",
                                          .keys = network_keys,
                                          .more = lag_kind_keys};

/* GPUs of each node, [scenario->n_nodes]; NULL where nodes are not known. */
static uint32_t *node_sizes(lag_scenario *scenario, const struct lag_nodes *nodes)
{
    uint32_t *sizes = NULL, n = 0;

    if (nodes->n_shapes == 0 && scenario->gpus_per_node > 0)
        scenario->n_nodes = scenario->n_gpus / scenario->gpus_per_node;
    for (uint32_t i = 0; i < nodes->n_shapes; i++)
        scenario->n_nodes += nodes->shapes[i].count;
    if (scenario->n_nodes > 0)
        sizes = g_new(uint32_t, scenario->n_nodes);
    for (uint32_t i = 0; i < nodes->n_shapes; i++)
        for (uint32_t j = 0; j < nodes->shapes[i].count; j++)
            sizes[n++] = nodes->shapes[i].gpus;
    while (n < scenario->n_nodes)
        sizes[n++] = scenario->gpus_per_node;
    return sizes;
}

/* In which node each rank sits, where dividing doesn't tell. */
static void note_nodes(lag_scenario *scenario, const uint32_t *sizes, const uint32_t *slot)
{
    g_autofree uint32_t *node_of = NULL;
    bool alike = true;
    uint32_t place = 0;

    for (uint32_t i = 0; i < scenario->n_nodes; i++)
        alike = alike && sizes[i] == sizes[0];
    if (scenario->n_nodes == 0)
        return;
    scenario->gpus_per_node = alike && slot == NULL ? sizes[0] : 0;
    if (scenario->gpus_per_node > 0)
        return;
    node_of = g_new(uint32_t, scenario->n_gpus); /* by place */
    for (uint32_t i = 0; i < scenario->n_nodes; i++)
        for (uint32_t j = 0; j < sizes[i]; j++)
            node_of[place++] = i;
    scenario->node_of = g_new(uint32_t, scenario->n_gpus);
    for (uint32_t rank = 0; rank < scenario->n_gpus; rank++)
        scenario->node_of[rank] = node_of[slot != NULL ? slot[rank] : rank];
}

/* Servers sit behind all GPUs, each in a node of its own where there are nodes. */
static void add_servers(const lag_scenario *scenario, struct lag_topology_request *request,
                        GPtrArray *keep)
{
    uint32_t n = request->n_shapes;

    if (scenario->n_servers == 0)
        return;
    if (n > 0) {
        struct lag_node_shape *shapes = g_new0(struct lag_node_shape, n + 1);
        memcpy(shapes, request->shapes, n * sizeof *shapes);
        shapes[n] = (struct lag_node_shape){.count = scenario->n_servers, .gpus = 1};
        g_ptr_array_add(keep, shapes);
        request->shapes = shapes;
        request->n_shapes++;
    }
    if (request->slot != NULL) {
        uint32_t *slot = g_new(uint32_t, request->n_ranks);
        for (uint32_t rank = 0; rank < request->n_ranks; rank++)
            slot[rank] = rank < scenario->n_gpus ? request->slot[rank] : rank;
        g_ptr_array_add(keep, slot);
        request->slot = slot;
    }
}

/* A wrong route, by the names that the topology has without any. */
static bool refuse_route(const struct lag_at *at, struct lag_topology_request request,
                         uint32_t route, const GError *cause, GError **error)
{
    const struct lag_static_route *wrong = &request.routes[route];
    struct lag_topology_fault fault;

    request.n_routes = 0;
    g_autoptr(lag_topology) topology = lag_topology_compose(&request, &fault, NULL);
    for (uint32_t i = 0; topology != NULL && i < wrong->n_nodes; i++) {
        uint32_t node;
        if (lag_topology_find_node(topology, wrong->nodes[i], &node))
            continue;
        g_autofree char *hint = lag_hint_node(topology, wrong->nodes[i]);
        return lag_refuse(at, error, "%s%s", cause->message, hint);
    }
    return lag_refuse(at, error, "%s", cause->message);
}

/* Says a fault of the request at the place of what is wrong. */
static bool refuse(const struct lag_part *outer, const struct lag_nodes *nodes,
                   const struct lag_topology_request *request,
                   const struct lag_topology_fault *fault, const GError *cause, GError **error)
{
    const struct lag_at *at = &outer->at;
    struct lag_at routes = {at, "routes", 0, lag_node_get(at->node, "routes")};
    struct lag_at placement = {at, "placement", 0, lag_node_get(at->node, "placement")};
    struct lag_at topology = {at, "topology", 0, lag_node_get(at->node, "topology")}, place;

    switch (fault->what) {
    case LAG_FAULT_PARAMETER:
    case LAG_FAULT_LINK:
        return lag_refuse_part(fault->inner ? &nodes->parts[fault->shape] : outer, fault, cause,
                               error);
    case LAG_FAULT_SHAPE:
        return lag_refuse(&nodes->places[fault->index], error, "%s", cause->message);
    case LAG_FAULT_ROUTE:
        place = lag_at_entry(&routes, fault->index);
        return refuse_route(&place, *request, fault->index, cause, error);
    case LAG_FAULT_SLOT:
        return lag_refuse(&placement, error, "%s", cause->message);
    case LAG_FAULT_WHOLE:
        break;
    }
    return lag_refuse(&topology, error, "%s", cause->message);
}

static bool compose(const struct lag_at *at, struct lag_draft *draft, GPtrArray *keep,
                    GError **error)
{
    const struct lag_network_draft *network = &draft->network;
    const struct lag_part_draft part = {network->topology, network->bandwidth, network->latency,
                                        network->duplex};
    lag_scenario *scenario = draft->scenario;
    struct lag_topology_request request = {.n_ranks = scenario->n_gpus + scenario->n_servers,
                                           .n_servers = scenario->n_servers,
                                           .seed = network->ecmp_seed};
    struct lag_topology_fault fault = {0};
    g_autoptr(GError) cause = NULL;
    struct lag_nodes nodes;
    struct lag_part outer;
    uint32_t *slot;

    if (!lag_read_part(at, &part, keep, &outer, error) ||
        !lag_read_nodes(at, draft, keep, &nodes, error) ||
        !lag_read_routes(at, keep, &request, error))
        return false;
    g_autofree uint32_t *sizes = node_sizes(scenario, &nodes);
    if (!lag_read_placement(at, scenario, sizes, &slot, error))
        return false;
    g_ptr_array_add(keep, slot);
    note_nodes(scenario, sizes, slot);
    request.outer = outer.part;
    request.shapes = nodes.shapes;
    request.n_shapes = nodes.n_shapes;
    request.slot = slot;
    add_servers(scenario, &request, keep);
    scenario->topology = lag_topology_compose(&request, &fault, &cause);
    return scenario->topology != NULL || refuse(&outer, &nodes, &request, &fault, cause, error);
}

static bool refuse_missing(const struct lag_at *at, const char *name, GError **error)
{
    const struct lag_key *key = network_keys;

    while (strcmp(key->name, name) != 0)
        key++;
    return lag_refuse(at, error, "the key '%s' is missing: %s", key->name, key->help);
}

/* A graph's links may each have their own. */
static bool check_bandwidth(const struct lag_at *at, const struct lag_draft *draft, GError **error)
{
    return draft->network.bandwidth > 0 || strcmp(draft->network.topology, "graph") == 0 ||
           refuse_missing(at, "bandwidth", error);
}

/* The network may be left out, but for its ports, where the workload gives all times. */
static bool is_left_out(const struct lag_at *at, const struct lag_draft *draft)
{
    if (!draft->outlook.gives_times || at->node == NULL)
        return draft->outlook.gives_times;
    return at->node->n_entries == (lag_node_get(at->node, "ports") != NULL ? 1 : 0);
}

/* Whose messages wait for which ports. */
static bool choose_ports(const struct lag_at *at, struct lag_draft *draft, GError **error)
{
    struct lag_at ports = {at, "ports", 0,
                           at->node != NULL ? lag_node_get(at->node, "ports") : NULL};
    bool serial = draft->outlook.workload == LAGGARD_GRADIENT;

    if (ports.node != NULL)
        serial = draft->network.ports == 1;
    if (serial && draft->outlook.workload == LAGGARD_COMMUNICATION)
        return lag_refuse(&ports, error,
                          "a collective's plan says who sends when; serial ports are for "
                          "workload.training and workload.gradient");
    draft->scenario->serial_ports = serial;
    return true;
}

bool lag_network_connect(const struct lag_at *cluster, struct lag_draft *draft, GError **error)
{
    struct lag_at at = {cluster, "network", 0, lag_node_get(cluster->node, "network")};
    g_autoptr(GPtrArray) keep = g_ptr_array_new_with_free_func(g_free);
    lag_scenario *scenario = draft->scenario;

    if (at.node == NULL && !draft->outlook.gives_times)
        return lag_refuse(cluster, error, "the key 'network' is missing: what connects the GPUs");
    if (!choose_ports(&at, draft, error))
        return false;
    if (is_left_out(&at, draft))
        return true;
    if (draft->outlook.gives_times && draft->outlook.workload == LAGGARD_GRADIENT)
        return lag_refuse(&at, error,
                          "workload.gradient.message_time stands for the network; leave "
                          "one of them out");
    if (draft->network.topology == NULL)
        return refuse_missing(&at, "topology", error);
    scenario->n_servers = draft->outlook.n_servers;
    if (!check_bandwidth(&at, draft, error) || !compose(&at, draft, keep, error) ||
        !lag_network_override(&at, scenario->topology, error))
        return false;
    scenario->network = (struct lag_network){
        .topology = scenario->topology,
        .overhead = draft->network.overhead,
        .eager = draft->network.transfers == 1,
        .fluid = draft->network.model == 0,
        .store_and_forward = draft->network.switching == 1,
    };
    return lag_read_events(&at, scenario, error);
}
