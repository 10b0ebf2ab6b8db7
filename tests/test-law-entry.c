/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws in scenarios: what is right and what becomes of it, what is wrong and what is said. */
#include <string.h>

#include <glib/gstdio.h>
#include <gsl/gsl_errno.h>

#include "scenarios/scenario.h"
#include "tests/helpers.h"

#define REST "workload: {size: 1 MiB, compute: 1 s}\nalgorithms: [ring]\nstragglers:\n  - "
#define HEAD                                                                                       \
    "laggard: 1\nname: t\ncluster: {gpus: 8, gpus_per_node: 4, network: {topology: switch, "       \
    "bandwidth: 1 GB/s}}\n" REST
#define LOOSE                                                                                      \
    "laggard: 1\nname: t\ncluster: {gpus: 8, network: {topology: switch, bandwidth: 1 "            \
    "GB/s}}\n" REST

/* Samples, in a folder of their own. */
static const struct {
    const char *name, *text;
} files[] = {
    {"ms.txt",    "# measured\ndelay_ms\n1\n\n2.5  \n# and\n0\n"},
    {"plain.txt", "2\n1\n1.5\n"                                 },
    {"named.txt", "factor\n2\n1\n"                              },
    {"minus.txt", "delay_ms\n1\n-2\n"                           },
    {"words.txt", "delay_ms\n1\nabc\n"                          },
    {"nan.txt",   "nan\n1\n"                                    },
    {"pairs.txt", "1,2\n3,4\n"                                  },
    {"empty.txt", "# nothing\n"                                 },
    {"bare_ms",   "delay_ms\n"                                  },
    {"zeros.txt", "0\n0\n"                                      },
};
static char *folder;

static lag_scenario *try(const char *head, const char *entry, GError **error)
{
    g_autofree char *text = g_strdup_printf("%s{%s}\n", head, entry);
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "x.yaml", folder, NULL, error);

    return document != NULL ? lag_document_point(document, 0, error) : NULL;
}

/* Right entries: the law's name, its parameters (or mean, where it is made of something else) in
 * seconds or as plain numbers. */
static const struct right {
    const char *entry, *law;
    double p[LAG_LAW_PARAMETERS];
} right[] = {
    {"ranks: all, delay: 5 ms",                                              "constant",    {5e-3}         },
    {"ranks: all, delay: {constant: 5 us}",                                  "constant",    {5e-6}         },
    {"ranks: all, slowdown: 1.5",                                            "constant",    {1.5}          },
    {"ranks: all, delay: {uniform: {min: 0 s, max: 2 ms}}",                  "uniform",     {0, 2e-3}      },
    {"ranks: all, delay: {normal: {mean: 1 ms, sd: 500 us}}",                "normal",      {1e-3, 5e-4}   },
    {"ranks: all, slowdown: {normal: {mean: 1, sd: 0}}",                     "normal",      {1, 0}         },
    {"ranks: all, delay: {exponential: {mean: 1 ms}}",                       "exponential", {1e-3}         },
    {"ranks: all, delay: {shifted-exponential: {mean: 1 ms, shift: 2 s}}",
     "shifted-exponential",                                                                 {2, 1e-3}      },
    {"ranks: all, delay: {gamma: {shape: 2.5, scale: 1 ms}}",                "gamma",       {2.5, 1e-3}    },
    {"ranks: all, delay: {erlang: {shape: 3, mean: 1 ms}}",                  "erlang",      {3, 1e-3}      },
    {"ranks: all, delay: {log-normal: {mu: -7, sigma: 0.5}}",                "log-normal",  {-7, 0.5}      },
    {"ranks: all, slowdown: {log-normal: {mu: 0, sigma: 0.1}}",              "log-normal",  {0, 0.1}       },
    {"ranks: all, delay: {weibull: {shape: 0.7, scale: 1 ms}}",              "weibull",     {0.7, 1e-3}    },
    {"ranks: all, delay: {pareto: {index: 1.5, scale: 1 ms}}",               "pareto",      {1.5, 1e-3}    },
    {"ranks: all, slowdown: {bernoulli: {p: 0.01, factor: 1.5}}",            "bernoulli",   {0.01, 1.5}    },
    {"ranks: all, slowdown: {two-speed: {share: 0.1, factor: 3}}",           "two-speed",   {0.1, 3}       },
    {"ranks: all, link_slowdown: {markov: {factor: 2, enter: 0, leave: 1}}", "markov",      {2, 0, 1}      },
    {"ranks: all, link_slowdown: 4, correlated: node",                       "constant",    {4}            },
    {"ranks: all, fail: {at: 2 ms}",                                         "constant",    {2e-3}         },
    {"ranks: all, fail: {hazard: {mean: 2 h}}, correlated: node",            "exponential", {7200}         },
    {"ranks: all, fail: {hazard: {rate: 6.5, per: 24000 h}}",                "exponential", {86400e3 / 6.5}},
    {"ranks: all, delay: {empirical: ms.txt}",                               "empirical",   {3.5e-3 / 3}   },
    {"ranks: all, delay: {empirical: {file: plain.txt, unit: us}}",          "empirical",   {1.5e-6}       },
    {"ranks: all, slowdown: {empirical: plain.txt}",                         "empirical",   {1.5}          },
    {"ranks: all, slowdown: {empirical: {file: named.txt}}",                 "empirical",   {1.5}          },
    {"ranks: all, delay: {mixture: [{weight: 9, law: {constant: 1 ms}}, {weight: 1, law: "
     "{gamma: {shape: 2, scale: 1 ms}}}]}",                             "mixture",
     {1.1e-3}                                                                                              },
    {"ranks: all, slowdown: {mixture: [{weight: 1, law: 2}, {law: {empirical: plain.txt}, "
     "weight: 1}]}",                                                    "mixture",
     {1.75}                                                                                                },
};

static void test_right(void)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(right); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(lag_scenario) scenario = try(HEAD, right[i].entry, &error);
        g_test_message("%s", right[i].entry);
        g_assert_no_error(error);
        const struct lag_straggler *straggler = scenario->lateness.stragglers;
        bool is_made_of_numbers = straggler->law.n_parts + straggler->law.n_values == 0;
        g_assert_cmpstr(straggler->law.type->name, ==, right[i].law);
        g_assert_cmpint(straggler->per_node, ==, strstr(right[i].entry, "correlated") != NULL);
        if (!is_made_of_numbers)
            assert_near(lag_law_mean(&straggler->law), right[i].p[0], 1e-14);
        for (uint32_t j = 0; is_made_of_numbers && j < LAG_LAW_PARAMETERS; j++)
            assert_near(straggler->law.p[j], right[i].p[j], 1e-15);
    }
}

/* Wrong laws, and what the message must hold: the place, what is wrong and what is right. */
static const struct wrong {
    const char *entry, *path, *words;
} wrong[] = {
    {"delay: {}",                                             "].delay: ",                "0 laws in one place"               },
    {"delay: {gamma: {shape: 1, scale: 1 s}, constant: 1 s}", "].delay: ",                "2 laws in one place"               },
    {"delay: [1 ms]",                                         "].delay: ",                "is a list; expected a law"         },
    {"delay: {exponetial: {mean: 1 ms}}",                     "].delay: ",                "did you mean 'exponential'"        },
    {"delay: {bernoulli: {p: 0.1, factor: 2}}",               "].delay: ",                "law of factors"                    },
    {"delay: {markov: {factor: 2, enter: 0.1, leave: 0.1}}",  "].delay: ",                "law of factors"                    },
    {"delay: {exponential: 1 ms}",                            "].delay.exponential: ",    "expected {mean: ...}"              },
    {"delay: {exponential: {mean: 1}}",                       "].delay.exponential.mean", "no unit"                           },
    {"delay: {exponential: {mean: -1 ms}}",                   "].delay.exponential.mean", "negative"                          },
    {"delay: {exponential: {maen: 1 ms}}",                    "].delay.exponential: ",    "did you mean 'mean'"               },
    {"delay: {gamma: {shape: 2}}",                            "].delay.gamma: ",          "key 'scale' is missing"            },
    {"delay: {gamma: {shape: 2 s, scale: 1 s}}",              "].delay.gamma.shape",      "2 s"                               },
    {"delay: {gamma: {shape: 0, scale: 1 s}}",                "].delay.gamma.shape",      "above 0"                           },
    {"delay: {gamma: {shape: 1e-3, scale: 1 s}}",             "].delay.gamma: ",          "between 0.05 and 1e6"              },
    {"delay: {erlang: {shape: 1.5, mean: 1 s}}",              "].delay.erlang: ",         "whole number"                      },
    {"delay: {uniform: {min: 2 s, max: 1 s}}",                "].delay.uniform: ",        "max is below min"                  },
    {"delay: {log-normal: {mu: -7 ms, sigma: 1}}",            "].delay.log-normal.mu",    "-7 ms"                             },
    {"delay: {log-normal: {mu: 1000, sigma: 1}}",             "].delay.log-normal.mu",    "too large"                         },
    {"delay: {log-normal: {mu: 0, sigma: 100}}",              "].delay.log-normal: ",     "above 1e60"                        },
    {"delay: {pareto: {index: 0, scale: 1 s}}",               "].delay.pareto.index",     "above 0"                           },
    {"delay: {weibull: {shape: 1, scale: 0 s}}",              "].delay.weibull: ",        "scale is not above 0"              },
    {"delay: {constant: {value: 1 s}}",                       "].delay.constant",         "expected a time"                   },
    {"slowdown: {exponential: {mean: 1 ms}}",                 "].slowdown.exponential.m", "1 ms"                              },
    {"slowdown: 0",                                           "].slowdown: ",             "above 0"                           },
    {"slowdown: {uniform: {min: 0, max: 0}}",                 "].slowdown.uniform: ",     "always 0"                          },
    {"slowdown: {bernoulli: {p: 2, factor: 2}}",              "].slowdown.bernoulli.p",
     "too large for a probability"                                                                                            },
    {"slowdown: {markov: {factor: 2, enter: 0, leave: 0}}",
     "].slowdown.markov: ",                                                               "nothing ever changes"              },
    {"slowdown: {two-speed: {share: 0.1}}",                   "].slowdown.two-speed: ",   "key 'factor' is missing"           },
    {"delay: {mixture: {weight: 1}}",                         "].delay.mixture: ",        "expected a list of parts"          },
    {"delay: {mixture: []}",                                  "].delay.mixture: ",        "has 0 parts"                       },
    {"delay: {mixture: [{weight: 1}]}",                       "].delay.mixture[0]: ",     "key 'law' is missing"              },
    {"delay: {mixture: [{weight: 0, law: 1 s}]}",             "].delay.mixture[0].weigh", "above 0"                           },
    {"delay: {mixture: [{weight: 1, law: 1}]}",               "].delay.mixture[0].law: ", "no unit"                           },
    {"delay: {mixture: [{weight: 1, law: {mixture: []}}]}",
     "].delay.mixture[0].law: ",                                                          "a mixture in a mixture"            },
    {"slowdown: {mixture: [{weight: 1, law: {two-speed: {share: "
     "0.5, factor: 2}}}]}",                              "].slowdown.mixture[0].la", "not drawn anew"                    },
    {"delay: {empirical: missing.txt}",                       "].delay.empirical: ",      "missing.txt"                       },
    {"delay: {empirical: plain.txt}",                         "].delay.empirical: ",      "unit: ms"                          },
    {"delay: {empirical: {file: plain.txt}}",                 "].delay.empirical.file: ", "unit: ms"                          },
    {"delay: {empirical: {file: plain.txt, unit: m}}",
     "].delay.empirical.unit: ",                                                          "unknown value 'm'"                 },
    {"delay: {empirical: {file: ms.txt, unit: us}}",
     "].delay.empirical.file: ",                                                          "says ms, but `unit:` says us"      },
    {"delay: {empirical: {unit: us}}",                        "].delay.empirical: ",      "key 'file' is missing"             },
    {"delay: {empirical: minus.txt}",                         "].delay.empirical: ",      "minus.txt:3: '-2' is negative"     },
    {"delay: {empirical: words.txt}",                         "].delay.empirical: ",      "words.txt:3: "                     },
    {"slowdown: {empirical: nan.txt}",                        "].slowdown.empirical: ",   "nan.txt:1: "                       },
    {"slowdown: {empirical: pairs.txt}",                      "].slowdown.empirical: ",   "pairs.txt:1: has 2 fields"         },
    {"slowdown: {empirical: empty.txt}",                      "].slowdown.empirical: ",   "has no numbers"                    },
    {"delay: {empirical: bare_ms}",                           "].delay.empirical: ",      "has no numbers"                    },
    {"slowdown: {empirical: zeros.txt}",                      "].slowdown.empirical: ",   "always 0"                          },
    {"slowdown: {empirical: {file: plain.txt, unit: s}}",     "].slowdown.empirical: ",   "no unit"                           },
    {"slowdown: {empirical: ms.txt}",                         "].slowdown.empirical: ",   "'delay_ms' are times"              },
    {"delay: 1 s, link_slowdown: 2",                          "].link_slowdown: ",        "'delay' is already given"          },
    {"link_slowdown: 1 s",                                    "].link_slowdown: ",        "1 s"                               },
    {"delay: 1 s, correlated: rack",                          "].correlated: ",           "unknown value 'rack'"              },
    {"fail: {}",                                              "].fail: ",                 "either 'at' or 'hazard'"           },
    {"fail: {at: 1 s, hazard: {mean: 1 s}}",                  "].fail: ",                 "either 'at' or 'hazard'"           },
    {"fail: {hazard: 1 h}",                                   "].fail.hazard: ",          "expected {mean: 1000 h}"           },
    {"fail: {hazard: {}}",                                    "].fail.hazard: ",          "either 'mean', or 'rate' and 'per'"},
    {"fail: {hazard: {rate: 2}}",                             "].fail.hazard: ",          "either 'mean', or 'rate' and 'per'"},
    {"fail: {hazard: {mean: 1 h, per: 1 h}}",
     "].fail.hazard: ",                                                                   "either 'mean', or 'rate' and 'per'"},
    {"fail: {hazard: {mean: 0 s}}",                           "].fail.hazard.mean: ",     "above 0"                           },
};

static void expect_message(const char *head, const char *entry, const char *path, const char *words)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_scenario) scenario = try(head, entry, &error);

    g_assert_null(scenario);
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_test_message("%s", error->message);
    g_assert_true(g_str_has_prefix(error->message, "x.yaml:7:"));
    if (strstr(error->message, path) == NULL || strstr(error->message, words) == NULL)
        g_error("%s: '%s' lacks '%s' or '%s'", entry, error->message, path, words);
}

static void test_wrong(void)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *entry = g_strdup_printf("ranks: all, %s", wrong[i].entry);
        expect_message(HEAD, entry, wrong[i].path, wrong[i].words);
    }
    expect_message(LOOSE, "ranks: all, delay: 1 ms, correlated: node",
                   "].correlated: ", "give cluster.gpus_per_node");
}

/* Axes of a sweep enter laws: a list of parameters, a range of one, a list of laws, a list of
 * files (each is read). */
static void test_sweep(void)
{
    static const char text[] =
        HEAD "{ranks: all, delay: {gamma: {shape: 2, scale: 1 ms}}}\n"
             "  - {ranks: all, delay: {mixture: [{weight: 1, law: 1 ms}]}}\n"
             "  - {ranks: all, delay: {empirical: ms.txt}}\n"
             "sweep:\n"
             "  zip: true\n"
             "  axes:\n"
             "    'stragglers[0].delay.gamma.scale': {from: 1 ms, to: 3 ms, steps: 3}\n"
             "    'stragglers[0].delay.gamma.shape': [1, 2, 3]\n"
             "    'stragglers[1].delay.mixture[0].weight': [1, 2, 3]\n"
             "    'stragglers[2].delay': [{empirical: {file: plain.txt, unit: s}}, 1 s, 2 s]\n";
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "x.yaml", folder, NULL, &error);

    g_assert_no_error(error);
    g_assert_cmpuint(lag_document_n_points(document), ==, 3);
    for (uint32_t i = 0; i < 3; i++) {
        g_autoptr(lag_scenario) scenario = lag_document_point(document, i, &error);
        g_assert_no_error(error);
        const struct lag_straggler *straggler = scenario->lateness.stragglers;
        assert_near(straggler[0].law.p[1], 1e-3 * (i + 1), 1e-12);
        g_assert_cmpfloat(straggler[0].law.p[0], ==, i + 1);
        assert_near(lag_law_mean(&straggler[2].law), i == 0 ? 1.5 : i, 1e-14);
    }
}

static void write_files(void)
{
    folder = g_dir_make_tmp("laggard-XXXXXX", NULL);
    for (uint32_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(folder, files[i].name, NULL);
        g_assert_true(g_file_set_contents(path, files[i].text, -1, NULL));
    }
}

static void remove_files(void)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(folder, files[i].name, NULL);
        g_remove(path);
    }
    g_rmdir(folder);
    g_free(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/law-entry/right", test_right);
    g_test_add_func("/law-entry/wrong", test_wrong);
    g_test_add_func("/law-entry/sweep", test_sweep);
    write_files();
    int status = g_test_run();
    remove_files();
    return status;
}
