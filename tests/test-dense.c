/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dense layer's tiles and groups against plain loops, bit by bit. */
#include <string.h>

#include "sim/learner/dense.h"
#include "tests/helpers.h"

#define N 3

static double *random_numbers(gsl_rng *rng, size_t n, double share_of_zeros)
{
    double *numbers = g_new(double, n);

    for (size_t i = 0; i < n; i++)
        numbers[i] = gsl_rng_uniform(rng) < share_of_zeros ? 0 : 2 * gsl_rng_uniform(rng) - 1;
    return numbers;
}

/* One output after the other, each a sum over the features that begins with its constant. */
static void check_forward(struct lag_dense layer, const double *w, const double *const *in)
{
    g_autofree double *out = g_new(double, (size_t)N *layer.n_out);

    lag_dense_forward(layer, w, in, N, out);
    for (uint32_t k = 0; k < N; k++)
        for (uint32_t j = 0; j < layer.n_out; j++) {
            double sum = w[layer.n_in * layer.n_out + j];
            for (uint32_t i = 0; i < layer.n_in; i++)
                sum += in[k][i] * w[i * layer.n_out + j];
            g_assert_cmpfloat(out[k * layer.n_out + j], ==, sum);
        }
}

static void check_add(struct lag_dense layer, const double *w, const double *const *in,
                      const double *slopes)
{
    uint32_t n = lag_dense_n_parameters(layer);
    g_autofree double *sum = g_memdup2(w, n * sizeof *w);

    lag_dense_add(layer, in, slopes, N, sum);
    for (uint32_t i = 0; i <= layer.n_in; i++)
        for (uint32_t j = 0; j < layer.n_out; j++) {
            double expected = w[i * layer.n_out + j];
            for (uint32_t k = 0; k < N; k++)
                expected += (i < layer.n_in ? in[k][i] : 1) * slopes[k * layer.n_out + j];
            g_assert_cmpfloat(sum[i * layer.n_out + j], ==, expected);
        }
}

/* Widths below, at and above what the loops are cut into, with and without zeros. */
static void loops(void)
{
    static const struct lag_dense layers[] = {
        {1,   1 },
        {5,   3 },
        {255, 8 },
        {256, 10},
        {257, 11},
        {600, 21},
    };
    g_autoptr(gsl_rng) rng = test_rng(1);

    for (size_t l = 0; l < G_N_ELEMENTS(layers); l++)
        for (int zeros = 0; zeros <= 2; zeros++) {
            struct lag_dense layer = layers[l];
            g_autofree double *w = random_numbers(rng, lag_dense_n_parameters(layer), 0);
            g_autofree double *features = random_numbers(rng, (size_t)N * layer.n_in, zeros / 2.0);
            g_autofree double *slopes = random_numbers(rng, (size_t)N * layer.n_out, 0);
            const double *in[N] = {features, features + layer.n_in, features + 2 * layer.n_in};
            check_forward(layer, w, in);
            check_add(layer, w, in, slopes);
        }
}

/* Scores 0, log 2, log 5: probabilities 1/8, 2/8, 5/8. Scores that exp() can't take do no harm, and the
 * first of equal scores is the answer. */
static void cross_entropy(void)
{
    double scores[3] = {0, log(2), log(5)}, large[2] = {1e6, -1e6}, equal[2] = {1, 1};
    bool right;

    assert_near(lag_cross_entropy(scores, 3, 1, &right), log(4), 1e-14);
    g_assert_false(right);
    assert_near(scores[0], 0.125, 1e-14);
    assert_near(scores[1], -0.75, 1e-14);
    assert_near(scores[2], 0.625, 1e-14);
    g_assert_cmpfloat(lag_cross_entropy(large, 2, 1, &right), ==, 2e6);
    g_assert_cmpfloat(large[0], ==, 1);
    g_assert_cmpfloat(large[1], ==, -1);
    lag_cross_entropy(equal, 2, 0, &right);
    g_assert_true(right);
    equal[0] = equal[1] = 1;
    lag_cross_entropy(equal, 2, 1, &right);
    g_assert_false(right);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/dense/loops", loops);
    g_test_add_func("/dense/cross-entropy", cross_entropy);
    return g_test_run();
}
