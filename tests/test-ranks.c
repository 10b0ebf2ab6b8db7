/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of ranks by range, node and class, in a cluster of 6 fast and 2 slow GPUs, 4 to a node. */
#include <string.h>

#include "scenarios/ranks.h"
#include "scenarios/scenario.h"

/* The ranks of `stragglers[0]` as "0 1 2", or the error's message. */
static char *ranks_of(const char *gpus, const char *ranks)
{
    g_autofree char *text =
        g_strdup_printf("laggard: 1\nname: ranks\n"
                        "cluster: {%s, network: {topology: switch, bandwidth: 1 GB/s}}\n"
                        "workload: {size: 8 B, compute: 1 ms}\nalgorithms: [ring]\n"
                        "stragglers: [{ranks: %s, delay: 1 ms}]\n",
                        gpus, ranks);
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "test", ".", NULL, &error);
    g_autoptr(lag_scenario) scenario =
        document == NULL ? NULL : lag_document_point(document, 0, &error);
    g_autoptr(GString) list = g_string_new(NULL);

    if (scenario == NULL)
        return g_strdup(error->message);
    const struct lag_straggler *straggler = &scenario->lateness.stragglers[0];
    for (uint32_t i = 0; i < straggler->n_ranks; i++)
        g_string_append_printf(list, "%s%u", i > 0 ? " " : "", straggler->ranks[i]);
    return g_strdup(list->str);
}

#define MIXED "gpus: [{count: 6}, {count: 2, speed: 0.5}], gpus_per_node: 4"

static void right(void)
{
    static const struct {
        const char *ranks, *expected;
    } rows[] = {
        {"all",               "0 1 2 3 4 5 6 7"},
        {"last",              "7"              },
        {"[0, 3, 5-last]",    "0 3 5 6 7"      },
        {"node 1",            "4 5 6 7"        },
        {"class 0",           "0 1 2 3 4 5"    },
        {"class 1",           "6 7"            },
        {"[node 0, class 1]", "0 1 2 3 6 7"    },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *ranks = ranks_of(MIXED, rows[i].ranks);
        g_assert_cmpstr(ranks, ==, rows[i].expected);
    }
}

static void wrong(void)
{
    static const struct {
        const char *gpus, *ranks, *message;
    } rows[] = {
        {MIXED,     "node 2",            "'node 2' is none of the 2: write node 0 to node 1"    },
        {MIXED,     "class -1",          "'class -1' is none of the 2: write class 0 to class 1"},
        {MIXED,     "class",             "'class' is none of the 2: write class 0 to class 1"   },
        {MIXED,     "[node 1, class 1]", "rank 6 is given twice"                                },
        {"gpus: 8", "node 0",            "nodes are not known; give cluster.gpus_per_node"      },
        {"gpus: 8", "class 0",           "there are no classes; give cluster.gpus as a list"    },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *message = ranks_of(rows[i].gpus, rows[i].ranks);
        g_assert_true(g_str_has_prefix(message, "test:6:"));
        g_assert_nonnull(strstr(message, rows[i].message));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ranks/right", right);
    g_test_add_func("/ranks/wrong", wrong);
    return g_test_run();
}
