/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/published.h"
#include "tests/helpers.h"

#define HEAD                                                                                       \
    "# a comment\ntitle: T\nsource: S\n\n"                                                         \
    "id\twhat\tkind\tvalue\tunit\ttolerance\tscenario\tpoint\texpression\tsource\n"

static void reads(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_published) paper = lag_published_parse(
        "p", "p.tsv",
        HEAD "a\tA, all of it\tpublished\t2.5\tms\t0.05\ts.yaml\t-\t{ring}.time_s\tTable 1\n"
             "b\tB\tderived\t-40\t%\t5 %\ts.yaml\tn=8\t1 - 2\t-\n"
             "c\tC\tmeasured\t7\tGB/s\t-\t-\t-\t-\tlog\n"
             "d\tD\tours\t9\tcount\t0\ts.yaml\t-\t1\t-\n",
        &error);

    g_assert_no_error(error);
    g_assert_cmpstr(paper->name, ==, "p");
    g_assert_cmpstr(paper->title, ==, "T");
    g_assert_cmpstr(paper->source, ==, "S");
    g_assert_cmpuint(paper->n_rows, ==, 4);
    const struct lag_published_row *row = paper->rows;
    g_assert_cmpstr(row[0].what, ==, "A, all of it");
    g_assert_cmpfloat(row[0].value, ==, 2.5);
    g_assert_cmpfloat(row[0].scale, ==, 1e-3);
    g_assert_cmpfloat(row[0].tolerance, ==, 0.05);
    g_assert_cmpstr(row[0].point, ==, "");
    g_assert_cmpuint(row[0].line, ==, 6);
    g_assert_cmpint(row[1].kind, ==, LAG_DERIVED);
    g_assert_cmpfloat(row[1].tolerance, ==, 2); /* 5 % of |-40| */
    g_assert_cmpstr(row[1].point, ==, "n=8");
    g_assert_null(row[2].expression);
    g_assert_null(row[2].scenario);
    g_assert_true(isnan(row[2].tolerance));
    g_assert_cmpint(row[3].kind, ==, LAG_OURS);
}

static void refuses(void)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"",                                                                              "p.tsv:1: has no rows"                           },
        {"title: T\nid\twhat\n",
         "p.tsv:2: expected title:, source: or the columns' names, of which number 3 is \"kind\""                                          },
        {HEAD "a\tA\n",                                                                   "p.tsv:6: expected 10 fields between tabs, got 2"},
        {HEAD "a\tA\tguess\t1\tx\t1\ts\t-\t1\t-\n",
         "p.tsv:6: kind: expected derived, published, measured, ours or explored, got \"guess\""                                           },
        {HEAD "a\tA\tderived\t1 ms\tx\t1\ts\t-\t1\t-\n",
         "p.tsv:6: value: expected a number, got \"1 ms\""                                                                                 },
        {HEAD "a\tA\tderived\tnan\tx\t1\ts\t-\t1\t-\n",
         "p.tsv:6: value: expected a number, got \"nan\""                                                                                  },
        {HEAD "a\tA\tderived\t1\tmsec\t1\ts\t-\t1\t-\n",
         "p.tsv:6: unit: expected one of x s ms us h % count GB/s MB/s B 1/s, got \"msec\""                                                },
        {HEAD "a\tA\tderived\t1\tx\t-1\ts\t-\t1\t-\n",                                    "p.tsv:6: tolerance: expected 0 or more"         },
        {HEAD "a\tA\texplored\t1\tx\t-\ts\t-\t1\t-\n",
         "p.tsv:6: value: what is explored has none; expected -"                                                                           },
        {HEAD "a\tA\texplored\t-\tx\t1\ts\t-\t1\t-\n",
         "p.tsv:6: tolerance: what is explored has none; expected -"                                                                       },
        {HEAD "a\tA\tmeasured\t1\tx\t1\ts\t-\t1\t-\n",
         "p.tsv:6: tolerance: what is measured has none; expected -"                                                                       },
        {HEAD "a\tA\tderived\t1\tx\t1\t-\t-\t-\t-\n",
         "p.tsv:6: expression: only a measured value may have none (-)"                                                                    },
        {HEAD "a\tA\tderived\t1\tx\t1\ts\t-\t-\t-\n",
         "p.tsv:6: scenario and expression: both, or - for both"                                                                           },
        {HEAD "a\tA\tderived\t1\tx\t1\ts\t-\t1\t-\na\tA\tderived\t1\tx\t1\ts\t-\t1\t-\n",
         "p.tsv:7: id: \"a\" stands already in line 6"                                                                                     },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(lag_published_parse("p", "p.tsv", rows[i].text, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        g_assert_cmpstr(error->message, ==, rows[i].message);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/published/reads", reads);
    g_test_add_func("/published/refuses", refuses);
    return g_test_run();
}
