/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes given by their ends. */
#include <string.h>

#include "scenarios/range.h"
#include "scenarios/scenario.h"

#define SCENARIO                                                                                   \
    "laggard: 1\nname: t\n"                                                                        \
    "cluster: {gpus: 8, network: {topology: switch, bandwidth: 1 GB/s}}\n"                         \
    "workload: {size: 1 MiB, compute: 1 s}\n"                                                      \
    "algorithms: [ring, {name: stragglar, straggler: 0}]\n"                                        \
    "stragglers: [{ranks: all, delay: 1 s}]\n"

static lag_document *load(const char *axis, GError **error)
{
    g_autofree char *text = g_strdup_printf(SCENARIO "sweep: {axes: {%s}}\n", axis);

    return lag_document_parse(text, strlen(text), "x.yaml", ".", NULL, error);
}

/* The written coordinates of an axis, with commas between them. */
static char *coordinates(const lag_document *document)
{
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < lag_document_n_points(document); i++)
        g_string_append_printf(text, "%s%s", i > 0 ? "," : "",
                               lag_document_coordinate(document, i, 0).text);
    return g_string_free(text, FALSE);
}

static void assert_valid(const lag_document *document)
{
    for (uint32_t i = 0; i < lag_document_n_points(document); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(lag_scenario) scenario = lag_document_point(document, i, &error);
        g_assert_no_error(error);
        g_assert_nonnull(scenario);
    }
}

/* By hand: 2^20 .. 2^30 in ten equal ratios is doubling. 4 .. 256 in four values of equal ratio is
 * 4 x 4^(0 .. 3). Sizes: 4 .. 100 B in four is 4, 36, 68, 100: rounded to 8 B 40 (36 is halfway,
 * up) and 72 (68 too); the ends stay. 3 .. 10 in three whole numbers: 6.5 is 7. */
static void test_values(void)
{
    static const struct {
        const char *axis, *values;
    } rows[] = {
        {"workload.size: {from: 1 MiB, to: 1 GiB, steps: 11, scale: log}",
         "1 MiB,2 MiB,4 MiB,8 MiB,16 MiB,32 MiB,64 MiB,128 MiB,256 MiB,512 MiB,1 GiB"                                   },
        {"workload.size: {from: 4 B, to: 100 B, steps: 4}",                                    "4 B,40 B,72 B,100 B"    },
        {"workload.size: {from: 1 KiB, to: 4 KiB, step: 1 KiB}",                               "1 KiB,2 KiB,3 KiB,4 KiB"},
        {"workload.size: {from: 0 B, to: 16 B, step: 8 B}",                                    "0 B,8 B,16 B"           },
        {"cluster.gpus: {from: 4, to: 256, factor: 2}",                                        "4,8,16,32,64,128,256"   },
        {"cluster.gpus: {from: 4, to: 255, factor: 2}",                                        "4,8,16,32,64,128"       },
        {"cluster.gpus: {from: 4, to: 256, steps: 4, scale: log}",                             "4,16,64,256"            },
        {"cluster.gpus: {from: 3, to: 10, steps: 3}",                                          "3,7,10"                 },
        {"cluster.gpus: {from: 4, to: 12, step: 4}",                                           "4,8,12"                 },
        {"cluster.network.latency: {from: 0 us, to: 3 us, steps: 4}",
         "0 s,1e-06 s,2e-06 s,3e-06 s"                                                                                  },
        {"cluster.network.bandwidth: {from: 100 Gbps, to: 300 Gbps, steps: 3, scale: linear}",
         "12500000000 B/s,25000000000 B/s,37500000000 B/s"                                                              },
        {"\"stragglers[0].delay\": {from: 0.1 s, to: 0.3 s, step: 100 ms}",                    "0.1 s,0.2 s,0.3 s"      },
        {"\"algorithms[1].straggler\": {from: 0, to: 7, step: 1}",                             "0,1,2,3,4,5,6,7"        },
        {"run.seed: {from: 1, to: 3, step: 1}",                                                "1,2,3"                  },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(lag_document) document = load(rows[i].axis, &error);
        g_test_message("%s", rows[i].axis);
        g_assert_no_error(error);
        g_autofree char *values = coordinates(document);
        g_assert_cmpstr(values, ==, rows[i].values);
        if (strstr(rows[i].axis, "cluster.gpus") == NULL) /* stragglar needs 2^k */
            assert_valid(document);
    }
}

/* Any size between is a whole number of elements, of the largest dtype too. */
static void test_sizes(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_document) document = load(
        "workload.size: {from: 8 kB, to: 1 TB, steps: 997, scale: log}, workload.dtype: [fp64]",
        &error);

    g_assert_no_error(error);
    g_assert_cmpuint(lag_document_n_points(document), ==, 997);
    assert_valid(document);
    g_assert_cmpfloat(lag_document_coordinate(document, 996, 0).number, ==, 1e12);
    for (uint32_t i = 1; i < 997; i++)
        g_assert_cmpfloat(lag_document_coordinate(document, i - 1, 0).number, <,
                          lag_document_coordinate(document, i, 0).number);
}

/* Two ranges walk together. */
static void test_zip(void)
{
    g_autoptr(GError) error = NULL;
    const char *text = SCENARIO "sweep: {zip: true, axes: {cluster.gpus: {from: 8, to: 32, factor: "
                                "2}, workload.size: {from: 8 B, to: 24 B, steps: 3}}}\n";
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "x.yaml", ".", NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(lag_document_n_points(document), ==, 3);
    assert_valid(document);
    g_assert_cmpstr(lag_document_coordinate(document, 1, 0).text, ==, "16");
    g_assert_cmpstr(lag_document_coordinate(document, 1, 1).text, ==, "16 B");
}

static void test_wrong(void)
{
    static const struct {
        const char *axis, *message;
    } rows[] = {
        {"cluster.gpus: {from: 4, to: 8}",
         "7:30: sweep.axes.cluster.gpus: give one of steps, step and factor, not 0 of them"       },
        {"cluster.gpus: {from: 4, to: 8, steps: 2, step: 4}",
         "7:30: sweep.axes.cluster.gpus: give one of steps, step and factor, not 2 of them"       },
        {"cluster.gpus: {to: 8, steps: 2}",
         "7:30: sweep.axes.cluster.gpus: the key 'from' is missing: the first value"              },
        {"cluster.gpus: {from: 4, to: 8, stps: 2}",
         "7:47: sweep.axes.cluster.gpus: unknown key 'stps'; did you mean 'steps'?"               },
        {"cluster.gpus: {from: 4, to: 8, steps: 1}",
         "7:54: sweep.axes.cluster.gpus.steps: '1' is too small; expected a number of values from"},
        {"cluster.gpus: {from: 4, to: 8, steps: 6}",
         "7:30: sweep.axes.cluster.gpus: the value 6 comes twice, rounded; give fewer values"     },
        {"cluster.gpus: {from: 8, to: 4, steps: 2}",
         "7:44: sweep.axes.cluster.gpus.to: '4' is not above from, '8'"                           },
        {"cluster.gpus: {from: 0, to: 4, steps: 2}",
         "7:37: sweep.axes.cluster.gpus.from: '0' is too small; expected a number of GPUs from 1" },
        {"cluster.gpus: {from: 4, to: 8, factor: 1}",
         "7:55: sweep.axes.cluster.gpus.factor: '1' is too small for a factor above 1"            },
        {"cluster.gpus: {from: 4, to: 8, step: 0}",
         "7:53: sweep.axes.cluster.gpus.step: '0' is too small; expected a number of GPUs from 1" },
        {"cluster.gpus: {from: 4, to: 8, steps: 2, scale: cubic}",
         "7:64: sweep.axes.cluster.gpus.scale: unknown value 'cubic'; possible: linear, log"      },
        {"cluster.gpus: {from: 4, to: 8, step: 2, scale: log}",
         "7:30: sweep.axes.cluster.gpus: a scale belongs to steps; leave it out"                  },
        {"workload.size: {from: 1, to: 1 GiB, steps: 3}",
         "7:38: sweep.axes.workload.size.from: '1' has no unit; write for example 1 GiB"          },
        {"workload.size: {from: 0 B, to: 1 GiB, steps: 3, scale: log}",
         "7:38: sweep.axes.workload.size.from: '0 B' is not above 0, where equal ratios need to"  },
        {"workload.size: {from: 8 B, to: 16 B, steps: 4}",
         "7:31: sweep.axes.workload.size: the value 8 B comes twice, rounded; give fewer values"  },
        {"workload.size: {from: 8 B, to: 1 TB, step: 8 B}",
         "7:31: sweep.axes.workload.size: more than 1000000 values"                               },
        {"cluster.network.latency: {from: 1e-300 s, to: 1e300 s, steps: 3, scale: log}",
         "7:62: sweep.axes.cluster.network.latency.to: '1e300 s' is too far from '1e-300 s'"      },
        {"cluster.gpus: {from: 4, to: 256, factor: 1.000001}",
         "7:30: sweep.axes.cluster.gpus: more than 1000000 values"                                },
        {"cluster.network.latency: {from: 1 us, to: 3 us, step: 1}",
         "7:70: sweep.axes.cluster.network.latency.step: '1' has no unit; write for example 3 us" },
        {"workload.dtype: {from: 1, to: 2, steps: 2}",
         "7:32: sweep.axes.workload.dtype: there is a type of element, not a number; give a list" },
        {"run.seed: {from: 1, to: 18446744073709551615, steps: 2}",
         "7:40: sweep.axes.run.seed.to: '18446744073709551615' is too large for a range; give a"  },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *start = g_strconcat("x.yaml:", rows[i].message, NULL);
        g_test_message("%s", rows[i].axis);
        g_assert_null(load(rows[i].axis, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        if (!g_str_has_prefix(error->message, start))
            g_assert_cmpstr(error->message, ==, start);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/range/values", test_values);
    g_test_add_func("/range/sizes", test_sizes);
    g_test_add_func("/range/zip", test_zip);
    g_test_add_func("/range/wrong", test_wrong);
    return g_test_run();
}
