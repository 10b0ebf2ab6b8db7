/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each code of the table: what it promises for any set of late workers, held by trying all of them;
 * and the numbers of spec/coded-gradients.md, section 1. */
#include <string.h>

#include <glib.h>
#include <gsl/gsl_errno.h>

#include "algorithms/codes/codes.h"
#include "sim/coding/quality.h"
#include "sim/laggard.h"
#include "tests/helpers.h"

static lag_code *code_of(const char *name, uint32_t n, uint32_t s)
{
    struct lag_code_request request = {
        .n_workers = n, .n_stragglers = s, .late = NAN, .seed = 7, .candidates = 1};

    return lag_code_new(lag_code_kind_find(name), &request, NULL);
}

/* All sets of s late workers, for all codes, n <= 9 and s: an exact code decodes each, holds no more
 * than (s + 1) / n of the data a worker, and is not built twice differently. */
static void keeps_its_promise(void)
{
    for (size_t c = 0; lag_code_kinds[c] != NULL; c++) {
        uint32_t n_built = 0;
        for (uint32_t n = 1; n <= 9; n++)
            for (uint32_t s = 0; s < n; s++) {
                g_autoptr(lag_code) code = code_of(lag_code_kinds[c]->name, n, s);
                g_autoptr(lag_code) again = code_of(lag_code_kinds[c]->name, n, s);
                if (code == NULL)
                    continue;
                n_built++;
                g_assert_true(gsl_matrix_equal(code->B, again->B));
                g_assert_true(lag_code_kinds[c]->by_groups == (code->rule == LAG_DECODE_GROUPS));
                struct lag_code_quality quality = lag_code_quality(code, s, 1000, 1);
                g_assert_true(quality.all);
                if (lag_code_kinds[c]->approximate)
                    continue;
                g_assert_cmpuint(quality.n_exact, ==, quality.n_sets);
                g_assert_cmpfloat(lag_code_largest_load(code), <=, (s + 1.0) / n + 1e-12);
            }
        g_assert_cmpuint(n_built, >=, 9);
    }
}

/* 1.2: P(decodable) with m random late workers, printed to four digits; all sets are tried. */
static void fractional_by_groups(void)
{
    static const struct {
        uint32_t s, m;
        double p;
    } rows[] = {
        {1, 2,  0.9091},
        {1, 3,  0.7273},
        {1, 4,  0.4848},
        {1, 5,  0.2424},
        {1, 6,  0.0693},
        {1, 7,  0     },
        {2, 3,  0.9818},
        {2, 4,  0.9273},
        {2, 5,  0.8182},
        {2, 6,  0.6429},
        {2, 7,  0.4091},
        {2, 8,  0.1636},
        {2, 9,  0     },
        {3, 4,  0.9939},
        {3, 5,  0.9697},
        {3, 6,  0.9091},
        {3, 7,  0.7879},
        {3, 8,  0.5818},
        {3, 9,  0.2909},
        {3, 10, 0     },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(lag_code) code = code_of("fractional", 12, rows[i].s);
        struct lag_code_quality quality = lag_code_quality(code, rows[i].m, 1000, 1);
        g_assert_true(quality.all);
        assert_prints((double)quality.n_exact / (double)quality.n_sets, rows[i].p, 1e-4);
        quality = lag_code_quality(code, rows[i].s, 1000, 1);
        assert_near(quality.amplification, 1, 1e-15);
    }
}

static struct lag_code_quality quality_of(const char *name, uint32_t n, uint32_t s,
                                          uint32_t candidates, uint64_t seed)
{
    struct lag_code_request request = {
        .n_workers = n, .n_stragglers = s, .late = NAN, .seed = seed, .candidates = candidates};
    g_autoptr(lag_code) code = lag_code_new(lag_code_kind_find(name), &request, NULL);

    g_assert_nonnull(code);
    return lag_code_quality(code, s, 400, seed);
}

/* 1.5, what has no seed: amplification to the printed digits, residuals below ten times the printed. */
static void circulant_numerics(void)
{
    static const struct {
        uint32_t n, s;
        double amplification, digit, residual;
    } rows[] = {
        {10,  1, 1,    1e-9, 2e-14},
        {12,  1, 1,    1e-9, 8e-14},
        {12,  3, 13.9, 0.1,  1e-13},
        {12,  5, 41.8, 0.1,  4e-13},
        {30,  3, 90.5, 0.1,  1e-12},
        {156, 1, 1,    1e-9, 1e-12},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lag_code_quality quality = quality_of("mds", rows[i].n, rows[i].s, 0, 0);
        assert_prints(quality.amplification, rows[i].amplification, rows[i].digit);
        g_assert_cmpfloat(quality.residual, <=, rows[i].residual);
    }
}

/* 1.5, random weights: the table's own seeds are numpy's, so ours are held to its ranges: (12, 1) from
 * 3.9 to 339 over 101 seeds with a median of 15.5. The best of 50 is within 4 times of theirs. */
static void random_numerics(void)
{
    static const struct {
        uint32_t n, s;
        double best;
    } rows[] = {
        {10, 1, 3.1},
        {10, 4, 215},
        {12, 1, 5.3},
        {12, 2, 47 },
        {12, 3, 179},
        {12, 5, 294},
    };
    uint32_t below = 0;

    for (uint32_t seed = 0; seed < 101; seed++) {
        double amplification = quality_of("cyclic", 12, 1, 1, seed).amplification;
        below += amplification < 15.5;
        g_assert_cmpfloat(amplification, >, 2);
        g_assert_cmpfloat(amplification, <, 3390);
    }
    /* A median of 101 draws: 50 +- 4 x 5 are below it. */
    g_assert_cmpuint(below, >, 30);
    g_assert_cmpuint(below, <, 70);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lag_code_quality one = quality_of("cyclic", rows[i].n, rows[i].s, 1, 0);
        struct lag_code_quality best = quality_of("cyclic", rows[i].n, rows[i].s, 0, 0);
        g_assert_cmpfloat(best.amplification, <=, one.amplification);
        g_assert_cmpfloat(best.amplification, <, 4 * rows[i].best);
        g_assert_cmpfloat(best.residual, <, 1e-10);
    }
    g_assert_cmpfloat(quality_of("cyclic", 156, 12, 1, 0).residual, <, 1e-7);
}

/* What is recommended can be had for all small n and s, and its rounding stays far below what a
 * gradient needs. */
static void recommended(void)
{
    for (uint32_t n = 1; n <= 31; n++)
        for (uint32_t s = 0; s < n; s += n < 13 ? 1 : 5) {
            const struct lag_code_kind *kind = lag_code_kind_recommended(n, s);
            g_autoptr(lag_code) code = code_of(kind->name, n, s);
            g_assert_nonnull(code);
            struct lag_code_quality quality = lag_code_quality_of_runs(code, n);
            g_assert_cmpuint(quality.n_exact, ==, quality.n_sets);
            g_assert_cmpfloat(quality.residual, <, 1e-7);
        }
    g_assert_cmpstr(lag_code_kind_recommended(12, 3)->name, ==, "fractional");
    g_assert_cmpstr(lag_code_kind_recommended(12, 4)->name, ==, "cyclic");
    g_assert_cmpstr(lag_code_kind_recommended(11, 4)->name, ==, "mds");
    g_assert_cmpstr(lag_code_kind_recommended(31, 4)->name, ==, "cyclic");
}

static void assert_refused(const char *name, uint32_t n, uint32_t s, const char *message)
{
    struct lag_code_request request = {.n_workers = n, .n_stragglers = s, .late = NAN};
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_code) code = lag_code_new(lag_code_kind_find(name), &request, &error);

    g_assert_null(code);
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_nonnull(strstr(error->message, message));
}

static void refuses(void)
{
    assert_refused("fractional", 12, 4, "take code cyclic");
    assert_refused("fractional", 12, 12, "0 <= stragglers <= 11");
    assert_refused("fractional", 0, 0, "0 <= stragglers");
    assert_refused("mds", 12, 2, "take code cyclic");
    assert_refused("mds", 90, 9, "take fractional repetition");
    assert_refused("mds", 156, 39, "double precision");
    assert_refused("erasure-head", 30, 3, "4 does not divide 30");
    assert_refused("regular", 9, 2, "take an even number");
    assert_refused("regular", 1, 0, "copies");
}

/* 1.4: the rows printed there, and vectors/coded.json: 1 at both ends, and a palindrome. */
static void circulant_rows(void)
{
    static const struct {
        uint32_t n, s;
        double row[6];
    } rows[] = {
        {5,  2, {1, 1.618033988749895, 1}                                                         },
        {7,  4, {1, 2.2469796037174676, 2.8019377358048385, 2.2469796037174676, 1}                },
        {9,  2, {1, 1.8793852415718169, 1}                                                        },
        {9,  4, {1, 2.8793852415718173, 3.8793852415718177, 2.8793852415718173, 1}                },
        {12, 1, {1, 1}                                                                            },
        {12, 3, {1, 2.732050807568877, 2.732050807568877, 1}                                      },
        {12, 5, {1, 3.732050807568877, 6.464101615137754, 6.464101615137754, 3.732050807568877, 1}},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(lag_code) code = code_of("mds", rows[i].n, rows[i].s);
        for (uint32_t w = 0; w < rows[i].n; w++)
            for (uint32_t k = 0; k <= rows[i].s; k++)
                assert_near(gsl_matrix_get(code->B, w, (w + k) % rows[i].n), rows[i].row[k], 1e-13);
    }
}

/* 1.4: one more late than promised is decoded by luck in so many sets; a random code never does. */
static void luck(void)
{
    static const struct {
        uint32_t n, s;
        uint64_t lucky, sets;
    } rows[] = {
        {4, 1, 2,  6 },
        {6, 1, 6,  15},
        {8, 1, 12, 28},
        {8, 3, 10, 70},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(lag_code) mds = code_of("mds", rows[i].n, rows[i].s);
        g_autoptr(lag_code) cyclic = code_of("cyclic", rows[i].n, rows[i].s);
        struct lag_code_quality quality = lag_code_quality(mds, rows[i].s + 1, 1000, 1);
        g_assert_cmpuint(quality.n_exact, ==, rows[i].lucky);
        g_assert_cmpuint(quality.n_sets, ==, rows[i].sets);
        quality = lag_code_quality(cyclic, rows[i].s + 1, 1000, 1);
        g_assert_cmpuint(quality.n_exact, ==, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/codes/promise", keeps_its_promise);
    g_test_add_func("/codes/fractional-by-groups", fractional_by_groups);
    g_test_add_func("/codes/circulant-rows", circulant_rows);
    g_test_add_func("/codes/luck", luck);
    g_test_add_func("/codes/circulant-numerics", circulant_numerics);
    g_test_add_func("/codes/random-numerics", random_numerics);
    g_test_add_func("/codes/recommended", recommended);
    g_test_add_func("/codes/refuses", refuses);
    return g_test_run();
}
