/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `cluster:` who takes part, and what connects them. */
#include <inttypes.h>

#include "scenarios/draft.h"
#include "scenarios/gpus.h"
#include "scenarios/network-form.h"

static const struct lag_form nodes_form = {
    .shape = LAG_INTEGER, .what = "a number of GPUs", .least = 1, .most = LAG_MOST_RANKS};

static const struct lag_key cluster_keys[] = {
    {.name = "gpu_types",
     .form = &lag_form_gpu_types,
     .read = lag_read_gpu_types,
     .help = "GPUs that the catalogue lacks, or has otherwise"},
    {.name = "gpus",
     .form = &lag_form_gpus,
     .required = true,
     .read = lag_read_gpus,
     .help = "how many GPUs take part, for example 8; or classes of them"},
    {.name = "gpus_per_node",
     .form = &nodes_form,
     .offset = offsetof(struct lag_draft, gpus_per_node),
     .help = "GPUs in one server"},
    {.name = "network",
     .form = &lag_form_network,
     .required = true,
     .help = "what connects the GPUs"},
    {.name = NULL     },
};
const struct lag_form lag_form_cluster = {
    .shape = LAG_MAPPING_OF, .what = "a mapping with gpus and network", .keys = cluster_keys};

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
    scenario->lateness.n_ranks = scenario->n_gpus = scenario->n_ranks;
    return lag_network_connect(at, draft, error) && lag_gpus_add(at, draft, error);
}
