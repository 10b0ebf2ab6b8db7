/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `cluster:` who takes part, and what connects them. */
#include <inttypes.h>

#include "scenarios/draft.h"
#include "scenarios/network-form.h"

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
    {.name = "network",
     .form = &lag_form_network,
     .required = true,
     .help = "what connects the GPUs"},
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
    return lag_network_connect(at, draft, error);
}
