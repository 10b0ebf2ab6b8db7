/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expected times of coded aggregation: closed forms, and the tables of spec/coded-gradients.md 4. */
#include <math.h>

#include <glib.h>
#include <gsl/gsl_errno.h>

#include "sim/coding/expected.h"
#include "tests/helpers.h"

static struct lag_work work_of(double points, double a, double mu)
{
    return (struct lag_work){.shift = a * points, .tail = points / mu};
}

/* Section 4, order statistics: a = d = mu = 1, t_c = 0, a star. By the closed form, and by the integral
 * with one layer, which must be the same. */
static void stars(void)
{
    static const struct {
        uint32_t n, s;
        double mean;
    } rows[] = {
        {10,  0,  .3928968253968254},
        {10,  1,  .5857936507936508},
        {10,  4,  .9228174603174604},
        {12,  2,  .6508026695526694},
        {50,  10, .5654521585594573},
        {156, 12, .2939218914897769},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lag_tree tree = {rows[i].n, 1, rows[i].s};
        struct lag_work work = work_of(lag_tree_load(&tree), 1, 1);
        assert_near(lag_work_kth(&work, rows[i].n - rows[i].s, rows[i].n), rows[i].mean, 1e-13);
        assert_near(lag_tree_time_parallel(&tree, &work, 0), rows[i].mean, 1e-9);
        assert_near(lag_tree_time_parallel(&tree, &work, 0.25), rows[i].mean + 0.25, 1e-9);
    }
    struct lag_tree tree = {156, 1, 0};
    struct lag_work work = work_of(lag_tree_load(&tree), 1, 1);
    assert_prints(lag_work_kth(&work, 156, 156), .042502, 1e-6);
    tree.stragglers = 1;
    work = work_of(lag_tree_load(&tree), 1, 1);
    assert_prints(lag_work_kth(&work, 155, 156), .072183, 1e-6);
}

/* Section 4, trees with parallel ports: d = 1000, a = 1e-3, mu = 1e3. The table's own quadrature is
 * good to 1e-5. (12, 2), s = 0 has a closed form, the slowest of 156. */
static void trees(void)
{
    static const struct {
        struct lag_tree tree;
        double message, mean;
    } rows[] = {
        {{3, 2, 1},  0,   .588244},
        {{12, 2, 0}, 0,   .042502},
        {{12, 2, 1}, 0,   .099683},
        {{12, 2, 3}, 0,   .231021},
        {{12, 2, 1}, .01, .117850},
        {{9, 2, 2},  .01, .259054},
        {{4, 3, 1},  0,   .208931},
        {{4, 3, 1},  .01, .231521},
        {{10, 1, 2}, .01, .738691},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lag_work work = work_of(1000 * lag_tree_load(&rows[i].tree), 1e-3, 1e3);
        double mean = lag_tree_time_parallel(&rows[i].tree, &work, rows[i].message);
        g_assert_cmpfloat(fabs(mean - rows[i].mean), <=, 1.5e-6);
        struct lag_time_bounds serial = lag_tree_time_serial(&rows[i].tree, &work, 0);
        assert_near(serial.low, serial.high, 1e-12);
    }
    struct lag_work work = work_of(1000.0 / 156, 1e-3, 1e3);
    assert_near(lag_tree_time_parallel(&(struct lag_tree){12, 2, 0}, &work, 0),
                lag_work_kth(&work, 156, 156), 1e-9);
}

/* (2, 2), s = 1: the root is the sooner of two of max(own, the sooner of two leaves) + message. With
 * F = 1 - e^-u, m = 1 tail: for a layer-1 node P(later than 1 + u) = 1 - (1 - e^-(u + 1))(1 - e^-2u),
 * squared and integrated: with x = e^-u, e = e^-1, (e x + x^2 - e x^3)^2 has the integral over u
 * e^2/2 + 1/4 + e^2/6 + 2e/3 - 2e^2/4 - 2e/5. */
static void tree_by_hand(void)
{
    const struct lag_tree tree = {2, 2, 1};
    const struct lag_work work = {.shift = 3, .tail = 2};
    double e = exp(-1), integral = e * e / 2 + 0.25 + e * e / 6 + 2 * e / 3 - e * e / 2 - 2 * e / 5;

    assert_near(lag_tree_time_parallel(&tree, &work, 2), 3 + 2 * 2 + 2 * integral, 1e-9);
}

/* Section 4, deterministic: d = 6552, a = 1e-4, t_c = 1e-3; exact. */
static void deterministic(void)
{
    static const struct {
        struct lag_tree tree;
        double time;
    } rows[] = {
        {{12, 2, 0},   .028200},
        {{12, 2, 1},   .037600},
        {{12, 2, 2},   .052760},
        {{12, 2, 3},   .072600},
        {{156, 1, 0},  .160200},
        {{156, 1, 1},  .163400},
        {{156, 1, 12}, .198600},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lag_work work = work_of(6552 * lag_tree_load(&rows[i].tree), 1e-4, INFINITY);
        struct lag_time_bounds bounds = lag_tree_time_serial(&rows[i].tree, &work, 1e-3);
        assert_near(bounds.low, rows[i].time, 1e-12);
        assert_near(bounds.high, rows[i].time, 1e-12);
    }
    struct lag_work work = work_of(42, 1e-4, INFINITY);
    assert_prints(lag_ring_time(156, &work, 1e-3, 0), .006187, 1e-6);
}

/* Section 4: groups against count, t_c = 0, a = 0, mu = 1 a part, d = n. */
static void groups(void)
{
    static const struct {
        uint32_t n, s;
        double groups, count;
    } rows[] = {
        {12,  1,  2.45000, 4.20642 },
        {12,  2,  2.08333, 4.80963 },
        {12,  3,  1.83333, 5.07951 },
        {12,  5,  1.50000, 4.91926 },
        {10,  1,  2.28333, 3.85794 },
        {156, 11, 3.18013, 31.32475},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lag_work work = {.tail = rows[i].s + 1};
        assert_prints(lag_work_groups(&work, rows[i].n, rows[i].s + 1), rows[i].groups, 1e-5);
        assert_prints(lag_work_kth(&work, rows[i].n - rows[i].s, rows[i].n), rows[i].count, 1e-5);
    }
}

/* Rings of section 4 that are exact: d = 6552, a = 1e-5, mu = 1e5, t_c = 6.3e-4. */
static void rings(void)
{
    struct lag_work work = work_of(42, 1e-5, 1e5);

    assert_prints(lag_ring_time(156, &work, 6.3e-4, 0), .004037, 1e-6);
    assert_prints(lag_ring_time(156, &work, 6.3e-4, 1e-4), .035037, 1e-6);
    assert_prints(lag_ring_time(156, &work, 6.3e-4, 5e-4), .159037, 1e-6);
}

/* H_10 = 7381 / 2520; the series meets the sum where it takes over. */
static void harmonic(void)
{
    assert_near(lag_harmonic(10), 7381.0 / 2520, 1e-15);
    assert_near(lag_harmonic(1000001), lag_harmonic(1000000) + 1.0 / 1000001, 1e-14);
    g_assert_cmpfloat(lag_harmonic(0), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/expected/stars", stars);
    g_test_add_func("/expected/trees", trees);
    g_test_add_func("/expected/tree-by-hand", tree_by_hand);
    g_test_add_func("/expected/deterministic", deterministic);
    g_test_add_func("/expected/groups", groups);
    g_test_add_func("/expected/rings", rings);
    g_test_add_func("/expected/harmonic", harmonic);
    return g_test_run();
}
