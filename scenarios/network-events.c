/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `events:` links that degrade, die and recover while the job runs. */
#include <inttypes.h>
#include <string.h>

#include "scenarios/network-form.h"

#define MOST_EVENTS 100000 /* of single links */

struct event_draft {
    double at, bandwidth; /* bandwidth below 0: not given */
    const char *link, *nic, *device;
    uint64_t node; /* UINT64_MAX: not given */
    int down, up;  /* -1: not given */
};

static const struct lag_form node_form = {
    .shape = LAG_INTEGER, .what = "a node", .most = LAG_MOST_RANKS};
static const struct lag_form true_form = {
    .shape = LAG_CHOICE, .what = "true, or leave it out", .choices = "true"};
static const struct lag_key event_keys[] = {
    {.name = "at",
     .form = &lag_form_duration,
     .required = true,
     .offset = offsetof(struct event_draft, at),
     .help = "when, counted from the start of the job"},
    {.name = "link",
     .form = &lag_form_text,
     .offset = offsetof(struct event_draft, link),
     .help = "what: gpu3->switch is one direction, gpu3--switch both"},
    {.name = "nic",
     .form = &lag_form_text,
     .offset = offsetof(struct event_draft, nic),
     .help = "instead of link: all links of a NIC, node0.nic1"},
    {.name = "switch",
     .form = &lag_form_text,
     .offset = offsetof(struct event_draft, device),
     .help = "instead of link: all links of a switch, leaf0"},
    {.name = "node",
     .form = &node_form,
     .offset = offsetof(struct event_draft, node),
     .help = "instead of link: all links of a node's GPUs and NICs, and inside it"},
    {.name = "bandwidth",
     .form = &lag_form_rate,
     .offset = offsetof(struct event_draft, bandwidth),
     .help = "of each of these links from then on"},
    {.name = "down",
     .form = &true_form,
     .offset = offsetof(struct event_draft, down),
     .help = "instead of bandwidth: nothing goes through"},
    {.name = "up",
     .form = &true_form,
     .offset = offsetof(struct event_draft, up),
     .help = "instead of bandwidth: as at the start"},
    {.name = NULL                 },
};
static const struct lag_form event_form = {
    .shape = LAG_MAPPING_OF,
    .what = "an event, {at: 1 ms, link: gpu5--switch, down: true}",
    .keys = event_keys};
const struct lag_form lag_form_events = {
    .shape = LAG_LIST_OF, .what = "a list of events", .item = &event_form};

static bool refuse_many(const struct lag_at *at, const struct event_draft *draft, GError **error)
{
    int n_what = (draft->link != NULL) + (draft->nic != NULL) + (draft->device != NULL) +
                 (draft->node != UINT64_MAX);
    int n_how = (draft->bandwidth >= 0) + (draft->down >= 0) + (draft->up >= 0);

    if (n_what != 1)
        return lag_refuse(at, error, "give one of 'link', 'nic', 'switch' and 'node'");
    return n_how == 1 || lag_refuse(at, error, "give one of 'bandwidth', 'down' and 'up'");
}

/* Where both directions share their capacity, the event of one is that of both. */
static void add_link(GArray *events, const lag_topology *topology, uint32_t link,
                     const struct event_draft *draft)
{
    struct lag_link_event event = {.at = draft->at, .link = link};

    event.rate = draft->bandwidth >= 0 ? draft->bandwidth
                 : draft->up >= 0      ? topology->links[link].rate
                                       : 0;
    g_array_append_val(events, event);
}

static void add_node(GArray *events, const lag_topology *topology, uint32_t node,
                     const struct event_draft *draft)
{
    struct lag_ports ports = lag_topology_ports(topology, node);

    for (uint32_t i = 0; i < ports.n_out; i++)
        add_link(events, topology, ports.out[i], draft);
    for (uint32_t i = 0; i < ports.n_in; i++)
        add_link(events, topology, ports.in[i], draft);
}

/* All that belongs to a node of the cluster: its GPUs, and what is called after it. */
static void add_machine(GArray *events, const lag_scenario *scenario, uint32_t machine,
                        const struct event_draft *draft)
{
    const lag_topology *topology = scenario->topology;
    g_autofree char *prefix = g_strdup_printf("node%u.", machine);

    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        g_autofree char *name = NULL;
        if (node < scenario->n_gpus) {
            if (lag_scenario_node(scenario, node) == machine)
                add_node(events, topology, node, draft);
            continue;
        }
        name = lag_topology_node_name(topology, node);
        if (g_str_has_prefix(name, prefix))
            add_node(events, topology, node, draft);
    }
}

static bool add_device(const struct lag_at *at, const char *key, GArray *events,
                       const lag_topology *topology, const struct event_draft *draft,
                       GError **error)
{
    struct lag_at name = {at, key, 0, lag_node_get(at->node, key)};
    uint32_t node;
    bool found = lag_topology_find_node(topology, name.node->text, &node);

    if (found && node < topology->n_ranks)
        return lag_refuse(&name, error, "'%s' is a GPU, no %s; name its links one by one",
                          name.node->text, key);
    if (found) {
        add_node(events, topology, node, draft);
        return true;
    }
    g_autofree char *hint = lag_hint_node(topology, name.node->text);
    return lag_refuse(&name, error, "there is no %s '%s'%s", key, name.node->text, hint);
}

static bool add_event(const struct lag_at *at, const lag_scenario *scenario,
                      const struct event_draft *draft, GArray *events, GError **error)
{
    const lag_topology *topology = scenario->topology;
    uint32_t links[2];

    if (draft->nic != NULL)
        return add_device(at, "nic", events, topology, draft, error);
    if (draft->device != NULL)
        return add_device(at, "switch", events, topology, draft, error);
    if (draft->link != NULL) {
        struct lag_at name = {at, "link", 0, lag_node_get(at->node, "link")};
        uint32_t n = lag_topology_find_links(topology, draft->link, links);
        for (uint32_t i = 0; i < n; i++)
            add_link(events, topology, links[i], draft);
        return n > 0 || lag_refuse_link(&name, topology, draft->link, error);
    }
    struct lag_at node = {at, "node", 0, lag_node_get(at->node, "node")};
    if (scenario->n_nodes == 0)
        return lag_refuse(&node, error, "nodes are not known; give cluster.gpus_per_node");
    if (draft->node >= scenario->n_nodes)
        return lag_refuse(&node, error, "there is no node %" PRIu64 "; they are 0 to %u",
                          draft->node, scenario->n_nodes - 1);
    if (draft->bandwidth >= 0)
        return lag_refuse(&node, error,
                          "the links of a node have different bandwidths; name a "
                          "link or a NIC, or say down or up");
    add_machine(events, scenario, (uint32_t)draft->node, draft);
    return true;
}

static int by_time(gconstpointer left, gconstpointer right)
{
    const struct lag_link_event *a = left, *b = right;

    return (a->at > b->at) - (a->at < b->at);
}

bool lag_read_events(const struct lag_at *network, lag_scenario *scenario, GError **error)
{
    struct lag_at at = {network, "events", 0, lag_node_get(network->node, "events")};
    g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(struct lag_link_event));
    size_t n;

    if (at.node == NULL)
        return true;
    if (!lag_expect(&at, LAG_SEQUENCE, lag_form_events.what, error))
        return false;
    if (!scenario->network.fluid)
        return lag_refuse(&at, error, "events need the model fluid; leave 'model' out");
    for (uint32_t i = 0; i < at.node->n_entries; i++) {
        struct event_draft draft = {.bandwidth = -1, .node = UINT64_MAX, .down = -1, .up = -1};
        struct lag_at event = lag_at_entry(&at, i);
        if (!lag_read_form(&event, &event_form, &draft, error) ||
            !refuse_many(&event, &draft, error) ||
            !add_event(&event, scenario, &draft, events, error))
            return false;
        if (events->len > MOST_EVENTS)
            return lag_refuse(&at, error, "more than %d changes of single links", MOST_EVENTS);
    }
    g_array_sort(events, by_time); /* it is stable: at the same time, as listed */
    scenario->events = g_array_steal(events, &n);
    scenario->network.events = scenario->events;
    scenario->network.n_events = (uint32_t)n;
    return true;
}
