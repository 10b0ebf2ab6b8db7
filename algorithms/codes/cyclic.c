/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cyclic repetition with random weights, for any s < n. H is a random s x n matrix whose rows sum to
 * 0; row i of B is the combination of parts i .. i + s (mod n), with 1 on part i, that H takes to 0.
 * Then all rows of B lie in the null space of H, whose dimension is n - s and which holds
 * (1, ..., 1); with probability 1 any n - s of them span it, and fewer than that never hold it. Of
 * several random H the one that amplifies rounding least is taken. */
#include "algorithms/codes/cyclic.h"

#include <math.h>

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_randist.h>

#include "sim/coding/least-squares.h"
#include "sim/coding/quality.h"

/* How many are tried, and on how many sets of stragglers each, by the number of workers. */
static const struct {
    uint32_t most_workers, candidates, sets;
} effort[] = {
    {30,         50, 400},
    {256,        8,  40 },
    {UINT32_MAX, 1,  40 }
};

typedef gsl_permutation lag_permutation;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_permutation, gsl_permutation_free)

static gsl_matrix *random_H(const struct lag_code_request *request, uint16_t candidate)
{
    uint32_t s = request->n_stragglers, n = request->n_workers;
    gsl_matrix *H = gsl_matrix_calloc(s, n);
    struct lag_stream stream;

    lag_code_stream(request, candidate, &stream);
    for (uint32_t r = 0; r < s; r++)
        for (uint32_t j = 0; j + 1 < n; j++) {
            double x = gsl_ran_ugaussian(&stream.rng);
            gsl_matrix_set(H, r, j, x);
            *gsl_matrix_ptr(H, r, n - 1) -= x;
        }
    return H;
}

void lag_code_fill_cyclic(const gsl_matrix *H, gsl_matrix *B)
{
    uint32_t s = (uint32_t)H->size1, n = (uint32_t)H->size2;
    g_autoptr(gsl_matrix) A = gsl_matrix_alloc(s, s);
    g_autoptr(gsl_vector) b = gsl_vector_alloc(s), x = gsl_vector_alloc(s);
    g_autoptr(lag_permutation) order = gsl_permutation_alloc(s);

    for (uint32_t i = 0; i < n; i++) {
        int sign = 0;
        for (uint32_t r = 0; r < s; r++) {
            gsl_vector_set(b, r, -gsl_matrix_get(H, r, i));
            for (uint32_t k = 0; k < s; k++)
                gsl_matrix_set(A, r, k, gsl_matrix_get(H, r, (i + 1 + k) % n));
        }
        gsl_linalg_LU_decomp(A, order, &sign);
        gsl_linalg_LU_solve(A, order, b, x);
        gsl_matrix_set(B, i, i, 1);
        for (uint32_t k = 0; k < s; k++)
            gsl_matrix_set(B, i, (i + 1 + k) % n, gsl_vector_get(x, k));
    }
}

static lag_code *candidate_new(const struct lag_code_request *request, uint16_t candidate)
{
    uint32_t s = request->n_stragglers, n = request->n_workers;
    lag_code *code = lag_code_zero(request, n, n);

    code->rank = code->fewest = n - s;
    if (s == 0) {
        gsl_matrix_set_identity(code->B);
    } else if (s + 1 == n) {
        gsl_matrix_set_all(code->B, 1); /* the null space of H is (1, ..., 1) alone */
    } else {
        g_autoptr(gsl_matrix) H = random_H(request, candidate);
        lag_code_fill_cyclic(H, code->B);
    }
    return code;
}

lag_code *lag_code_cyclic(const struct lag_code_request *request)
{
    uint32_t n = request->n_workers, n_candidates = request->candidates, size = 0;
    bool is_random = request->n_stragglers > 0 && request->n_stragglers + 1 < n;

    while (n > effort[size].most_workers)
        size++;
    if (n_candidates == 0)
        n_candidates = effort[size].candidates;
    g_autoptr(lag_code) best = candidate_new(request, 0);
    if (!is_random || n_candidates == 1)
        return g_steal_pointer(&best);
    double least = INFINITY;
    for (uint32_t k = 0; k < MIN(n_candidates, UINT16_MAX); k++) {
        lag_code *code = candidate_new(request, (uint16_t)k);
        struct lag_code_quality quality =
            lag_code_quality(code, request->n_stragglers, effort[size].sets, request->seed);
        bool is_better = quality.n_exact == quality.n_sets && quality.amplification < least;
        if (is_better) {
            least = quality.amplification;
            lag_code *other = best;
            best = code;
            code = other;
        }
        lag_code_free(code);
    }
    return g_steal_pointer(&best);
}

static lag_code *build(const struct lag_code_request *request, GError **error)
{
    (void)error;
    return lag_code_cyclic(request);
}

const struct lag_code_kind lag_code_kind_cyclic = {
    .name = "cyclic",
    .summary = "cyclic repetition, random weights: stragglers + 1 neighbouring parts a worker",
    .source = "Tandon, Lei, Dimakis, Karampatziakis: Gradient coding, ICML 2017, section 5",
    .uses = LAG_CODE_CANDIDATES,
    .build = build,
};
