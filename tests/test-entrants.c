/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who may compete where: each entry of the tables in each kind of workload. */
#include <string.h>

#include "algorithms/algorithms.h"
#include "algorithms/protocols.h"
#include "scenarios/scenario.h"

#define HEAD    "laggard: 1\nname: t\n"
#define NETWORK "network: {topology: switch, bandwidth: 1 GB/s}"
#define CLUSTER "cluster: {gpus: 8, " NETWORK "}\n"

/* A workload of each kind; NULL where none can be written yet. */
static const char *const workloads[LAGGARD_N_WORKLOADS] = {
    [LAGGARD_COMMUNICATION] = "workload: {size: 1 MiB}\n",
};

static lag_scenario *read_text(const char *cluster, const char *workload, const char *entrant,
                               GError **error)
{
    g_autofree char *text =
        g_strdup_printf(HEAD "%s%salgorithms: [%s]\n", cluster, workload, entrant);
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "x.yaml", ".", NULL, error);

    return document == NULL ? NULL : lag_document_point(document, 0, error);
}

/* A protocol stands in its own workload; elsewhere the message says which one it wants. */
static void protocols(void)
{
    for (size_t i = 0; lag_protocols[i] != NULL; i++) {
        const struct laggard_protocol *protocol = lag_protocols[i];
        for (int w = 0; w < LAGGARD_N_WORKLOADS; w++) {
            g_autoptr(GError) error = NULL;
            if (workloads[w] == NULL)
                continue;
            g_autoptr(lag_scenario) scenario =
                read_text(CLUSTER, workloads[w], protocol->name, &error);
            if (protocol->workload == (enum laggard_workload)w) {
                g_assert_no_error(error);
                g_assert_true(scenario->entrants[0].protocol == protocol);
                g_assert_null(scenario->entrants[0].algorithm);
                g_assert_cmpuint(scenario->topology->n_ranks, ==, 8 + protocol->n_servers);
                continue;
            }
            g_autofree char *wants = g_strdup_printf("protocol for workload.%s",
                                                     laggard_workload_name(protocol->workload));
            g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
            g_assert_nonnull(strstr(error->message, "algorithms[0]: "));
            g_assert_nonnull(strstr(error->message, wants));
        }
    }
}

static void refused(const char *cluster, const char *workload, const char *entrant,
                    const char *part)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(read_text(cluster, workload, entrant, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    if (strstr(error->message, part) == NULL)
        g_error("'%s' lacks '%s'", error->message, part);
}

/* Suggestions are of what may stand there: "uncoded-tre" isn't near any collective. */
static void typos(void)
{
    const char *workload = workloads[LAGGARD_COMMUNICATION];

    refused(CLUSTER, workload, "rign", "unknown algorithm 'rign'; did you mean 'ring'?");
    refused(CLUSTER, workload, "master-worke", "unknown algorithm 'master-worke'; possible: ");
    refused(CLUSTER, workload, "{name: ring, lnes: 2}", "did you mean 'lanes'?");
}

/* Keys of the network that belong to protocols. */
static void ports(void)
{
    const char *workload = workloads[LAGGARD_COMMUNICATION];

    refused("cluster: {gpus: 8, network: {topology: switch, bandwidth: 1 GB/s, ports: serial}}\n",
            workload, "ring", "cluster.network.ports: a collective's plan says who sends when");
    refused("cluster: {gpus: 8, network: {bandwidth: 1 GB/s}}\n", workload, "ring",
            "cluster.network: the key 'topology' is missing");
    refused("cluster: {gpus: 8}\n", workload, "ring", "cluster: the key 'network' is missing");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/entrants/protocols", protocols);
    g_test_add_func("/entrants/typos", typos);
    g_test_add_func("/entrants/ports", ports);
    return g_test_run();
}
