/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of coded aggregation: what it says of the specification's example. */
#include <math.h>
#include <string.h>

#include <glib.h>
#include <gsl/gsl_errno.h>

#include "algorithms/codes/codes.h"
#include "sim/laggard.h"
#include "tests/helpers.h"
#include "tools/explain-coded.h"

/* d = 6552, a = 1e-4, t_c = 1e-3, nothing random: section 4 of spec/coded-gradients.md. */
static struct lag_coded_case case_of(struct lag_tree tree)
{
    return (struct lag_coded_case){
        .name = "coded-reduce",
        .summary = "s",
        .formula = "s",
        .source = "s",
        .tree = tree,
        .n_workers = 156,
        .code = lag_code_kind_recommended(tree.degree, tree.stragglers),
        .request = {.late = NAN},
        .points = 6552,
        .parameters = 5000,
        .bytes_per_parameter = 8,
        .work = {.point = 1e-4},
        .law = "nothing random",
        .message = 1e-3,
        .n_draws = 100,
        .seed = 1,
    };
}

static const struct lag_coded_way *way(const lag_coded_answer *answer, const char *name)
{
    for (uint32_t i = 0; i < answer->n_ways; i++)
        if (strcmp(answer->ways[i].name, name) == 0)
            return &answer->ways[i];
    g_assert_not_reached();
}

/* Count rule: (11, 2), s = 2 is none of groups. By groups (12, 2), s = 3 may end later than a r d +
 * L (n - s) t_c when all children come at once, in order: the first of the last group is the 9th of each,
 * so 9 receptions a layer, as by count. */
static void specified(void)
{
    struct lag_coded_case asked = case_of((struct lag_tree){12, 2, 3});
    g_autoptr(lag_coded_answer) answer = lag_coded_answer_new(&asked, NULL);

    g_assert_cmpuint(answer->exact.load_below, ==, 12);
    g_assert_cmpuint(answer->exact.least_points, ==, 48);
    g_assert_cmpuint(answer->fatal, ==, 4);
    g_assert_cmpuint(answer->tolerable, ==, 156 - 3 - 9);
    g_assert_cmpuint(answer->star_stragglers, ==, 12);
    assert_near(answer->stored, 546 * 40000.0, 1e-12);
    assert_near(answer->amplification, 1, 1e-15);
    assert_near(way(answer, "coded-reduce")->time.mean, .0726, 1e-12);
    assert_near(way(answer, "gradient-coding")->time.mean, .1986, 1e-12);
    assert_near(way(answer, "uncoded-tree")->time.mean, .0282, 1e-12);
    assert_near(way(answer, "master-worker")->time.mean, .1602, 1e-12);
    assert_prints(way(answer, "ring")->time.mean, .006187, 1e-6);
    /* The ring needs no code; how much faster it is. */
    g_assert_cmpstr(answer->ways[answer->best_plain].name, ==, "ring");
    assert_near(answer->overhead, .0042 + 310 * 1e-3 / 156 - .0726, 1e-12);
}

/* With 0.5 ms more a step of the ring the tree is ahead: 310 x 0.5 ms. */
static void overhead(void)
{
    struct lag_coded_case asked = case_of((struct lag_tree){12, 2, 1});

    asked.step = 0.5e-3;
    g_autoptr(lag_coded_answer) answer = lag_coded_answer_new(&asked, NULL);
    assert_near(answer->overhead, .0282 - way(answer, "coded-reduce")->time.mean, 1e-12);
    g_assert_cmpstr(answer->ways[answer->best_plain].name, ==, "uncoded-tree");
    for (guint i = 0; i < answer->choices->len; i++)
        g_assert_cmpuint(
            lag_tree_workers(&g_array_index(answer->choices, struct lag_tree_choice, i).tree), <=,
            156);
}

static void says(void)
{
    struct lag_coded_case asked = case_of((struct lag_tree){12, 2, 1});
    g_autoptr(lag_coded_answer) answer = lag_coded_answer_new(&asked, NULL);
    g_autoptr(GString) text = g_string_new(NULL), json = g_string_new(NULL);

    lag_coded_answer_text(answer, text);
    lag_coded_answer_json(answer, json);
    g_assert_nonnull(strstr(text->str, "1/42 = 0.0238095 of the data: 156 of 6552 points"));
    g_assert_nonnull(strstr(text->str, "from 84 points on"));
    g_assert_nonnull(strstr(json->str, "\"load_below\": 42"));
    if (g_test_verbose())
        g_print("%s%s", text->str, json->str);
}

static void refuses(void)
{
    struct lag_coded_case wrong[] = {case_of((struct lag_tree){12, 2, 3}),
                                     case_of((struct lag_tree){12, 2, 3}),
                                     case_of((struct lag_tree){12, 2, 3})};
    wrong[0].n_workers = 155;
    wrong[1].tree.stragglers = 12;
    wrong[2].tree.stragglers = 4;

    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(lag_coded_answer_new(&wrong[i], &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/explain-coded/specified", specified);
    g_test_add_func("/explain-coded/overhead", overhead);
    g_test_add_func("/explain-coded/says", says);
    g_test_add_func("/explain-coded/refuses", refuses);
    return g_test_run();
}
