/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What explain's page of coded aggregation is asked: defaults, keys, and what is refused. */
#include <math.h>
#include <string.h>

#include <glib.h>

#include "sim/laggard.h"
#include "tests/helpers.h"
#include "tools/coded-case.h"

/* 5000 doubles at 62.5 MB/s are 0.64 ms. */
static void defaults(void)
{
    const char *none[] = {NULL};
    g_auto(lag_coded_input) input = {0};

    g_assert_true(lag_coded_is_known("coded-reduce") && lag_coded_is_known("gradient-coding"));
    g_assert_false(lag_coded_is_known("ring"));
    g_assert_true(lag_coded_input_read(&input, "coded-reduce", none, NULL));
    g_assert_cmpuint(input.asked.n_workers, ==, 156);
    g_assert_cmpstr(input.asked.code->name, ==, "fractional");
    assert_near(input.asked.message, 0.64e-3, 1e-12);
    assert_near(lag_law_mean(input.asked.work.by_point), 1.5e-6, 1e-12);
    g_assert_null(input.asked.work.extra);
    g_assert_null(input.asked.work.factor);
    g_assert_false(input.asked.parallel);
}

static void keys(void)
{
    const char *sets[] = {"cluster.gpus=100",
                          "cluster.network.bandwidth=1 GB/s",
                          "cluster.network.latency=3 us",
                          "cluster.network.ports=shared",
                          "workload.gradient.points=6300",
                          "workload.gradient.parameters=5800",
                          "workload.gradient.bytes_per_parameter=4",
                          "workload.gradient.bytes_per_point=1 kB",
                          "workload.gradient.compute.a=100 us",
                          "workload.gradient.compute.mu=inf",
                          "workload.gradient.compute.extra=2 ms",
                          "workload.gradient.compute.share=5 %",
                          "workload.gradient.compute.factor=8",
                          "workload.gradient.step_latency=0.1 ms",
                          "workload.gradient.fan_in=0.03",
                          "algorithms[0].degree=9",
                          "algorithms[0].depth=2",
                          "algorithms[0].stragglers=3",
                          "algorithms[0].code=cyclic",
                          "run.replications=7",
                          "run.seed=8",
                          NULL};
    g_auto(lag_coded_input) input = {0};
    const struct lag_coded_case *asked = &input.asked;

    g_assert_true(lag_coded_input_read(&input, "coded-reduce", sets, NULL));
    g_assert_cmpuint(asked->n_workers, ==, 100);
    assert_near(asked->message, 23200e-9, 1e-12);
    assert_near(asked->latency, 3e-6, 1e-12);
    g_assert_true(asked->parallel);
    assert_near(asked->bytes_per_point, 1000, 1e-12);
    assert_near(asked->work.point, 1e-4, 1e-12);
    g_assert_null(asked->work.by_point);
    assert_near(lag_law_mean(asked->work.extra), 2e-3, 1e-12);
    assert_near(lag_law_mean(asked->work.factor), 1.35, 1e-12);
    assert_near(asked->step, 1e-4, 1e-12);
    assert_near(asked->fan_in, 0.03, 1e-12);
    g_assert_cmpuint(asked->tree.degree, ==, 9);
    g_assert_cmpuint(asked->tree.stragglers, ==, 3);
    g_assert_cmpstr(asked->code->name, ==, "cyclic");
    g_assert_cmpuint(asked->n_draws, ==, 7);
    g_assert_cmpuint(asked->seed, ==, 8);
}

static void refuses(void)
{
    static const struct {
        const char *set, *says;
    } rows[] = {
        {"algorithms[0].degre=3",                 "did you mean 'algorithms[0].degree'"},
        {"algorithms[0].degree",                  "expected PATH=VALUE"                },
        {"algorithms[0].degree=3.5",              "whole number"                       },
        {"algorithms[0].degree=0",                "whole number from 1"                },
        {"algorithms[0].depth=25",                "whole number from 1 to 24"          },
        {"algorithms[0].stragglers=12",           "0 <= stragglers <= 11"              },
        {"algorithms[0].code=ignore",             "an exact code (auto, cyclic"        },
        {"algorithms[0].code=partial",            "an exact code"                      },
        {"cluster.network.bandwidth=1",           "unit"                               },
        {"cluster.network.bandwidth=0 B/s",       "1 or more"                          },
        {"cluster.network.ports=none",            "serial or shared"                   },
        {"workload.gradient.points=nan",          "number"                             },
        {"workload.gradient.points=0",            "1 or more"                          },
        {"workload.gradient.compute.a=-1 us",     "0 or more"                          },
        {"workload.gradient.compute.mu=0",        "or more"                            },
        {"workload.gradient.compute.share=2 %",   NULL                                 },
        {"workload.gradient.compute.share=200 %", "up to 1"                            },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *sets[] = {rows[i].set, NULL};
        g_auto(lag_coded_input) input = {0};
        g_autoptr(GError) error = NULL;
        bool ok = lag_coded_input_read(&input, "coded-reduce", sets, &error);
        g_assert_true(ok == (rows[i].says == NULL));
        if (ok)
            continue;
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        if (strstr(error->message, rows[i].says) == NULL)
            g_error("%s: %s", rows[i].set, error->message);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/coded-case/defaults", defaults);
    g_test_add_func("/coded-case/keys", keys);
    g_test_add_func("/coded-case/refuses", refuses);
    return g_test_run();
}
