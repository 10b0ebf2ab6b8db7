/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of coded trees: loads, sizes and resilience of spec/coded-gradients.md 2.2 and 2.5, exactly. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "sim/coding/coded-tree.h"
#include "sim/laggard.h"
#include "tests/helpers.h"

/* All n <= 12, L <= 3, s < n: tests/data/coded-load.tsv, computed in fractions by another program. */
static void loads(void)
{
    g_autofree char *path =
        g_build_filename(g_getenv("LAGGARD_SOURCE_ROOT"), "tests/data/coded-load.tsv", NULL);
    g_autofree char *text = NULL;
    uint32_t n_rows = 0;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", 0);
    for (char **line = lines + 1; *line != NULL && **line != '\0'; line++) {
        g_auto(GStrv) f = g_strsplit(*line, "\t", 0);
        uint64_t x[8];
        g_assert_cmpuint(g_strv_length(f), ==, 8);
        for (int i = 0; i < 8; i++)
            x[i] = g_ascii_strtoull(f[i], NULL, 10);
        struct lag_tree tree = {(uint32_t)x[0], (uint32_t)x[1], (uint32_t)x[2]};
        struct lag_tree_exact exact;
        g_assert_true(lag_tree_check(&tree, NULL) && lag_tree_exact(&tree, &exact));
        g_assert_cmpuint(exact.load_above, ==, x[3]);
        g_assert_cmpuint(exact.load_below, ==, x[4]);
        g_assert_cmpuint(lag_tree_workers(&tree), ==, x[5]);
        g_assert_cmpuint(exact.least_points, ==, x[6]);
        g_assert_cmpuint(exact.points_each, ==, x[7]);
        assert_near(lag_tree_load(&tree), (double)x[3] / (double)x[4], 1e-14);
        n_rows++;
    }
    g_assert_cmpuint(n_rows, ==, 234);
}

/* Rows of the table in 2.2 that the file has not: (156, 1), s = 1 and 12. And (2, 40), s = 0, whose
 * numbers fit, and (200, 4) with s = 98, whose numbers still must be right or told to be too large. */
static void large(void)
{
    const struct lag_tree star = {156, 1, 1}, wide = {156, 1, 12}, deep = {2, 31, 0};
    const struct lag_tree huge = {199, 4, 100};
    struct lag_tree_exact exact;

    g_assert_true(lag_tree_exact(&star, &exact));
    g_assert_cmpuint(exact.load_below, ==, 78);
    g_assert_cmpuint(exact.least_points, ==, 156);
    g_assert_true(lag_tree_exact(&wide, &exact));
    g_assert_cmpuint(exact.load_below, ==, 12);
    g_assert_cmpuint(exact.points_each, ==, 13);
    g_assert_true(lag_tree_exact(&deep, &exact));
    g_assert_cmpuint(exact.load_below, ==, 4294967294);
    if (lag_tree_exact(&huge, &exact))
        assert_near((double)exact.load_above / (double)exact.load_below, lag_tree_load(&huge),
                    1e-12);
}

/* 2.5: most that may straggle, and the star of the same load. */
static void tolerates(void)
{
    static const struct {
        struct lag_tree tree;
        uint32_t tolerable, workers, star;
    } rows[] = {
        {{3, 2, 1},  6,  12,  2 },
        {{4, 3, 1},  45, 84,  5 },
        {{9, 2, 2},  34, 90,  6 },
        {{12, 2, 1}, 24, 156, 2 },
        {{12, 2, 3}, 66, 156, 12},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpuint(lag_tree_tolerable(&rows[i].tree, LAG_TREE_COUNT), ==, rows[i].tolerable);
        g_assert_cmpuint(lag_tree_workers(&rows[i].tree), ==, rows[i].workers);
        g_assert_cmpuint(lag_tree_star_stragglers(&rows[i].tree), ==, rows[i].star);
        g_assert_cmpuint(lag_tree_fatal(&rows[i].tree), ==, rows[i].tree.stragglers + 1);
    }
}

/* Does a tree (2 layers, up to 32 workers in all) complete without the workers of `dead`? */
static bool completes(const struct lag_tree *tree, enum lag_tree_rule rule, unsigned dead)
{
    uint32_t n = tree->degree, needed = rule == LAG_TREE_COUNT ? n - tree->stragglers : 0;
    uint32_t size = tree->stragglers + 1;
    unsigned delivers = 0; /* a bit a node 1 .. N */

    for (uint32_t v = lag_tree_workers(tree) + 1; v-- > 0;) {
        bool is_leaf = v * n >= lag_tree_workers(tree);
        uint32_t n_there = 0, n_groups = 0;
        for (uint32_t g = 0; !is_leaf && g < n / size; g++) {
            uint32_t before = n_there;
            for (uint32_t i = g * size; i < g * size + size; i++)
                n_there += delivers >> (n * v + i) & 1;
            n_groups += n_there > before;
        }
        for (uint32_t i = n / size * size; !is_leaf && i < n; i++)
            n_there += delivers >> (n * v + i) & 1;
        bool has = is_leaf || (rule == LAG_TREE_COUNT ? n_there >= needed : n_groups == n / size);
        if (v == 0)
            return has;
        if (has && !(dead >> (v - 1) & 1))
            delivers |= 1u << (v - 1);
    }
    return false;
}

/* (3, 2), s = 1 by count, (4, 1), s = 1 and (2, 2), s = 1 by groups: all patterns of dead workers with
 * their probabilities. And no set of s dead stops it, while some of s + 1 do. */
static void completion_by_all_patterns(void)
{
    static const struct {
        struct lag_tree tree;
        enum lag_tree_rule rule;
    } rows[] = {
        {{3, 2, 1}, LAG_TREE_COUNT },
        {{3, 2, 0}, LAG_TREE_COUNT },
        {{4, 1, 1}, LAG_TREE_GROUPS},
        {{2, 2, 1}, LAG_TREE_GROUPS},
        {{3, 2, 0}, LAG_TREE_GROUPS},
    };
    const double death = 0.15;

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        uint32_t N = lag_tree_workers(&rows[i].tree), fewest = UINT32_MAX, most = 0;
        double p = 0;
        for (unsigned dead = 0; dead < 1u << N; dead++) {
            uint32_t n_dead = (uint32_t)__builtin_popcount(dead);
            if (completes(&rows[i].tree, rows[i].rule, dead)) {
                p += pow(death, n_dead) * pow(1 - death, N - n_dead);
                most = MAX(most, n_dead);
            } else {
                fewest = MIN(fewest, n_dead);
            }
        }
        assert_near(lag_tree_completion(&rows[i].tree, rows[i].rule, death), p, 1e-12);
        g_assert_cmpuint(lag_tree_fatal(&rows[i].tree), ==, fewest);
        g_assert_cmpuint(lag_tree_tolerable(&rows[i].tree, rows[i].rule), ==, most);
    }
}

/* 2.5's table: printed to six digits, and vectors/coded.json to all. */
static void completion(void)
{
    static const double deaths[] = {0.001, 0.01, 0.05, 0.10};
    static const struct {
        struct lag_tree tree;
        double p[4];
    } rows[] = {
        {{156, 1, 0},  {.855492, .208492, .000335, 0}      },
        {{156, 1, 1},  {.989083, .537026, .003084, .000001}},
        {{156, 1, 3},  {.999979, .927567, .044600, .000074}},
        {{156, 1, 12}, {1, 1, .949971, .207123}            },
        {{12, 2, 1},   {.999926, .984609, .396533, .017494}},
        {{12, 2, 2},   {1, .999782, .955545, .559115}      },
        {{12, 2, 3},   {1, .999995, .997395, .949713}      },
    };
    const struct lag_tree two = {12, 2, 2}, three = {12, 2, 3};

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (int k = 0; k < 4; k++)
            assert_prints(lag_tree_completion(&rows[i].tree, LAG_TREE_COUNT, deaths[k]),
                          rows[i].p[k], 1e-6);
    assert_near(lag_tree_completion(&two, LAG_TREE_COUNT, 0.05), 0.9555447882933172, 1e-12);
    assert_near(lag_tree_completion(&three, LAG_TREE_COUNT, 0.1), 0.9497125594415464, 1e-12);
    assert_near(lag_tree_completion(&three, LAG_TREE_COUNT, 0), 1, 1e-15);
    g_assert_cmpfloat(lag_tree_completion(&three, LAG_TREE_COUNT, 1), ==, 0);
}

static void refuses(void)
{
    const struct lag_tree wrong[] = {
        {0,     1,  0},
        {3,     0,  0},
        {3,     1,  3},
        {70000, 2,  0},
        {2,     40, 0}
    };

    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(lag_tree_check(&wrong[i], &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/coded-tree/loads", loads);
    g_test_add_func("/coded-tree/large", large);
    g_test_add_func("/coded-tree/tolerates", tolerates);
    g_test_add_func("/coded-tree/completion-by-all-patterns", completion_by_all_patterns);
    g_test_add_func("/coded-tree/completion", completion);
    g_test_add_func("/coded-tree/refuses", refuses);
    return g_test_run();
}
