/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `cluster:` who takes part, and what connects them. */
#include <inttypes.h>

#include "scenarios/draft.h"

static bool read_gpus(const struct lag_at *at, void *into, GError **error);

struct class
{
    uint64_t count;
    double speed;
};

static const struct lag_form count_form = {
    .shape = LAG_INTEGER, .what = "a number of GPUs", .least = 1, .most = LAG_MOST_RANKS};
static const struct lag_key class_keys[] = {
    {.name = "count",
     .form = &count_form,
     .required = true,
     .offset = offsetof(struct class, count),
     .help = "how many GPUs are of this class"},
    {.name = "speed",
     .form = &lag_form_factor,
     .default_text = "1",
     .offset = offsetof(struct class, speed),
     .help = "how fast they compute; workload.compute is for speed 1"},
    {.name = NULL         },
};
static const struct lag_form class_form = {
    .shape = LAG_MAPPING_OF, .what = "a class, {count: 4, speed: 0.5}", .keys = class_keys};
static const struct lag_form classes_form = {
    .shape = LAG_LIST_OF, .what = "a list of classes", .item = &class_form};
static const struct lag_form *const gpus_alternatives[] = {&count_form, &classes_form, NULL};
static const struct lag_form gpus_form = {.shape = LAG_ONE_OF,
                                          .what = "a number of GPUs, or a list of classes",
                                          .alternatives = gpus_alternatives};

struct override {
    const char *link;
    double bandwidth, latency; /* below 0: not given */
};

static const struct lag_key override_keys[] = {
    {.name = "link",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct override, link),
     .help = "gpu3->switch for one direction, gpu3--switch for both"},
    {.name = "bandwidth",
     .form = &lag_form_rate,
     .offset = offsetof(struct override, bandwidth),
     .help = "of this link, per direction"},
    {.name = "latency",
     .form = &lag_form_duration,
     .offset = offsetof(struct override, latency),
     .help = "of this link alone; a way through the switch has two links"},
    {.name = NULL               },
};
static const struct lag_form override_form = {
    .shape = LAG_MAPPING_OF,
    .what = "a link, {link: gpu3->switch, bandwidth: 25 GB/s}",
    .keys = override_keys};
static const struct lag_form links_form = {
    .shape = LAG_LIST_OF, .what = "a list of links", .item = &override_form};

static const struct lag_form topology_form = {
    .shape = LAG_CHOICE, .what = "a topology", .choices = "switch"};
static const struct lag_form model_form = {
    .shape = LAG_CHOICE, .what = "a network model", .choices = "fluid|alpha-beta"};
static const struct lag_form transfers_form = {
    .shape = LAG_CHOICE, .what = "a kind of transfer", .choices = "rendezvous|eager"};

static const struct lag_key network_keys[] = {
    {.name = "topology",
     .form = &topology_form,
     .required = true,
     .offset = offsetof(struct lag_draft, network.topology),
     .help = "what connects the GPUs, for example: switch"},
    {.name = "model",
     .form = &model_form,
     .default_text = "fluid",
     .offset = offsetof(struct lag_draft, network.model),
     .help = "fluid: transfers that share a link share its rate; alpha-beta: each has all of it"},
    {.name = "bandwidth",
     .form = &lag_form_rate,
     .required = true,
     .offset = offsetof(struct lag_draft, network.bandwidth),
     .help = "per direction and GPU, for example 450 GB/s"},
    {.name = "latency",
     .form = &lag_form_duration,
     .default_text = "0 s",
     .offset = offsetof(struct lag_draft, network.latency),
     .help = "from GPU to GPU, for example 3 us"},
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
    {.name = "links",
     .form = &links_form,
     .read = lag_read_later,
     .help = "overrides of single links"},
    {.name = NULL                                                                        },
};
static const struct lag_form network_form = {
    .shape = LAG_MAPPING_OF, .what = "a mapping with topology and bandwidth", .keys = network_keys};

static const struct lag_key cluster_keys[] = {
    {.name = "gpus",
     .form = &gpus_form,
     .required = true,
     .read = read_gpus,
     .help = "how many GPUs take part, for example 8"},
    {.name = "gpus_per_node",
     .form = &count_form,
     .offset = offsetof(struct lag_draft, gpus_per_node),
     .help = "GPUs in one server"},
    {.name = "network", .form = &network_form, .required = true, .help = "what connects the GPUs"},
    {.name = NULL                         },
};
const struct lag_form lag_form_cluster = {
    .shape = LAG_MAPPING_OF, .what = "a mapping with gpus and network", .keys = cluster_keys};

/* Reads one class and appends its GPUs' speeds. */
static bool read_class(const struct lag_at *at, struct lag_draft *draft, GArray *speeds,
                       GError **error)
{
    struct class class = {0};

    if (!lag_read_form(at, &class_form, &class, error))
        return false;
    if (speeds->len + class.count > LAG_MOST_RANKS)
        return lag_refuse(at, error, "more than %u GPUs in all", LAG_MOST_RANKS);
    if (class.speed != 1 && draft->speed == NULL)
        draft->speed = lag_node_get(at->node, "speed");
    for (uint64_t i = 0; i < class.count; i++)
        g_array_append_val(speeds, class.speed);
    uint32_t end = speeds->len;
    g_array_append_val(draft->class_ends, end);
    return true;
}

static bool read_gpus(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;
    g_autoptr(GArray) speeds = g_array_new(FALSE, FALSE, sizeof(double));
    uint64_t count;

    draft->gpus = at->node;
    if (at->node->kind == LAG_SCALAR) {
        if (!lag_read_form(at, &count_form, &count, error))
            return false;
        draft->scenario->n_ranks = (uint32_t)count;
        return true;
    }
    if (!lag_expect(at, LAG_SEQUENCE, gpus_form.what, error))
        return false;
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at class = lag_at_entry(at, i);
        if (!read_class(&class, draft, speeds, error))
            return false;
    }
    if (speeds->len == 0)
        return lag_refuse(at, error, "the list is empty; expected %s", gpus_form.what);
    draft->scenario->n_ranks = speeds->len;
    draft->scenario->lateness.speed =
        (const double *)(void *)g_array_free(g_steal_pointer(&speeds), FALSE);
    return true;
}

static bool override_link(const struct lag_at *at, lag_topology *topology, GError **error)
{
    struct override override = {.bandwidth = -1, .latency = -1};
    uint32_t links[2], n_links;

    if (!lag_read_form(at, &override_form, &override, error))
        return false;
    if (override.bandwidth < 0 && override.latency < 0)
        return lag_refuse(at, error, "changes nothing; give bandwidth or latency");
    n_links = lag_topology_find_links(topology, override.link, links);
    if (n_links == 0) {
        struct lag_at link = {at, "link", 0, lag_node_get(at->node, "link")};
        return lag_refuse(&link, error,
                          "there is no link '%s'; links are gpu0->switch and switch->gpu0 to "
                          "gpu%u, gpu0--switch means both directions",
                          override.link, topology->n_ranks - 1);
    }
    for (uint32_t i = 0; i < n_links; i++) {
        struct lag_link *link = &topology->links[links[i]];
        link->rate = override.bandwidth < 0 ? link->rate : override.bandwidth;
        link->latency = override.latency < 0 ? link->latency : override.latency;
    }
    return true;
}

static bool override_links(const struct lag_at *cluster, lag_topology *topology, GError **error)
{
    struct lag_at network = {cluster, "network", 0, lag_node_get(cluster->node, "network")};
    struct lag_at links = {&network, "links", 0, lag_node_get(network.node, "links")};

    if (links.node == NULL)
        return true;
    if (!lag_expect(&links, LAG_SEQUENCE, links_form.what, error))
        return false;
    for (uint32_t i = 0; i < links.node->n_entries; i++) {
        struct lag_at link = lag_at_entry(&links, i);
        if (!override_link(&link, topology, error))
            return false;
    }
    return true;
}

bool lag_read_cluster(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;
    lag_scenario *scenario = draft->scenario;

    if (!lag_read_form(at, &lag_form_cluster, draft, error))
        return false;
    if (draft->gpus_per_node != 0 && scenario->n_ranks % draft->gpus_per_node != 0) {
        struct lag_at node = {at, "gpus_per_node", 0, lag_node_get(at->node, "gpus_per_node")};
        return lag_refuse(&node, error, "%u GPUs are not a whole number of nodes of %" PRIu64,
                          scenario->n_ranks, draft->gpus_per_node);
    }
    scenario->gpus_per_node = (uint32_t)draft->gpus_per_node;
    scenario->lateness.n_ranks = scenario->n_ranks;
    scenario->topology = lag_topology_new_switch(scenario->n_ranks, draft->network.bandwidth,
                                                 draft->network.latency);
    scenario->network = (struct lag_network){
        .topology = scenario->topology,
        .overhead = draft->network.overhead,
        .eager = draft->network.transfers == 1,
        .fluid = draft->network.model == 0,
    };
    return override_links(at, scenario->topology, error);
}
