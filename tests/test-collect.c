/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Approximate codes: the errors |1 - a B|^2 / n of spec/coded-gradients.md, 1.6, exactly where all sets
 * of late workers can be tried, else within 4 standard errors. */
#include <math.h>

#include <glib.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>

#include "algorithms/codes/codes.h"
#include "sim/coding/quality.h"
#include "sim/laggard.h"
#include "tests/helpers.h"

static lag_code *code_of(const char *name, struct lag_code_request request)
{
    lag_code *code = lag_code_new(lag_code_kind_find(name), &request, NULL);

    g_assert_nonnull(code);
    return code;
}

/* What m random late workers leave. */
struct errors {
    double sum, squares, largest;
    uint32_t n;
};
static void sample(const lag_code *code, uint32_t m, uint32_t n_samples, const gsl_rng *rng,
                   struct errors *errors)
{
    uint32_t n = code->n_workers;
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);
    g_autofree size_t *all = g_new(size_t, n), *late = g_new(size_t, n);
    g_autofree bool *arrived = g_new(bool, n);

    for (uint32_t i = 0; i < n; i++)
        all[i] = i;
    for (uint32_t k = 0; k < n_samples; k++) {
        gsl_ran_choose(rng, late, m, all, n, sizeof *all);
        for (uint32_t i = 0; i < n; i++)
            arrived[i] = true;
        for (uint32_t i = 0; i < m; i++)
            arrived[late[i]] = false;
        double error = lag_decoder_decode(decoder, arrived).error;
        errors->sum += error;
        errors->squares += error * error;
        errors->largest = fmax(errors->largest, error);
        errors->n++;
    }
}

static double mean(const struct errors *errors)
{
    return errors->sum / errors->n;
}

static void assert_mean(const struct errors *errors, double wanted)
{
    double variance = errors->squares / errors->n - mean(errors) * mean(errors);

    g_assert_cmpfloat(fabs(mean(errors) - wanted), <=, 4 * sqrt(variance / errors->n) + 1e-12);
}

/* C(n - s - 1, m - s - 1) / C(n, m): all sets for n = 12, samples for n = 30. */
static void erasure_head(void)
{
    static const struct {
        uint32_t n, s, collect;
        double error;
    } rows[] = {
        {12, 2, 6,  0.09091},
        {12, 1, 9,  0.04545},
        {30, 2, 15, 0.11207},
        {30, 2, 20, 0.02956},
    };
    g_autoptr(gsl_rng) rng = test_rng(5);

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lag_code_request request = {
            .n_workers = rows[i].n, .n_stragglers = rows[i].s, .collect = rows[i].collect};
        g_autoptr(lag_code) code = code_of("erasure-head", request);
        uint32_t m = rows[i].n - rows[i].collect, s = rows[i].s;
        double exact = exp(lgamma(rows[i].n - s) - lgamma(m - s) + lgamma(m + 1) -
                           lgamma(rows[i].n + 1.0)); /* (n-s-1)! m! / ((m-s-1)! n!) */
        assert_prints(exact, rows[i].error, 1e-5);
        g_assert_cmpuint(code->enough, ==, rows[i].collect);
        if (rows[i].n == 12) {
            struct lag_code_quality quality = lag_code_quality(code, m, 1000, 1);
            g_assert_true(quality.all);
            assert_near(quality.error, exact, 1e-12);
        } else {
            struct errors errors = {0};
            sample(code, m, 4000, rng, &errors);
            assert_mean(&errors, exact);
        }
    }
}

/* It stops when all groups have come, or when so many have: with two of three groups of (6, 1) there,
 * at the fourth message and not before. */
static void stops(void)
{
    struct lag_code_request request = {.n_workers = 6, .n_stragglers = 1, .collect = 4};
    const bool three[] = {true, true, true, false, false, false};
    const bool four[] = {true, true, true, true, false, false};
    const bool groups[] = {true, false, true, false, false, true};
    g_autoptr(lag_code) code = code_of("erasure-head", request);
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);

    g_assert_false(lag_decoder_ready(decoder, three));
    g_assert_true(lag_decoder_ready(decoder, four));
    g_assert_false(lag_decoder_decodable(decoder, four));
    g_assert_true(lag_decoder_ready(decoder, groups));
    g_assert_true(lag_decoder_decodable(decoder, groups));
}

/* All 2^10 patterns with their probabilities: each part's weight has the mean 1 and the variance
 * q / (delta (1 - q)) = 0.2 / (3 x 0.8) = 0.08333. */
static void stochastic(void)
{
    struct lag_code_request request = {
        .n_workers = 10, .n_stragglers = 2, .copies = 3, .late = 0.2, .seed = 4};
    g_autoptr(lag_code) code = code_of("stochastic", request);
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);
    double mean_of[10] = {0}, square_of[10] = {0};

    for (unsigned pattern = 0; pattern < 1024; pattern++) {
        bool arrived[10];
        double p = 1;
        for (unsigned i = 0; i < 10; i++) {
            arrived[i] = pattern >> i & 1;
            p *= arrived[i] ? 0.8 : 0.2;
        }
        struct lag_decoding decoding = lag_decoder_decode(decoder, arrived);
        for (unsigned j = 0; j < 10; j++) {
            double weight = 0;
            for (unsigned i = 0; i < 10; i++)
                weight += decoding.weights[i] * gsl_matrix_get(code->B, i, j);
            mean_of[j] += p * weight;
            square_of[j] += p * weight * weight;
        }
    }
    for (unsigned j = 0; j < 10; j++) {
        assert_near(mean_of[j], 1, 1e-12);
        assert_near(square_of[j] - 1, 0.2 / (3 * 0.8), 1e-12);
        assert_near(lag_code_load(code, j), 0.3, 1e-15);
    }
}

/* The second largest |eigenvalue| of a regular graph of this degree; the largest is the degree. */
static double lambda_2(const lag_code *code, double degree)
{
    size_t n = code->n_workers;
    gsl_matrix *A = gsl_matrix_alloc(n, n);
    gsl_eigen_symm_workspace *work = gsl_eigen_symm_alloc(n);
    gsl_vector *values = gsl_vector_alloc(n);
    double largest = 0, second = 0;

    gsl_matrix_memcpy(A, code->B);
    gsl_matrix_scale(A, degree);
    gsl_eigen_symm(A, values, work);
    for (size_t i = 0; i < n; i++) {
        double value = fabs(gsl_vector_get(values, i));
        second = fmax(second, fmin(value, largest));
        largest = fmax(largest, value);
    }
    g_assert_cmpfloat_with_epsilon(largest, degree, 1e-9);
    gsl_matrix_free(A);
    gsl_vector_free(values);
    gsl_eigen_symm_free(work);
    return second;
}

/* n = 50, degree 6: the error of one step is below (lambda_2 / 6)^2 s / (n - s) for each set, that of
 * least squares far below that on average. A random 6-regular graph has lambda_2 near 2 sqrt 5. */
static void regular(void)
{
    struct lag_code_request request = {.n_workers = 50, .n_stragglers = 10, .copies = 6, .seed = 2};
    g_autoptr(lag_code) one_step = code_of("regular", request);
    request.least_squares = true;
    g_autoptr(lag_code) best = code_of("regular", request);
    g_autoptr(gsl_rng) rng = test_rng(9);
    double lambda = lambda_2(one_step, 6);

    g_assert_cmpfloat(lambda, >, 3.5);
    g_assert_cmpfloat(lambda, <, 5.2);
    for (uint32_t i = 0; i < 50; i++) {
        assert_near(lag_code_load(one_step, i), 6.0 / 50, 1e-15);
        g_assert_cmpfloat(gsl_matrix_get(one_step->B, i, i), ==, 0);
    }
    for (uint32_t s = 5; s <= 20; s *= 2) {
        struct errors plain = {0}, least = {0};
        sample(one_step, s, 500, rng, &plain);
        sample(best, s, 50, rng, &least);
        g_assert_cmpfloat(plain.largest, <=, lambda * lambda / 36 * s / (50 - s) + 1e-12);
        g_assert_cmpfloat(mean(&least), <, mean(&plain) / 2);
        g_assert_cmpfloat(mean(&plain), <, s / (50.0 - s) / 3);
    }
}

/* (1 - c / n) n / (k c) over codes and sets: n = 100, c = 10. */
static void bernoulli(void)
{
    g_autoptr(gsl_rng) rng = test_rng(3);

    for (uint32_t s = 10; s <= 30; s += 20) {
        struct errors errors = {0};
        for (uint32_t seed = 0; seed < 200; seed++) {
            struct lag_code_request request = {
                .n_workers = 100, .n_stragglers = s, .copies = 10, .seed = seed};
            g_autoptr(lag_code) code = code_of("bernoulli", request);
            sample(code, s, 1, rng, &errors);
        }
        assert_mean(&errors, 0.9 * 100 / ((100 - s) * 10.0));
    }
}

/* s / (n - s), whoever they are. By least squares the best without the late ones' data is not to scale:
 * s / n. */
static void ignore(void)
{
    struct lag_code_request request = {.n_workers = 9, .n_stragglers = 3};
    g_autoptr(lag_code) code = code_of("ignore", request);
    request.least_squares = true;
    g_autoptr(lag_code) unscaled = code_of("ignore", request);

    assert_near(lag_code_quality(code, 3, 100, 1).error, 0.5, 1e-12);
    assert_near(lag_code_quality(unscaled, 3, 100, 1).error, 3.0 / 9, 1e-12);
    g_assert_cmpuint(lag_code_quality(code, 0, 100, 1).n_exact, ==, 1);
}

/* Two messages a worker: (6, 1) with P = 4 is 2 own parts each and 6 coded ones, 18 in all; a worker
 * holds 4. Without an own part nothing helps, without one coded message of each group all is well. */
static void partial(void)
{
    struct lag_code_request request = {.n_workers = 6, .n_stragglers = 1, .parts = 4};
    g_autoptr(lag_code) code = code_of("partial", request);
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);
    bool arrived[12];

    g_assert_cmpuint(code->n_messages, ==, 12);
    g_assert_cmpuint(code->n_parts, ==, 18);
    assert_near(lag_code_load(code, 5), 4.0 / 18, 1e-15);
    for (unsigned i = 0; i < 12; i++)
        arrived[i] = i < 6 || i % 2 == 0;
    struct lag_decoding decoding = lag_decoder_decode(decoder, arrived);
    g_assert_true(decoding.exact && lag_decoder_decodable(decoder, arrived));
    g_assert_cmpuint(decoding.n_used, ==, 9);
    arrived[2] = false;
    g_assert_false(lag_decoder_decodable(decoder, arrived));
    assert_near(lag_decoder_decode(decoder, arrived).error, 2.0 / 18, 1e-12);
    g_assert_cmpuint(lag_code_sender(code, 8), ==, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/collect/erasure-head", erasure_head);
    g_test_add_func("/collect/stops", stops);
    g_test_add_func("/collect/stochastic", stochastic);
    g_test_add_func("/collect/regular", regular);
    g_test_add_func("/collect/bernoulli", bernoulli);
    g_test_add_func("/collect/ignore", ignore);
    g_test_add_func("/collect/partial", partial);
    return g_test_run();
}
