/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `workload.compute` as work of the GPUs of `cluster.gpus`. */
#include <string.h>

#include "scenarios/scenario.h"
#include "tests/helpers.h"

static lag_scenario *scenario_of(const char *gpus, const char *compute, GError **error)
{
    g_autofree char *text =
        g_strdup_printf("laggard: 1\nname: compute\n"
                        "cluster: {%s, network: {topology: switch, bandwidth: 1 GB/s}}\n"
                        "workload: {size: 8 B, compute: %s}\nalgorithms: [ring]\n",
                        gpus, compute);
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "test", ".", NULL, error);

    return document == NULL ? NULL : lag_document_point(document, 0, error);
}

/* The same of what is right. */
static lag_scenario *right(const char *gpus, const char *compute)
{
    g_autoptr(GError) error = NULL;
    lag_scenario *scenario = scenario_of(gpus, compute, &error);

    if (scenario == NULL)
        g_error("%s", error->message);
    return scenario;
}

static lag_seconds time_of(const char *gpus, const char *compute, uint32_t rank)
{
    g_autoptr(lag_scenario) scenario = right(gpus, compute);

    return scenario->lateness.own_compute[rank];
}

/* 989 TFLOP/s and 3.35 TB/s (H100 SXM5), 312 TFLOP/s and 2.039 TB/s (A100 SXM4 80GB) in bf16. At
 * 40 % of the peak 100 TFLOP take 100 / (0.4 x 989) s and 100 / (0.4 x 312) s. 1 TB takes
 * 1 / (0.5 x 3.35) s at half of the memory's rate, more than 100 TFLOP at the peak. */
static void rooflines(void)
{
    const char *mixed = "gpus: [{gpu: H100-SXM, count: 1}, {gpu: A100-SXM4-80GB, count: 2}]";
    const char *bytes = "{flops: 100 TFLOP, bytes: 1 TB, memory_efficiency: 50 %}";
    const char *large = "{flops: 100 TFLOP, precision: bf16, efficiency: 40 %}";
    const char *launches = "{flops: 100 TFLOP, efficiency: 40 %, kernels: 1000, launch: 1 ms}";
    const char *by_size =
        "{flops: 100 TFLOP, kernels: 1000, "
        "efficiency: [{flops: 1 TFLOP, share: 30 %}, {flops: 2 TFLOP, share: 60 %}]}";

    assert_near(time_of(mixed, large, 0), 100 / (0.4 * 989), 1e-12);
    assert_near(time_of(mixed, large, 1), 100 / (0.4 * 312), 1e-12);
    assert_near(time_of(mixed, large, 2), 100 / (0.4 * 312), 1e-12);
    assert_near(time_of(mixed, bytes, 0), 1 / (0.5 * 3.35), 1e-12);
    assert_near(time_of(mixed, launches, 0), 100 / (0.4 * 989) + 1, 1e-12);
    assert_near(time_of(mixed, by_size, 0), 100 / (0.3 * 989), 1e-12); /* 0.1 TFLOP a kernel */
}

/* What the user says of a GPU comes before the catalogue. */
static void own_types(void)
{
    const char *own = "gpu_types: [{name: mine, fp16: 10 TFLOP/s, memory_bandwidth: 1 TB/s}, "
                      "{name: T4, fp16: 1 TFLOP/s}], gpus: [{gpu: mine, count: 1}]";

    assert_near(time_of(own, "{flops: 20 TFLOP, bytes: 1 TB}", 0), 2, 1e-12);
    assert_near(time_of("gpu_types: [{name: T4, fp16: 1 TFLOP/s}], gpus: [{gpu: t4, count: 1}]",
                        "{flops: 20 TFLOP}", 0),
                20, 1e-12);
}

/* TC10 (timm#580): batches of 200 on 750 and 500 img/s take 0.2667 and 0.4 s; with 300 on the
 * faster ones 0.4 s each. 800 and 1000 samples a step. */
static void samples(void)
{
    const char *equal = "gpus: [{count: 2, samples_per_s: 750}, {count: 2, samples_per_s: 500}]";
    const char *fair =
        "gpus: [{count: 2, samples_per_s: 750, batch: 300}, {count: 2, samples_per_s: 500}]";
    g_autoptr(lag_scenario) scenario = right(fair, "{samples: 200}");

    assert_near(time_of(equal, "{samples: 200}", 0), 200.0 / 750, 1e-12);
    assert_near(time_of(equal, "{samples: 200}", 3), 0.4, 1e-12);
    assert_near(time_of(fair, "{samples: 200}", 0), 0.4, 1e-12);
    g_assert_cmpfloat(scenario->samples, ==, 1000);
    g_assert_cmpstr(scenario->source_of_times, ==, "given");
}

static void sources(void)
{
    static const struct {
        const char *compute, *source;
    } rows[] = {
        {"0 s",                                NULL                     },
        {"5 ms",                               "given"                  },
        {"{bytes: 1 GB}",                      "data sheet"             },
        {"{flops: 1 TFLOP, efficiency: 50 %}", "data sheet"             },
        {"{flops: 1 TFLOP}",                   "data sheet, at its peak"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(lag_scenario) scenario =
            right("gpus: [{gpu: H100-SXM, count: 2}]", rows[i].compute);
        g_assert_cmpstr(scenario->source_of_times, ==, rows[i].source);
    }
}

/* A class with a spread draws a slow-down once a job; recalled figures are warned of. */
static void spread(void)
{
    g_autoptr(lag_scenario) scenario =
        right("gpus: [{count: 1}, {count: 2, gpu: B100, spread: 5 %}]", "100 ms");
    const struct lag_straggler *straggler = &scenario->lateness.stragglers[0];

    g_assert_cmpuint(scenario->lateness.n_stragglers, ==, 1);
    g_assert_cmpuint(straggler->n_ranks, ==, 2);
    g_assert_cmpuint(straggler->ranks[0], ==, 1);
    g_assert_true(straggler->once);
    g_assert_cmpuint(scenario->warnings->len, ==, 1);
    g_assert_nonnull(strstr(g_ptr_array_index(scenario->warnings, 0), "B100"));
}

static void wrong(void)
{
    static const struct {
        const char *gpus, *compute, *message;
    } rows[] = {
        {"gpus: 8",                                   "{flops: 1 TFLOP}",                    "*which GPUs compute is not said*"  },
        {"gpus: [{count: 8}]",                        "{flops: 1 TFLOP}",                    "*give gpu in the class of test:3:*"},
        {"gpus: [{count: 8}]",                        "{samples: 5}",                        "*give samples_per_s in the class*" },
        {"gpus: [{gpu: H10O, count: 8}]",             "1 ms",                                "test:3:*gpus?0?.gpu: there is no*" },
        {"gpus: [{gpu: A100, count: 8}]",             "1 ms",                                "*may be any of: A100 PCIe 40GB*"   },
        {"gpus: [{gpu: T4, count: 8}]",               "{flops: 1 PFLOP, precision: fp8}",
         "*peak of T4 in fp8 is not*"                                                                                            },
        {"gpus: [{gpu: T4, count: 8}]",               "{}",                                  "*give either flops and bytes, or*" },
        {"gpus: [{gpu: T4, count: 8}]",               "{flops: 1 TFLOP, samples: 3}",
         "*give either flops and bytes, or*"                                                                                     },
        {"gpus: [{gpu: T4, count: 8}]",               "{flops: 100}",                        "*'100' has no unit; write for*"    },
        {"gpus: [{gpu: T4, count: 8}]",               "{bytes: 1 GB, efficiency: 3 %}",
         "*efficiency is of the peak*"                                                                                           },
        {"gpus: [{gpu: T4, count: 8}]",               "{flops: 1 TFLOP, efficiency: 130 %}",
         "*'130 %' is too large*"                                                                                                },
        {"gpus: [{gpu: T4, count: 8}]",               "{flops: 1 TFLOP, efficiency: []}",    "*the list is empty*"               },
        {"gpus: [{gpu: T4, count: 8, spread: 40 %}]", "1 ms",                                "*'40 %' is too large*"             },
        {"gpu_types: [{fp16: 1 TFLOP/s}], gpus: 8",   "1 ms",                                "*the key 'name' is missing*"       },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(lag_scenario) scenario = scenario_of(rows[i].gpus, rows[i].compute, &error);
        g_assert_null(scenario);
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        if (!g_pattern_match_simple(rows[i].message, error->message))
            g_error("%s / %s: %s", rows[i].gpus, rows[i].compute, error->message);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/compute/rooflines", rooflines);
    g_test_add_func("/compute/own-types", own_types);
    g_test_add_func("/compute/samples", samples);
    g_test_add_func("/compute/sources", sources);
    g_test_add_func("/compute/spread", spread);
    g_test_add_func("/compute/wrong", wrong);
    return g_test_run();
}
