/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What explain says of a network: who loads it, and which ways there are. */
#include <string.h>

#include "tools/explain.h"

static lag_explanation *explain(const char *placement)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strdup_printf(
        "laggard: 1\nname: t\n"
        "cluster: {gpus: 4, network: {topology: fat-tree, gpus_per_leaf: 2, oversubscription: 2, "
        "bandwidth: 1 GB/s, latency: 2 us, placement: %s}}\n"
        "workload: {size: 4 kB}\nalgorithms: [ring]\n",
        placement);
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "x.yaml", ".", NULL, &error);

    g_assert_no_error(error);
    lag_explanation *explanation = lag_explanation_new(document, 0, &error);
    g_assert_no_error(error);
    return explanation;
}

/* A ring of 4 sends 6 kB over each edge. Two leaves have one uplink each, as fast as a GPU's link.
 * In order two of the edges cross, one each way: an uplink has 6 kB, as a GPU's link has. With
 * ranks 0 and 2 under one leaf all four cross, two each way: 12 kB, 12 us, twice a GPU's. */
static void test_loads(void)
{
    g_autoptr(lag_explanation) in_order = explain("contiguous");
    g_autoptr(lag_explanation) mixed = explain("[0, 2, 1, 3]");
    const struct lag_loads *fair = &in_order->portraits[0].loads;
    const struct lag_loads *shared = &mixed->portraits[0].loads;
    g_autofree char *name =
        lag_topology_link_name(mixed->scenario->topology, shared->links[0].link);

    g_assert_cmpuint(fair->n, ==, LAG_MOST_LOADS);
    g_assert_cmpfloat_with_epsilon(fair->links[0].time, 6e-6, 1e-15);
    g_assert_cmpfloat_with_epsilon(fair->fair, 6e-6, 1e-15);
    g_assert_cmpstr(name, ==, "leaf0->spine0");
    g_assert_cmpfloat(shared->links[0].bytes, ==, 12000);
    g_assert_cmpfloat_with_epsilon(shared->links[0].time, 12e-6, 1e-15);
    g_assert_cmpfloat_with_epsilon(shared->fair, 6e-6, 1e-15);
}

/* The text names the ways that are asked for, with rates, and says by how much links are busier. */
static void test_text(void)
{
    g_autoptr(lag_explanation) explanation = explain("[0, 2, 1, 3]");
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    g_assert_true(lag_route_ends_parse(explanation->scenario->topology, "gpu0, gpu1",
                                       &explanation->route, &error));
    lag_explanation_text(explanation, "t", text);
    g_assert_nonnull(strstr(text->str, "gpu0 -(1.0000 GB/s, 1.0000 us)-> leaf0 "
                                       "-(1.0000 GB/s, 1.0000 us)-> spine0 "
                                       "-(1.0000 GB/s, 1.0000 us)-> leaf1 "
                                       "-(1.0000 GB/s, 1.0000 us)-> gpu1; 4.0000 us in all"));
    g_assert_nonnull(strstr(text->str, "2 times what a GPU's own link takes"));
    g_assert_nonnull(strstr(text->str, "4 GPUs with 3 switches and 12 links of one direction"));
}

static void test_wrong_routes(void)
{
    static const char *const wrong[][2] = {
        {"gpu0",           "expected two GPUs"                            },
        {"gpu0,gpu4",      "there is no GPU \"gpu4\"; did you mean 'gpu0'"},
        {"gpu2,gpu2",      "both ends are gpu2"                           },
        {"gpu0,leaf0",     "there is no GPU \"leaf0\""                    },
        {"gpu0,gpu1,gpu2", "expected two GPUs"                            },
        {"",               "expected two GPUs"                            },
    };
    g_autoptr(lag_explanation) explanation = explain("contiguous");

    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        struct lag_route_ends ends = {0};
        g_autoptr(GError) error = NULL;
        g_assert_false(
            lag_route_ends_parse(explanation->scenario->topology, wrong[i][0], &ends, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        g_assert_nonnull(strstr(error->message, wrong[i][1]));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/explain-network/loads", test_loads);
    g_test_add_func("/explain-network/text", test_text);
    g_test_add_func("/explain-network/wrong-routes", test_wrong_routes);
    return g_test_run();
}
