/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search for a tree finds what closed forms say is best. */
#include <glib.h>
#include <gsl/gsl_errno.h>

#include "sim/coding/search.h"
#include "tests/helpers.h"

static void widest(void)
{
    g_assert_cmpuint(lag_tree_widest(1, 156), ==, 156);
    g_assert_cmpuint(lag_tree_widest(2, 156), ==, 12);
    g_assert_cmpuint(lag_tree_widest(2, 155), ==, 11);
    g_assert_cmpuint(lag_tree_widest(3, 156), ==, 5);
    g_assert_cmpuint(lag_tree_widest(7, 156), ==, 0);
    g_assert_cmpuint(lag_tree_widest(6, 156), ==, 2);
    g_assert_cmpuint(lag_tree_widest(1, 1), ==, 1);
    g_assert_cmpuint(lag_tree_widest(1, UINT32_MAX), ==, UINT32_MAX);
}

/* Nothing random, serial ports: shift + depth x degree x message for s = 0. With compute for free fewer
 * receptions win: of 156 workers a star of s = 155 takes one message. With free messages no redundancy
 * wins, and the fullest tree. */
static void fixed(void)
{
    struct lag_tree_model model = {.points = 6552, .message = 1};
    g_autoptr(GArray) by_message = lag_tree_search(&model, 156, 10, 1);
    struct lag_tree_choice *best = &g_array_index(by_message, struct lag_tree_choice, 0);

    g_assert_cmpuint(best->tree.depth, ==, 1);
    g_assert_cmpuint(best->tree.stragglers, ==, 155);
    assert_near(best->time.mean, 1, 1e-12);
    model = (struct lag_tree_model){.points = 6552, .work = {.point = 1}};
    g_autoptr(GArray) by_work = lag_tree_search(&model, 156, 10, 1);
    best = &g_array_index(by_work, struct lag_tree_choice, 0);
    g_assert_cmpuint(best->tree.stragglers, ==, 0);
    assert_near(best->time.mean, 42, 1e-12);
    for (guint i = 1; i < by_work->len; i++)
        g_assert_cmpfloat(g_array_index(by_work, struct lag_tree_choice, i - 1).time.mean, <=,
                          g_array_index(by_work, struct lag_tree_choice, i).time.mean);
}

/* Additive delays, parallel ports, stars only count: g(s) = a d (s + 1) / n + theta (H_n - H_s) has its
 * minimum near s = theta n / (a d); (12), a d = 1, theta = 0.5: s = 5 by count (section 3). By groups of
 * s + 1 it is less still, so the best is at least as good. */
static void additive(void)
{
    struct lag_law law = {.type = lag_law_type_find("exponential"), .p = {0.5}};
    struct lag_tree_model model = {
        .points = 12, .parallel = true, .work = {.point = 1.0 / 12, .extra = &law}
    };
    g_autoptr(GArray) choices = lag_tree_search(&model, 12, 4000, 5);
    const struct lag_tree_choice *best = &g_array_index(choices, struct lag_tree_choice, 0);
    double count =
        6 / 12.0 + 0.5 * (1 / 6.0 + 1 / 7.0 + 1 / 8.0 + 1 / 9.0 + 0.1 + 1 / 11.0 + 1 / 12.0);

    g_assert_cmpfloat(best->time.mean, <=, count + 4 * best->time.error);
    g_assert_cmpuint(best->tree.stragglers, >, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/search/widest", widest);
    g_test_add_func("/search/fixed", fixed);
    g_test_add_func("/search/additive", additive);
    return g_test_run();
}
