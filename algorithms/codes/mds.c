/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Circulant MDS: row i of B is the coefficients of prod_{j in J} (x - w^j), w = e^(2 pi i / n), from
 * part i on. J is s consecutive exponents without 0, so that (1, ..., 1) is a codeword, and any n - s
 * rows span the code. It is real where J = -J, which takes an odd n - s: then
 * J = (n - s + 1) / 2 .. (n + s - 1) / 2, whose factors are x^2 - 2 cos(2 pi j / n) x + 1, and x + 1
 * in the middle. Rounding grows fast with n. */
#include <math.h>

#include "sim/coding/code.h"
#include "sim/laggard.h"

/* coefficients[0 .. degree], lowest first, times x^2 + middle x + 1. */
static void multiply(double *coefficients, uint32_t degree, double middle)
{
    for (uint32_t k = degree + 3; k-- > 0;) {
        double a = k <= degree ? coefficients[k] : 0;
        double b = k >= 1 && k - 1 <= degree ? coefficients[k - 1] : 0;
        double c = k >= 2 ? coefficients[k - 2] : 0;
        coefficients[k] = a + middle * b + c;
    }
}

static lag_code *build(const struct lag_code_request *request, GError **error)
{
    uint32_t n = request->n_workers, s = request->n_stragglers;

    if ((n - s) % 2 == 0 && s > 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "code mds is real only where workers - stragglers is odd, and %u - %u is not: "
                    "take code cyclic, whose load is the same, or %u stragglers",
                    n, s, s - 1);
        return NULL;
    }
    lag_code *code = lag_code_zero(request, n, n);
    g_autofree double *row = g_new0(double, s + 3);
    uint32_t degree = s % 2;
    row[0] = row[degree] = 1; /* the factor in the middle: x + 1 where n is even */
    for (uint32_t j = (n + degree + 1) / 2; s > 0 && 2 * j <= n + s - 1; j++, degree += 2)
        multiply(row, degree, -2 * cos(2 * G_PI * j / n));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k <= s; k++)
            gsl_matrix_set(code->B, i, (i + k) % n, row[k]);
    code->rank = n - s;
    code->fewest = (n + s) / (s + 1);
    return code;
}

const struct lag_code_kind lag_code_kind_mds = {
    .name = "mds",
    .summary =
        "circulant MDS: stragglers + 1 neighbouring parts a worker, the same weights for all",
    .source =
        "after Raviv, Tamo, Tandon, Dimakis: Gradient coding from cyclic MDS codes, ICML 2018",
    .build = build,
};
