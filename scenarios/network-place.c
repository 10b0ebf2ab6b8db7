/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `placement:` where each rank's GPU sits, and `routes:` ways that are prescribed. */
#include <inttypes.h>
#include <string.h>

#include "scenarios/network-form.h"
#include "sim/rng.h"

static const struct lag_form word_form = {
    .shape = LAG_CHOICE, .what = "a placement", .choices = "contiguous|round-robin"};
static const struct lag_form seed_form = {
    .shape = LAG_INTEGER, .what = "a seed", .most = UINT64_MAX};
static const struct lag_form place_form = {
    .shape = LAG_INTEGER, .what = "a place", .most = LAG_MOST_RANKS - 1};
static const struct lag_form list_form = {
    .shape = LAG_LIST_OF, .what = "a place for each rank, [1, 0]", .item = &place_form};
static const struct lag_key random_keys[] = {
    {.name = "random",
     .form = &seed_form,
     .required = true,
     .offset = 0,
     .help = "ranks sit anywhere, drawn with this seed"},
    {.name = NULL},
};
static const struct lag_form random_form = {
    .shape = LAG_MAPPING_OF, .what = "{random: 1}", .keys = random_keys};
static const struct lag_form *const placements[] = {&word_form, &random_form, &list_form, NULL};
const struct lag_form lag_form_placement = {
    .shape = LAG_ONE_OF,
    .what = "contiguous, round-robin, {random: 1}, or a place for each rank, [1, 0]",
    .alternatives = placements};

/* One rank to each node in turn, as long as it has room. */
static uint32_t *deal(const lag_scenario *scenario, const uint32_t *node_sizes)
{
    uint32_t *slot = g_new(uint32_t, scenario->n_gpus);
    uint32_t rank = 0;

    for (uint32_t turn = 0; rank < scenario->n_gpus; turn++) {
        uint32_t first = 0;
        for (uint32_t node = 0; node < scenario->n_nodes; first += node_sizes[node++])
            if (turn < node_sizes[node])
                slot[rank++] = first + turn;
    }
    return slot;
}

/* Fisher and Yates. */
static uint32_t *shuffle(uint32_t n, uint64_t seed)
{
    uint32_t *slot = g_new(uint32_t, n);
    struct lag_stream stream;

    lag_stream_init(&stream, seed, 0, LAG_PURPOSE_PLACEMENT, 0, 0);
    for (uint32_t i = 0; i < n; i++)
        slot[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t other = (uint32_t)gsl_rng_uniform_int(&stream.rng, i), kept = slot[i - 1];
        slot[i - 1] = slot[other];
        slot[other] = kept;
    }
    return slot;
}

static uint32_t *read_list(const struct lag_at *at, uint32_t n, GError **error)
{
    g_autofree uint32_t *slot = g_new0(uint32_t, n);
    g_autofree bool *taken = g_new0(bool, n);
    uint64_t place;

    if (at->node->n_entries != n) {
        lag_refuse(at, error, "has %u places, but the cluster has %u GPUs", at->node->n_entries, n);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct lag_at entry = lag_at_entry(at, i);
        if (!lag_read_form(&entry, &place_form, &place, error))
            return NULL;
        if (place >= n || taken[place]) {
            lag_refuse(&entry, error,
                       place >= n ? "there is no place %" PRIu64 "; they are 0 to %u"
                                  : "place %" PRIu64 " is taken; there is one for each of 0 to %u",
                       place, n - 1);
            return NULL;
        }
        taken[place] = true;
        slot[i] = (uint32_t)place;
    }
    return g_steal_pointer(&slot);
}

bool lag_read_placement(const struct lag_at *network, const lag_scenario *scenario,
                        const uint32_t *node_sizes, uint32_t **ret, GError **error)
{
    struct lag_at at = {network, "placement", 0, lag_node_get(network->node, "placement")};
    uint64_t seed;
    int word;

    *ret = NULL;
    if (at.node == NULL)
        return true;
    if (at.node->kind == LAG_SEQUENCE) {
        *ret = read_list(&at, scenario->n_gpus, error);
        return *ret != NULL;
    }
    if (at.node->kind == LAG_MAPPING) {
        if (!lag_read_form(&at, &random_form, &seed, error))
            return false;
        *ret = shuffle(scenario->n_gpus, seed);
        return true;
    }
    if (!lag_read_form(&at, &word_form, &word, error))
        return false;
    if (word == 1 && scenario->n_nodes == 0)
        return lag_refuse(&at, error, "nodes are not known; give cluster.gpus_per_node");
    *ret = word == 1 ? deal(scenario, node_sizes) : NULL;
    return true;
}

struct route_draft {
    const char *from, *to;
};

static const struct lag_form via_form = {.shape = LAG_LIST_OF,
                                         .what = "a list of names, [leaf0, spine1, leaf1]",
                                         .item = &lag_form_text};
static const struct lag_key route_keys[] = {
    {.name = "from",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct route_draft, from),
     .help = "the sender's GPU, gpu0"},
    {.name = "to",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct route_draft, to),
     .help = "the receiver's GPU"},
    {.name = "via",
     .form = &via_form,
     .required = true,
     .read = lag_read_later,
     .help = "all that is between, in order; the way back is another route"},
    {.name = NULL               },
};
static const struct lag_form route_form = {.shape = LAG_MAPPING_OF,
                                           .what = "a route, {from: gpu0, to: gpu9, via: [leaf0]}",
                                           .keys = route_keys};
const struct lag_form lag_form_routes = {
    .shape = LAG_LIST_OF, .what = "a list of routes", .item = &route_form};

static bool read_route(const struct lag_at *at, GPtrArray *keep, struct lag_static_route *ret,
                       GError **error)
{
    struct lag_at via = {at, "via", 0, NULL};
    struct route_draft draft = {0};
    const char **nodes;

    if (!lag_read_form(at, &route_form, &draft, error))
        return false;
    via.node = lag_node_get(at->node, "via");
    if (!lag_expect(&via, LAG_SEQUENCE, via_form.what, error))
        return false;
    uint32_t n = via.node->n_entries + 2;
    nodes = g_new0(const char *, n);
    g_ptr_array_add(keep, nodes);
    nodes[0] = draft.from;
    nodes[n - 1] = draft.to;
    for (uint32_t i = 0; i < via.node->n_entries; i++) {
        struct lag_at name = lag_at_entry(&via, i);
        if (!lag_read_form(&name, &lag_form_text, &nodes[i + 1], error))
            return false;
    }
    *ret = (struct lag_static_route){nodes, n};
    return true;
}

bool lag_read_routes(const struct lag_at *network, GPtrArray *keep,
                     struct lag_topology_request *request, GError **error)
{
    struct lag_at at = {network, "routes", 0, lag_node_get(network->node, "routes")};
    struct lag_static_route *routes;

    if (at.node == NULL)
        return true;
    if (!lag_expect(&at, LAG_SEQUENCE, lag_form_routes.what, error))
        return false;
    routes = g_new0(struct lag_static_route, at.node->n_entries + 1);
    g_ptr_array_add(keep, routes);
    for (uint32_t i = 0; i < at.node->n_entries; i++) {
        struct lag_at route = lag_at_entry(&at, i);
        if (!read_route(&route, keep, &routes[i], error))
            return false;
    }
    request->routes = routes;
    request->n_routes = at.node->n_entries;
    return true;
}
