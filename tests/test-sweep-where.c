/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which combinations of a sweep are points. */
#include <string.h>

#include "scenarios/scenario.h"

/* 3 x 3 combinations, the sizes the faster axis. */
#define HEAD                                                                                       \
    "laggard: 1\nname: t\n"                                                                        \
    "cluster: {gpus: 8, network: {topology: switch, bandwidth: 1 GB/s}}\n"                         \
    "workload: {size: 1 MiB}\nalgorithms: [ring]\n"
#define WHERE(where)                                                                               \
    HEAD "sweep: {axes: {cluster.gpus: [4, 8, 16], workload.size: [4 B, 1 KiB, 1 MiB]},\n"         \
         " where: " where "}\n"

static lag_document *load(const char *text, GError **error)
{
    return lag_document_parse(text, strlen(text), "x.yaml", ".", NULL, error);
}

/* "4/4 B 8/1 KiB": the values of all points, newly allocated. */
static char *list_points(const lag_document *document)
{
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < lag_document_n_points(document); i++)
        g_string_append_printf(text, "%s%s/%s", i > 0 ? " " : "",
                               lag_document_coordinate(document, i, 0).text,
                               lag_document_coordinate(document, i, 1).text);
    return g_string_free(text, FALSE);
}

static void test_kept(void)
{
    static const struct {
        const char *text, *points;
    } kept[] = {
        {WHERE("[{cluster.gpus: 8}]"),                                         "8/4 B 8/1 KiB 8/1 MiB"                         },
 /* numbers are compared in base units, and all cases count */
        {WHERE("[{workload.size: 1024 B}]"),                                   "4/1 KiB 8/1 KiB 16/1 KiB"                      },
        {WHERE("[{cluster.gpus: 16, workload.size: 4 B}, {cluster.gpus: 4}]"),
         "4/4 B 4/1 KiB 4/1 MiB 16/4 B"                                                                                        },
        {WHERE("[{cluster.gpus: [4, 16], workload.size: [4 B, 1 MiB]}]"),
         "4/4 B 4/1 MiB 16/4 B 16/1 MiB"                                                                                       },
        {WHERE("[{cluster.gpus: {from: 8}, workload.size: {to: 2 KiB}}]"),
         "8/4 B 8/1 KiB 16/4 B 16/1 KiB"                                                                                       },
        {WHERE("[{workload.size: {from: 1 KiB, to: 1 KiB}}]"),                 "4/1 KiB 8/1 KiB 16/1 KiB"                      },
        {WHERE("[{cluster.gpus: {from: 0}}]"),                                 "4/4 B 4/1 KiB 4/1 MiB 8/4 B 8/1 KiB "
                                               "8/1 MiB 16/4 B 16/1 KiB 16/1 MiB"},
        {WHERE("[{workload.size: [4 B, 1 MiB]}], zip: true"),                  "4/4 B 16/1 MiB"                                },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(kept); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(lag_document) document = load(kept[i].text, &error);
        g_assert_no_error(error);
        g_autofree char *points = list_points(document);
        g_assert_cmpstr(points, ==, kept[i].points);
        /* the last point is what its coordinates say */
        uint32_t last = lag_document_n_points(document) - 1;
        g_autoptr(lag_scenario) scenario = lag_document_point(document, last, &error);
        g_assert_no_error(error);
        g_assert_cmpfloat(scenario->n_gpus, ==, lag_document_coordinate(document, last, 0).number);
        g_assert_cmpfloat((double)scenario->size, ==,
                          lag_document_coordinate(document, last, 1).number);
    }
}

/* Whole algorithms, with their parameters, are values as good as numbers. */
static void test_algorithms(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_document) document =
        load(HEAD "sweep: {axes: {algorithms: [[ring], [{name: ring, lanes: 2}, one-shot]],\n"
                  " workload.size: [4 KiB, 8 KiB]},\n"
                  " where: [{algorithms: [[ring]]}, {workload.size: 8 KiB}]}\n",
             &error);

    g_assert_no_error(error);
    g_assert_cmpuint(lag_document_n_points(document), ==, 3);
    g_autoptr(lag_scenario) first = lag_document_point(document, 0, &error);
    g_autoptr(lag_scenario) last = lag_document_point(document, 2, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(first->n_entrants, ==, 1);
    g_assert_cmpuint(last->n_entrants, ==, 2);
    g_assert_cmpstr(last->entrants[0].label, ==, "ring lanes=2");
}

static void test_wrong(void)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {WHERE("{cluster.gpus: 8}"),                                   "7:9: sweep.where: is a mapping; expected a list of cases"         },
        {WHERE("[8]"),                                                 "7:10: sweep.where[0]: is a single value; expected axes and their "},
        {WHERE("[{}]"),                                                "7:10: sweep.where[0]: is empty; expected axes and their values, " },
        {WHERE("[{cluster.gpu: 8}]"),                                  "7:24: sweep.where[0].cluster.gpu: is no axis of this sweep"       },
        {WHERE("[{workload.dtype: fp32}]"),
         "7:27: sweep.where[0].workload.dtype: is no axis of this sweep"                                                                  },
        {WHERE("[{cluster.gpus: 5}]"),
         "7:25: sweep.where[0].cluster.gpus: the axis has no such value"                                                                  },
        {WHERE("[{cluster.gpus: [4, x]}]"),
         "7:29: sweep.where[0].cluster.gpus[1]: the axis has no such value"                                                               },
        {WHERE("[{cluster.gpus: []}]"),
         "7:25: sweep.where[0].cluster.gpus: the list is empty; expected "                                                                },
        {WHERE("[{workload.size: {from: 5}}]"),
         "7:33: sweep.where[0].workload.size.from: '5' is no number of the "                                                              },
        {WHERE("[{workload.size: {from: 2 KiB, to: 4 KiB}}]"),
         "7:26: sweep.where[0].workload.size: no value of the axis lies there"                                                            },
        {WHERE("[{workload.size: 4 B, cluster.gpus: 16}], zip: true"),
         "7:9: sweep.where: no point is left"                                                                                             },
        {WHERE("[]"),                                                  "7:9: sweep.where: no point is left"                               },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *message = g_strconcat("x.yaml:", wrong[i].message, NULL);
        g_autoptr(lag_document) document = load(wrong[i].text, &error);
        g_assert_null(document);
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        if (!g_str_has_prefix(error->message, message))
            g_error("%s\nexpected %s", error->message, message);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sweep-where/kept", test_kept);
    g_test_add_func("/sweep-where/algorithms", test_algorithms);
    g_test_add_func("/sweep-where/wrong", test_wrong);
    return g_test_run();
}
