/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of coded trees against spec/coded-gradients.md, sections 3 and 4. What is deterministic to
 * 1e-9; exact expectations within 4 standard errors of our mean, published means of 40,000 draws
 * within 4 of both together. Suite slow takes as many iterations as were published. */
#include <string.h>

#include "sim/coding/expected.h"
#include "tests/gradient-helpers.h"

/* Runs once and forgets it: the time of the first iteration. */
static lag_seconds time_of(struct tree_bed *bed)
{
    tree_bed_run(bed);
    g_assert_cmpint(bed->outcome.end, ==, LAG_END_OK);
    return tree_bed_iteration(bed, 0);
}

/* mu = infinity, d = 6552, a = 1e-4, t_c = 1e-3: a r d + L (n - s) t_c (section 4). */
static void deterministic(void)
{
    const struct {
        uint32_t n, depth, s;
        double time;
    } rows[] = {
        {12,  2, 0,  .028200},
        {12,  2, 1,  .037600},
        {12,  2, 2,  .052760},
        {12,  2, 3,  .072600},
        {156, 1, 0,  .160200},
        {156, 1, 1,  .163400},
        {156, 1, 12, .198600},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct tree_bed bed;
        tree_bed_init(&bed, rows[i].n, rows[i].depth, rows[i].s, "auto");
        bed.setup.by_count = true;
        bed.gradient.points = 6552;
        bed.gradient.compute.point = 1e-4;
        bed.gradient.message_time = 1e-3;
        assert_near(time_of(&bed), rows[i].time, 1e-9);
        assert_near(bed.outcome.compute + bed.outcome.receive, rows[i].time, 1e-9);
        tree_bed_clear(&bed);
    }
}

/* Arrivals 5, 1, 9, 2, 2 at one port: with t_c = 2, of the first k = 1, 3, 4, 5 the last is there at
 * 3, 7, 9, 11 (section 4). A star that waits for k of 5. */
static void port(void)
{
    double arrivals[] = {5, 1, 9, 2, 2};
    const struct {
        double takes, done[4];
    } rows[] = {
        {.5, {1.5, 3, 5.5, 9.5}},
        {2,  {3, 7, 9, 11}     },
        {4,  {5, 13, 17, 21}   }
    };
    const uint32_t k[] = {1, 3, 4, 5};

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        for (int j = 0; j < 4; j++) {
            struct tree_bed bed;
            tree_bed_init(&bed, 5, 1, 5 - k[j], "cyclic");
            bed.setup.by_count = true;
            bed.gradient.message_time = rows[i].takes;
            tree_bed_compute(&bed, arrivals, 1);
            assert_near(time_of(&bed), rows[i].done[j], 1e-12);
            tree_bed_clear(&bed);
        }
    }
}

/* (3,2), s = 1, compute of node v (7 v mod 11) + 1: the root has decoded at 8, 8.5, 12 for t_c = 0,
 * 0.5, 2 (section 4, vectors/coded.json). */
static void tree_times(void)
{
    const double takes[] = {0, 0.5, 2}, root[] = {8, 8.5, 12};
    double compute[12];

    for (uint32_t v = 1; v <= 12; v++)
        compute[v - 1] = 7 * v % 11 + 1;
    for (int i = 0; i < 3; i++) {
        struct tree_bed bed;
        tree_bed_init(&bed, 3, 2, 1, "cyclic");
        bed.gradient.message_time = takes[i];
        tree_bed_compute(&bed, compute, 1);
        assert_near(time_of(&bed), root[i], 1e-12);
        tree_bed_clear(&bed);
    }
}

struct row {
    uint32_t n, depth, s;
    const char *code; /* NULL: any code, by count */
    double points, point, rate, takes;
    bool parallel;
    double mean;
    uint32_t draws; /* that the mean is of; 0: exact */
    double digit;   /* the unit of its last one */
};

static void mean_of(const struct row *row, uint32_t n, double *ret_mean, double *ret_error)
{
    struct tree_bed bed;
    double squares = 0;

    tree_bed_init(&bed, row->n, row->depth, row->s, row->code != NULL ? row->code : "auto");
    bed.setup.by_count = row->code == NULL;
    bed.gradient.points = row->points;
    bed.gradient.compute.point = row->point;
    bed.gradient.compute.rate = row->rate;
    bed.gradient.message_time = row->takes;
    bed.run.shared_ports = row->parallel;
    bed.gradient.n_iterations = n;
    tree_bed_run(&bed);
    g_assert_cmpuint(bed.outcome.n_iterations, ==, n);
    double mean = bed.outcome.time / n;
    for (uint32_t i = 0; i < n; i++)
        squares += pow(tree_bed_iteration(&bed, i) - mean, 2);
    *ret_mean = mean;
    *ret_error = sqrt(squares / (n - 1.0) / n);
    tree_bed_clear(&bed);
}

static void check(const struct row *row, size_t n_rows)
{
    uint32_t n = g_test_slow() ? 40000 : 600;
    double mean, error;

    for (size_t i = 0; i < n_rows; i++) {
        mean_of(&row[i], n, &mean, &error);
        if (row[i].draws > 0)
            error *= sqrt(1 + (double)n / row[i].draws);
        if (!(fabs(mean - row[i].mean) <= 4 * error + 0.5 * row[i].digit))
            g_error("(%u,%u) s = %u: %.6g is not %.6g by %.1f standard errors", row[i].n,
                    row[i].depth, row[i].s, mean, row[i].mean, fabs(mean - row[i].mean) / error);
    }
}

/* GC, d = a = mu = 1, t_c = 0: (s + 1) / n (1 + H_n - H_s). */
static void order_statistics(void)
{
    const struct row rows[] = {
        {10,  1, 0,  NULL, 1, 1, 1, 0, false, .392897, 0, 1e-6},
        {10,  1, 1,  NULL, 1, 1, 1, 0, false, .585794, 0, 1e-6},
        {10,  1, 4,  NULL, 1, 1, 1, 0, false, .922817, 0, 1e-6},
        {12,  1, 2,  NULL, 1, 1, 1, 0, false, .650803, 0, 1e-6},
        {50,  1, 10, NULL, 1, 1, 1, 0, false, .565452, 0, 1e-6},
        {156, 1, 0,  NULL, 1, 1, 1, 0, false, .042502, 0, 1e-6},
        {156, 1, 1,  NULL, 1, 1, 1, 0, false, .072183, 0, 1e-6},
        {156, 1, 12, NULL, 1, 1, 1, 0, false, .293922, 0, 1e-6},
    };

    check(rows, G_N_ELEMENTS(rows));
}

/* Parents that receive all at once, d = 1000, a = 1e-3, mu = 1e3. */
static void parallel_trees(void)
{
    const struct row rows[] = {
        {3,  2, 1, NULL, 1000, 1e-3, 1e3, 0,   true, .588244, 0, 1e-6},
        {12, 2, 0, NULL, 1000, 1e-3, 1e3, 0,   true, .042502, 0, 1e-6},
        {12, 2, 1, NULL, 1000, 1e-3, 1e3, 0,   true, .099683, 0, 1e-6},
        {12, 2, 3, NULL, 1000, 1e-3, 1e3, 0,   true, .231021, 0, 1e-6},
        {12, 2, 1, NULL, 1000, 1e-3, 1e3, .01, true, .117850, 0, 1e-6},
        {9,  2, 2, NULL, 1000, 1e-3, 1e3, .01, true, .259054, 0, 1e-6},
        {4,  3, 1, NULL, 1000, 1e-3, 1e3, 0,   true, .208931, 0, 1e-6},
        {4,  3, 1, NULL, 1000, 1e-3, 1e3, .01, true, .231521, 0, 1e-6},
        {10, 1, 2, NULL, 1000, 1e-3, 1e3, .01, true, .738691, 0, 1e-6},
    };

    check(rows, G_N_ELEMENTS(rows));
}

/* One reception at a time, a = 1e-5, mu = 1e5, t_c = 6.3e-4. */
static void serial_ports(void)
{
    const struct row rows[] = {
        {156, 1, 0,  NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .0987027, 40000, 1e-7},
        {156, 1, 1,  NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .0984954, 40000, 1e-7},
        {156, 1, 3,  NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .0980808, 40000, 1e-7},
        {156, 1, 12, NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .0962148, 40000, 1e-7},
        {156, 1, 38, NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .0908244, 40000, 1e-7},
        {12,  2, 0,  NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .0155429, 40000, 1e-7},
        {12,  2, 1,  NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .0154313, 40000, 1e-7},
        {12,  2, 2,  NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .01593,   40000, 1e-5},
        {12,  2, 3,  NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .01754,   40000, 1e-5},
        {12,  2, 5,  NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .02454,   40000, 1e-5},
        {9,   2, 0,  NULL, 6300, 1e-5, 1e5, 6.3e-4, false, .01205,   40000, 1e-5},
        {9,   2, 1,  NULL, 6300, 1e-5, 1e5, 6.3e-4, false, .01279,   40000, 1e-5},
        {9,   2, 2,  NULL, 6300, 1e-5, 1e5, 6.3e-4, false, .01678,   40000, 1e-5},
        {4,   3, 0,  NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .008400,  40000, 1e-6},
        {4,   3, 1,  NULL, 6552, 1e-5, 1e5, 6.3e-4, false, .01528,   40000, 1e-5},
        {156, 1, 12, NULL, 6552, 1e-5, 1e4, 0,      false, .1434,    40000, 1e-4},
        {12,  2, 1,  NULL, 6552, 1e-5, 1e4, 0,      false, .0513,    40000, 1e-4},
        {12,  2, 3,  NULL, 6552, 1e-5, 1e4, 0,      false, .1022,    40000, 1e-4},
    };

    check(rows, G_N_ELEMENTS(rows));
}

/* A group's first arrival against any n - s, t_c = 0, a = 0, mu = 1 a part, d = n. */
static void stop_rules(void)
{
    const struct row rows[] = {
        {12,  1, 1,  "fractional", 12,  0, 1, 0, false, 2.45000,  0, 1e-5},
        {12,  1, 2,  "fractional", 12,  0, 1, 0, false, 2.08333,  0, 1e-5},
        {12,  1, 3,  "fractional", 12,  0, 1, 0, false, 1.83333,  0, 1e-5},
        {12,  1, 5,  "fractional", 12,  0, 1, 0, false, 1.50000,  0, 1e-5},
        {10,  1, 1,  "fractional", 10,  0, 1, 0, false, 2.28333,  0, 1e-5},
        {156, 1, 11, "fractional", 156, 0, 1, 0, false, 3.18013,  0, 1e-5},
        {12,  1, 1,  NULL,         12,  0, 1, 0, false, 4.20642,  0, 1e-5},
        {12,  1, 2,  "cyclic",     12,  0, 1, 0, false, 4.80963,  0, 1e-5},
        {12,  1, 3,  "cyclic",     12,  0, 1, 0, false, 5.07951,  0, 1e-5},
        {12,  1, 5,  "cyclic",     12,  0, 1, 0, false, 4.91926,  0, 1e-5},
        {10,  1, 1,  "cyclic",     10,  0, 1, 0, false, 3.85794,  0, 1e-5},
        {156, 1, 11, NULL,         156, 0, 1, 0, false, 31.32475, 0, 1e-5},
    };

    check(rows, G_N_ELEMENTS(rows));
}

/* The bounds of section 3 hold for means of the engine too. */
static void bounds(void)
{
    const struct row rows[] = {
        {12,  2, 1, NULL, 6552, 1e-5, 1e5, 6.3e-4, false, 0, 0, 0},
        {12,  2, 3, NULL, 6552, 1e-5, 1e5, 6.3e-4, false, 0, 0, 0},
        {156, 1, 3, NULL, 6552, 1e-5, 1e5, 6.3e-4, false, 0, 0, 0},
    };
    double mean, error;

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lag_tree tree = {rows[i].n, rows[i].depth, rows[i].s};
        double load = lag_tree_load(&tree) * 6552;
        struct lag_work work = {1e-5 * load, load / 1e5};
        struct lag_time_bounds limits = lag_tree_time_serial(&tree, &work, 6.3e-4);
        mean_of(&rows[i], 600, &mean, &error);
        g_assert_cmpfloat(mean, >, limits.low - 4 * error);
        g_assert_cmpfloat(mean, <, limits.high + 4 * error);
    }
}

int main(int argc, char *argv[])
{
    gsl_set_error_handler_off();
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tree-run/deterministic", deterministic);
    g_test_add_func("/tree-run/port", port);
    g_test_add_func("/tree-run/tree-times", tree_times);
    g_test_add_func("/tree-run/order-statistics", order_statistics);
    g_test_add_func("/tree-run/parallel-trees", parallel_trees);
    g_test_add_func("/tree-run/serial-ports", serial_ports);
    g_test_add_func("/tree-run/stop-rules", stop_rules);
    g_test_add_func("/tree-run/bounds", bounds);
    return g_test_run();
}
