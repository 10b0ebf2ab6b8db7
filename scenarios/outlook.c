/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/outlook.h"

#include "algorithms/protocols.h"

static const lag_node *child(const lag_node *node, const char *key)
{
    return node != NULL && node->kind == LAG_MAPPING ? lag_node_get(node, key) : NULL;
}

enum laggard_workload lag_outlook_workload(const lag_node *workload)
{
    enum laggard_workload kind = LAGGARD_N_WORKLOADS;

    while (--kind > LAGGARD_COMMUNICATION)
        if (child(workload, laggard_workload_name(kind)) != NULL)
            break;
    return kind;
}

static uint32_t servers_of(const lag_node *entry)
{
    const lag_node *name = entry->kind == LAG_MAPPING ? lag_node_get(entry, "name") : entry;
    const struct laggard_protocol *protocol = NULL;

    if (name != NULL && name->kind == LAG_SCALAR && name->text != NULL)
        protocol = lag_protocol_find(name->text);
    return protocol != NULL ? protocol->n_servers : 0;
}

struct lag_outlook lag_outlook_of(const lag_node *root)
{
    const lag_node *workload = child(root, "workload"), *entries = child(root, "algorithms");
    struct lag_outlook outlook = {.workload = lag_outlook_workload(workload)};
    const lag_node *own = child(workload, laggard_workload_name(outlook.workload));

    outlook.gives_times =
        child(own, "message_time") != NULL || child(own, "collective_time") != NULL;
    for (uint32_t i = 0; entries != NULL && entries->kind == LAG_SEQUENCE && i < entries->n_entries;
         i++)
        outlook.n_servers = MAX(outlook.n_servers, servers_of(entries->entries[i].value));
    return outlook;
}
