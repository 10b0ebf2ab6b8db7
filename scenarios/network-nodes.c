/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `node:` and `nodes:` what is inside the nodes of a cluster, and how it reaches the network between
 * them. */
#include <inttypes.h>

#include "scenarios/network-form.h"

#define MOST_NICS 1024 /* of a node */

/* One shape in the making. */
struct node_draft {
    uint64_t count, gpus, nics;
    struct lag_part_draft part;
    double nic_bandwidth, nic_latency; /* below 0: not given */
    int by_rail;
};

static const struct lag_form count_form = {
    .shape = LAG_INTEGER, .what = "a number of nodes", .least = 1, .most = LAG_MOST_RANKS};
static const struct lag_form gpus_form = {
    .shape = LAG_INTEGER, .what = "a number of GPUs", .least = 1, .most = LAG_MOST_RANKS};
static const struct lag_form nics_form = {
    .shape = LAG_INTEGER, .what = "a number of NICs", .least = 1, .most = MOST_NICS};
static const struct lag_form nic_form = {
    .shape = LAG_INTEGER, .what = "a NIC of the node", .most = MOST_NICS - 1};
static const struct lag_form nic_of_form = {
    .shape = LAG_LIST_OF, .what = "a NIC for each GPU, [0, 0, 1, 1]", .item = &nic_form};
static const struct lag_form switch_form = {
    .shape = LAG_CHOICE, .what = "true or false", .choices = "false|true"};

/* What is said of a node's inside, in both tables. */
#define INSIDE                                                                                     \
    {.name = "topology",                                                                           \
     .form = &lag_form_topology,                                                                   \
     .offset = offsetof(struct node_draft, part.topology),                                         \
     .help = "what connects the GPUs of a node; without it they reach each other from outside"},   \
        {.name = "bandwidth",                                                                      \
         .form = &lag_form_rate,                                                                   \
         .offset = offsetof(struct node_draft, part.bandwidth),                                    \
         .help = "of a link inside the node, per direction"},                                      \
        {.name = "latency",                                                                        \
         .form = &lag_form_duration,                                                               \
         .offset = offsetof(struct node_draft, part.latency),                                      \
         .help = "between neighbours inside the node; 0 s where it is left out"},                  \
        {.name = "duplex",                                                                         \
         .form = &lag_form_duplex,                                                                 \
         .default_text = "full",                                                                   \
         .offset = offsetof(struct node_draft, part.duplex),                                       \
         .help = "half: both directions of a link inside the node share its bandwidth"},           \
        {.name = "links",                                                                          \
         .form = &lag_form_links,                                                                  \
         .read = lag_read_later,                                                                   \
         .help = "of a graph inside the node; gpu0 is the node's first"},                          \
        {.name = "nics",                                                                           \
         .form = &nics_form,                                                                       \
         .offset = offsetof(struct node_draft, nics),                                              \
         .help = "NICs of a node; without them each GPU is linked with the network outside"},      \
        {.name = "nic_bandwidth",                                                                  \
         .form = &lag_form_rate,                                                                   \
         .offset = offsetof(struct node_draft, nic_bandwidth),                                     \
         .help = "between a GPU and its NIC (PCIe), per direction; needed with nics"},             \
        {.name = "nic_latency",                                                                    \
         .form = &lag_form_duration,                                                               \
         .offset = offsetof(struct node_draft, nic_latency),                                       \
         .help = "between a GPU and its NIC; 0 s where it is left out"},                           \
        {.name = "nic_of",                                                                         \
         .form = &nic_of_form,                                                                     \
         .read = lag_read_later,                                                                   \
         .help = "the NIC of each GPU of the node; in equal shares where it is left out"},         \
    {                                                                                              \
        .name = "by_rail", .form = &switch_form, .default_text = "false",                          \
        .offset = offsetof(struct node_draft, by_rail),                                            \
        .help = "true: data leave through the NIC that is numbered like the receiver's (PXN)"      \
    }

static const struct lag_key node_keys[] = {INSIDE, {.name = NULL}};
static const struct lag_key nodes_keys[] = {
    {.name = "count",
     .form = &count_form,
     .required = true,
     .offset = offsetof(struct node_draft, count),
     .help = "how many nodes are like this"},
    {.name = "gpus",
     .form = &gpus_form,
     .required = true,
     .offset = offsetof(struct node_draft, gpus),
     .help = "GPUs of each of them"},
    INSIDE,
    {.name = NULL         },
};
const struct lag_form lag_form_node = {.shape = LAG_MAPPING_OF,
                                       .what = "a mapping, {topology: switch, bandwidth: 450 GB/s}",
                                       .keys = node_keys,
                                       .more = lag_kind_keys};
static const struct lag_form nodes_item = {.shape = LAG_MAPPING_OF,
                                           .what = "nodes, {count: 2, gpus: 8, topology: switch}",
                                           .keys = nodes_keys,
                                           .more = lag_kind_keys};
const struct lag_form lag_form_nodes = {
    .shape = LAG_LIST_OF, .what = "a list of nodes", .item = &nodes_item};

static bool read_nic_of(const struct lag_at *at, struct lag_node_shape *shape, GPtrArray *keep,
                        GError **error)
{
    struct lag_at list = {at, "nic_of", 0, lag_node_get(at->node, "nic_of")};
    uint32_t *nic_of;
    uint64_t nic;

    if (list.node == NULL)
        return true;
    if (!lag_expect(&list, LAG_SEQUENCE, nic_of_form.what, error))
        return false;
    if (list.node->n_entries != shape->gpus)
        return lag_refuse(&list, error, "has %u entries, but the node has %u GPUs",
                          list.node->n_entries, shape->gpus);
    nic_of = g_new(uint32_t, shape->gpus);
    g_ptr_array_add(keep, nic_of);
    for (uint32_t i = 0; i < shape->gpus; i++) {
        struct lag_at entry = lag_at_entry(&list, i);
        if (!lag_read_form(&entry, &nic_form, &nic, error))
            return false;
        if (nic >= shape->nics)
            return lag_refuse(&entry, error, "there is no NIC %" PRIu64 ": the node has %u", nic,
                              shape->nics);
        nic_of[i] = (uint32_t)nic;
    }
    shape->nic_of = nic_of;
    return true;
}

/* Refuses keys that have no effect, and asks for those that are needed. */
static bool check_shape(const struct lag_at *at, const struct node_draft *draft, GError **error)
{
    static const char *const of_nics[] = {"nic_bandwidth", "nic_latency", "nic_of", "by_rail"};

    for (size_t i = 0; draft->nics == 0 && i < G_N_ELEMENTS(of_nics); i++) {
        struct lag_at key = {at, of_nics[i], 0, lag_node_get(at->node, of_nics[i])};
        if (key.node != NULL)
            return lag_refuse(&key, error, "the node has no NICs; give nics, or leave it out");
    }
    if (draft->nics > 0 && draft->nic_bandwidth < 0)
        return lag_refuse(at, error,
                          "the key 'nic_bandwidth' is missing: between a GPU and its NIC");
    if (draft->part.topology != NULL && draft->part.bandwidth < 0 &&
        lag_node_get(at->node, "links") == NULL)
        return lag_refuse(at, error, "the key 'bandwidth' is missing: of a link inside the node");
    if (draft->part.topology == NULL && (draft->part.bandwidth >= 0 || draft->part.latency >= 0))
        return lag_refuse(at, error,
                          "the key 'topology' is missing: what connects the GPUs of a "
                          "node, for example switch");
    return draft->part.topology != NULL || draft->nics > 0 ||
           lag_refuse(at, error, "says nothing; give topology or nics");
}

static bool read_shape(const struct lag_at *at, const struct lag_form *form, GPtrArray *keep,
                       struct node_draft *draft, struct lag_node_shape *shape,
                       struct lag_part *part, GError **error)
{
    draft->part = (struct lag_part_draft){.bandwidth = -1, .latency = -1};
    draft->nic_bandwidth = draft->nic_latency = -1;
    if (!lag_read_form(at, form, draft, error) || !check_shape(at, draft, error) ||
        !lag_read_part(at, &draft->part, keep, part, error))
        return false;
    *shape = (struct lag_node_shape){
        .count = (uint32_t)draft->count,
        .gpus = (uint32_t)draft->gpus,
        .inner = part->part,
        .nics = (uint32_t)draft->nics,
        .by_rail = draft->by_rail == 1,
        .nic_rate = MAX(draft->nic_bandwidth, 0),
        .nic_latency = MAX(draft->nic_latency, 0),
    };
    return read_nic_of(at, shape, keep, error);
}

static void make_room(struct lag_nodes *nodes, uint32_t n, GPtrArray *keep)
{
    nodes->shapes = g_new0(struct lag_node_shape, n + 1);
    nodes->parts = g_new0(struct lag_part, n + 1);
    nodes->places = g_new0(struct lag_at, n + 1);
    g_ptr_array_add(keep, nodes->shapes);
    g_ptr_array_add(keep, nodes->parts);
    g_ptr_array_add(keep, nodes->places);
}

/* `node:` all nodes are alike; cluster.gpus_per_node says how large. */
static bool read_node(const struct lag_at *network, const struct lag_draft *draft, GPtrArray *keep,
                      struct lag_nodes *ret, GError **error)
{
    struct node_draft node = {.gpus = draft->gpus_per_node};

    ret->places[0] = (struct lag_at){network, "node", 0, lag_node_get(network->node, "node")};
    if (draft->gpus_per_node == 0)
        return lag_refuse(&ret->places[0], error,
                          "how many GPUs a node has is not said; give cluster.gpus_per_node");
    node.count = draft->scenario->n_gpus / draft->gpus_per_node;
    ret->n_shapes = 1;
    return read_shape(&ret->places[0], &lag_form_node, keep, &node, &ret->shapes[0], &ret->parts[0],
                      error);
}

/* `nodes:` shapes and how many nodes of each; together they have all GPUs. */
static bool read_list(const struct lag_draft *draft, GPtrArray *keep, struct lag_nodes *ret,
                      GError **error)
{
    const struct lag_at *list = &ret->list;
    uint64_t n_gpus = 0;

    if (draft->gpus_per_node != 0)
        return lag_refuse(list, error,
                          "says how many GPUs each node has; leave out "
                          "cluster.gpus_per_node");
    for (uint32_t i = 0; i < list->node->n_entries; i++) {
        struct node_draft node = {0};
        ret->places[i] = lag_at_entry(list, i);
        if (!read_shape(&ret->places[i], &nodes_item, keep, &node, &ret->shapes[i], &ret->parts[i],
                        error))
            return false;
        n_gpus += node.count * node.gpus;
    }
    ret->n_shapes = list->node->n_entries;
    if (n_gpus == draft->scenario->n_gpus)
        return true;
    g_autofree char *where = lag_place_text(draft->gpus->place);
    return lag_refuse(list, error,
                      "the nodes have %" PRIu64 " GPUs in all, but cluster.gpus (%s) is %u", n_gpus,
                      where, draft->scenario->n_gpus);
}

bool lag_read_nodes(const struct lag_at *network, struct lag_draft *draft, GPtrArray *keep,
                    struct lag_nodes *ret, GError **error)
{
    const lag_node *node = lag_node_get(network->node, "node");

    *ret = (struct lag_nodes){
        .list = {network, "nodes", 0, lag_node_get(network->node, "nodes")}
    };
    if (node != NULL && ret->list.node != NULL)
        return lag_refuse(&ret->list, error, "'node' is given too; leave one of them out");
    if (node == NULL && ret->list.node == NULL)
        return true;
    if (node != NULL) {
        make_room(ret, 1, keep);
        return read_node(network, draft, keep, ret, error);
    }
    if (!lag_expect(&ret->list, LAG_SEQUENCE, lag_form_nodes.what, error))
        return false;
    if (ret->list.node->n_entries == 0)
        return lag_refuse(&ret->list, error, "the list is empty; expected %s", lag_form_nodes.what);
    make_room(ret, ret->list.node->n_entries, keep);
    return read_list(draft, keep, ret, error);
}
