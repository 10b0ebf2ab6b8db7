/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `cluster.network:` what connects the GPUs. */
#include "scenarios/network-form.h"

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
     .form = &lag_form_links,
     .read = lag_read_later,
     .help = "overrides of single links"},
    {.name = NULL                                                                        },
};
const struct lag_form lag_form_network = {
    .shape = LAG_MAPPING_OF, .what = "a mapping with topology and bandwidth", .keys = network_keys};

bool lag_network_connect(const struct lag_at *cluster, struct lag_draft *draft, GError **error)
{
    struct lag_at at = {cluster, "network", 0, lag_node_get(cluster->node, "network")};
    lag_scenario *scenario = draft->scenario;

    scenario->topology = lag_topology_new_switch(scenario->n_ranks, draft->network.bandwidth,
                                                 draft->network.latency);
    scenario->network = (struct lag_network){
        .topology = scenario->topology,
        .overhead = draft->network.overhead,
        .eager = draft->network.transfers == 1,
        .fluid = draft->network.model == 0,
    };
    return lag_network_override(&at, scenario->topology, error);
}
