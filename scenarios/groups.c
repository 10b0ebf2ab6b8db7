/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `groups:` names for sets of ranks that do a collective among themselves. */
#include <inttypes.h>

#include "scenarios/draft.h"
#include "scenarios/nearest.h"
#include "scenarios/ranks.h"

static bool is_name(const char *key)
{
    return key[0] != '\0';
}

const struct lag_form lag_form_groups = {.shape = LAG_FREE,
                                         .what = "groups, {first: 0-3, others: [4, 6]}",
                                         .item = &lag_form_ranks,
                                         .allows = is_name};

bool lag_read_ranks(const struct lag_at *at, const struct lag_draft *draft, uint32_t **ret_ranks,
                    uint32_t *ret_n, GError **error)
{
    struct lag_groups groups = {
        .n_ranks = draft->scenario->n_gpus,
        .n_nodes = draft->scenario->n_nodes,
        .per_node = draft->scenario->gpus_per_node,
        .node_of = draft->scenario->node_of,
        .n_classes = draft->class_ends->len,
        .class_ends = (const uint32_t *)(const void *)draft->class_ends->data,
    };

    return lag_ranks_read(at, &groups, ret_ranks, ret_n, error);
}

bool lag_read_groups(const struct lag_at *at, void *into, GError **error)
{
    if (!lag_expect(at, LAG_MAPPING, lag_form_groups.what, error))
        return false;
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at group = lag_at_entry(at, i);
        g_autofree uint32_t *ranks = NULL;
        uint32_t n;
        if (!lag_read_ranks(&group, into, &ranks, &n, error))
            return false;
        if (n == 0)
            return lag_refuse(&group, error, "is empty; a group has at least one rank");
    }
    return true;
}

bool lag_find_group(const struct lag_at *at, const struct lag_draft *draft, uint32_t **ret_ranks,
                    uint32_t *ret_n, GError **error)
{
    const lag_node *groups = lag_node_get(draft->root, "groups");
    struct lag_at top = {NULL, NULL, 0, draft->root};
    struct lag_at in = {&top, "groups", 0, groups};

    if (groups == NULL)
        return lag_refuse(at, error, "there are no groups; give groups: {%s: [0, 1]}",
                          at->node->text);
    struct lag_at group = {&in, at->node->text, 0, lag_node_get(groups, at->node->text)};
    if (group.node != NULL)
        return lag_read_ranks(&group, draft, ret_ranks, ret_n, error);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (uint32_t i = 0; i < groups->n_entries; i++)
        g_ptr_array_add(names, groups->entries[i].key->text);
    g_autofree char *hint =
        lag_nearest_hint(at->node->text, (const char *const *)names->pdata, names->len);
    return lag_refuse(at, error, "there is no group '%s'%s", at->node->text, hint);
}

bool lag_find_member(const struct lag_at *at, const lag_scenario *scenario, uint64_t rank,
                     uint32_t *ret, GError **error)
{
    if (rank >= scenario->n_gpus)
        return lag_refuse(at, error, "rank %" PRIu64 " is not in the cluster of %u GPUs: 0 to %u",
                          rank, scenario->n_gpus, scenario->n_gpus - 1);
    for (uint32_t i = 0; i < scenario->n_ranks; i++) {
        if (lag_scenario_rank(scenario, i) == rank) {
            *ret = i;
            return true;
        }
    }
    return lag_refuse(at, error, "rank %" PRIu64 " doesn't take part; the first that does is %u",
                      rank, lag_scenario_rank(scenario, 0));
}
