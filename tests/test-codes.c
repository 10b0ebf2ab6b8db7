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
    struct lag_code_request request = {.n_workers = n, .n_stragglers = s, .late = NAN, .seed = 7};

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
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/codes/promise", keeps_its_promise);
    g_test_add_func("/codes/fractional-by-groups", fractional_by_groups);
    g_test_add_func("/codes/refuses", refuses);
    return g_test_run();
}
