/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A learner against the published vectors, and its parts by hand. */
#include <string.h>

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>

#include "tests/helpers.h"
#include "tests/learner-helpers.h"

/* The generated problem is the oracle's: f(0) to the bit; f* and L from A'A / n and A'y / n, which
 * GSL factors in another order than the oracle does. */
static void problem_is_the_oracles(void)
{
    g_auto(oracle_problem) problem = {0};
    oracle_problem_init(&problem);
    const struct lag_samples *train = &problem.model->dataset->train;
    const double zero[8] = {0};
    gsl_matrix *normal = gsl_matrix_calloc(8, 8), *copy = gsl_matrix_alloc(8, 8);
    gsl_vector *right = gsl_vector_calloc(8), *values = gsl_vector_alloc(8);
    gsl_eigen_symm_workspace *work = gsl_eigen_symm_alloc(8);

    g_assert_cmpfloat(oracle_loss(&problem, zero), ==, ORACLE_LOSS_START);
    for (uint32_t row = 0; row < train->n; row++)
        for (uint32_t i = 0; i < 8; i++) {
            const double *a = &train->numbers[row * 8];
            *gsl_vector_ptr(right, i) += a[i] * train->targets[row] / train->n;
            for (uint32_t j = 0; j < 8; j++)
                *gsl_matrix_ptr(normal, i, j) += a[i] * a[j] / train->n;
        }
    gsl_matrix_memcpy(copy, normal);
    gsl_linalg_cholesky_decomp1(copy);
    gsl_linalg_cholesky_svx(copy, right);
    assert_near(oracle_loss(&problem, right->data), ORACLE_LOSS_LEAST, 1e-12);
    gsl_eigen_symm(normal, values, work);
    assert_near(gsl_vector_max(values), ORACLE_CURVATURE, 2e-12);
    gsl_eigen_symm_free(work);
    gsl_vector_free(values);
    gsl_vector_free(right);
    gsl_matrix_free(copy);
    gsl_matrix_free(normal);
}

static void add(double *sum, const double *part)
{
    for (int i = 0; i < 8; i++)
        sum[i] += part[i];
}

/* Bulk-synchronous SGD by hand: 20 updates of 4 workers with 4 samples each, sums of the workers
 * in their order. Section 7 of the specification, row BSP (x[7] from the oracle's output). */
static void bulk_synchronous(void)
{
    g_auto(oracle_problem) problem = {0};
    oracle_problem_init(&problem);
    g_autoptr(lag_learner) learner = lag_learner_new(&problem.setup, 4, NULL);
    double x[8];

    for (int again = 0; again < 2; again++) {
        lag_learner_start(learner, ORACLE_SEED, 0, x);
        for (int update = 0; update < 20; update++) {
            double all[8] = {0};
            for (uint32_t worker = 0; worker < 4; worker++) {
                double own[8] = {0};
                uint32_t indices[4];
                lag_learner_draw(learner, worker, 4, indices);
                lag_learner_add_gradient(learner, x, indices, 4, own);
                add(all, own);
            }
            g_assert_true(lag_learner_step(learner, x, all, 16, 1));
            g_assert_true(lag_learner_test_due(learner));
        }
        oracle_assert(&problem, x, 0.037929334814572835, 0.15310749039870319, NAN);
    }
}

/* Local SGD by hand: 20 rounds of 4 steps each of 4 workers on their own copies, then the mean;
 * section 7, row "local 4". */
static void local(void)
{
    g_auto(oracle_problem) problem = {0};
    oracle_problem_init(&problem);
    g_autoptr(lag_learner) learner = lag_learner_new(&problem.setup, 4, NULL);
    double x[8];

    lag_learner_start(learner, ORACLE_SEED, 0, x);
    for (int round = 0; round < 20; round++) {
        double all[8] = {0};
        for (uint32_t worker = 0; worker < 4; worker++) {
            double own[8];
            memcpy(own, x, sizeof own);
            for (int step = 0; step < 4; step++) {
                double sum[8] = {0};
                uint32_t indices[4];
                lag_learner_draw(learner, worker, 4, indices);
                lag_learner_add_gradient(learner, own, indices, 4, sum);
                g_assert_true(lag_learner_step_alone(learner, own, sum, 4, 1));
            }
            add(all, own);
        }
        for (int i = 0; i < 8; i++)
            x[i] = all[i] / 4;
    }
    oracle_assert(&problem, x, 0.036854301613795333, 0.1646491771517527, NAN);
}

/* One sample at a time: a=eta lambda > 2 makes each step grow, until a number isn't finite. */
static void divergence(void)
{
    g_auto(oracle_problem) problem = {0};
    oracle_problem_init(&problem);
    problem.setup.optimizer.rate = 50;
    g_autoptr(lag_learner) learner = lag_learner_new(&problem.setup, 1, NULL);
    double x[8];
    int steps = 0;

    lag_learner_start(learner, 1, 0, x);
    for (bool finite = true; finite; steps++) {
        double sum[8] = {0};
        uint32_t indices[4];
        lag_learner_draw(learner, 0, 4, indices);
        lag_learner_add_gradient(learner, x, indices, 4, sum);
        finite = lag_learner_step(learner, x, sum, 4, 1);
        g_assert_cmpint(steps, <, 10000);
    }
    g_assert_cmpint(steps, >, 10);
}

/* f(x) = (x - 1)^2 / 2, or with targets 1 + 1 and 1 - 1 in turn: gradient noise of variance 1. */
static lag_model *parabola(bool noisy)
{
    g_autoptr(lag_dataset) dataset = lag_dataset_new("parabola", 1, 0);
    g_autoptr(GError) error = NULL;
    struct lag_samples *train = &dataset->train;

    train->n = noisy ? 2 : 1;
    train->numbers = g_memdup2((const double[]){1, 1}, 2 * sizeof(double));
    train->targets = g_memdup2((const double[]){noisy ? 2 : 1, 0}, 2 * sizeof(double));
    lag_model *model = lag_model_new(lag_model_kind_find("least-squares"), dataset, 0, &error);
    g_assert_no_error(error);
    return model;
}

/* n updates by one sample's gradient each, taken `delay` versions ago; the mean of (x - 1)^2 over the last
 * half. */
static double delayed(lag_model *model, double rate, uint32_t delay, uint32_t n, uint64_t seed)
{
    const struct lag_learner_setup setup = {.model = model, .optimizer = {.rate = rate}};
    g_autoptr(lag_learner) learner = lag_learner_new(&setup, 1, NULL);
    double x[8] = {0}, squares = 0; /* x[0] is the newest version */

    lag_learner_start(learner, seed, 0, x);
    for (uint32_t k = 0; k < n; k++) {
        double sum = 0, newest = x[0];
        uint32_t index;
        lag_learner_draw(learner, 0, 1, &index);
        lag_learner_add_gradient(learner, &x[MIN(delay, k)], &index, 1, &sum);
        lag_learner_step(learner, &newest, &sum, 1, 1);
        memmove(&x[1], &x[0], 7 * sizeof *x);
        x[0] = newest;
        squares += k >= n / 2 ? (newest - 1) * (newest - 1) : 0;
    }
    return squares / (n - n / 2);
}

/* Section 2.4 of the specification: x(k+1) = x(k) - a x(k-d) is stable iff
 * a < 2 sin(pi / (2 (2 d + 1))): 2, 1, 0.618034, 0.445042, and 0.241073 for d = 6. One hundredth
 * below 20,000 steps shrink the error, one hundredth above they blow it up. */
static void stability(void)
{
    static const struct {
        uint32_t delay;
        double limit;
    } cases[] = {
        {0, 2       },
        {1, 1       },
        {2, 0.618034},
        {3, 0.445042},
        {6, 0.241073}
    };
    g_autoptr(lag_model) model = parabola(false);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint32_t delay = cases[i].delay;
        assert_near(cases[i].limit, 2 * sin(M_PI / (2 * (2 * delay + 1.0))), 1e-5);
        g_assert_cmpfloat(delayed(model, 0.99 * cases[i].limit, delay, 20000, 1), <, 1e-3);
        g_assert_cmpfloat(delayed(model, 1.01 * cases[i].limit, delay, 20000, 1), >, 1e3);
    }
}

/* The same section: with noise of variance 1 the stationary variance of x is a / (2 - a) without
 * delay, and a (1 + a) / ((1 - a) (2 + a)) with a delay of one. A million steps, whose errors
 * are correlated over about 1/a of them: 4 standard errors are below 2 % (a = 0.1), and 4 % at
 * 0.9, where the error of a delayed step is near its limit of stability. */
static void stationary_variance(void)
{
    g_autoptr(lag_model) model = parabola(true);

    for (int i = 1; i <= 9; i += 4) {
        double a = i / 10.0;
        assert_near(delayed(model, a, 0, 1000000, 3), a / (2 - a), 0.02);
        assert_near(delayed(model, a, 1, 1000000, 3), a * (1 + a) / ((1 - a) * (2 + a)), 0.04);
    }
}

/* Replications and seeds draw other samples; the same ones the same. */
static void streams(void)
{
    g_auto(oracle_problem) problem = {0};
    oracle_problem_init(&problem);
    g_autoptr(lag_learner) learner = lag_learner_new(&problem.setup, 2, NULL);
    static const struct {
        uint64_t seed;
        uint32_t replication;
    } runs[] = {
        {7, 0},
        {7, 1},
        {7, 2},
        {8, 0},
        {7, 0}
    };
    uint32_t drawn[5][2][16];
    double x[8];

    for (int i = 0; i < 5; i++) {
        lag_learner_start(learner, runs[i].seed, runs[i].replication, x);
        for (uint32_t worker = 0; worker < 2; worker++)
            lag_learner_draw(learner, worker, 16, drawn[i][worker]);
        g_assert_true(memcmp(drawn[i][0], drawn[i][1], sizeof drawn[i][0]) != 0);
        for (int j = 0; j < i; j++)
            g_assert_cmpint(memcmp(drawn[i], drawn[j], sizeof drawn[i]) == 0, ==, i == 4 && j == 0);
    }
}

/* With a test every 10 samples, updates of 4 are followed by one at 12, 20, 32, 40. */
static void tests_are_due(void)
{
    g_auto(oracle_problem) problem = {0};
    oracle_problem_init(&problem);
    problem.setup.test_every = 10;
    g_autoptr(lag_learner) learner = lag_learner_new(&problem.setup, 1, NULL);
    static const bool due[] = {false, false, true, false, true, false, false, true, false, true};
    double x[8], zero[8] = {0};

    lag_learner_start(learner, 1, 0, x);
    for (int i = 0; i < 10; i++) {
        if (i % 2 == 0)
            lag_learner_count(learner, 4);
        else
            lag_learner_step(learner, x, zero, 4, 1);
        g_assert_cmpint(lag_learner_test_due(learner), ==, due[i]);
        g_assert_false(lag_learner_test_due(learner));
    }
}

static void null_learner(void)
{
    g_autoptr(lag_learner) learner = lag_learner_new(NULL, 4, NULL);
    double loss = 0, accuracy = 0;

    g_assert_cmpuint(lag_learner_n_parameters(learner), ==, 0);
    lag_learner_start(learner, 1, 0, NULL);
    lag_learner_draw(learner, 3, 100, NULL);
    lag_learner_set_weights(learner, NULL);
    lag_learner_add_gradient(learner, NULL, NULL, 100, NULL);
    g_assert_true(lag_learner_step(learner, NULL, NULL, 4, 1));
    g_assert_true(lag_learner_step_alone(learner, NULL, NULL, 4, 1));
    lag_learner_count(learner, 4);
    g_assert_false(lag_learner_test_due(learner));
    lag_learner_test(learner, NULL, &loss, &accuracy);
    g_assert_true(isnan(loss) && isnan(accuracy));
}

static void too_many_workers(void)
{
    g_auto(oracle_problem) problem = {0};
    oracle_problem_init(&problem);
    g_autoptr(GError) error = NULL;

    g_assert_true(lag_learner_check(&problem.setup, 257, &error));
    problem.setup.shards = LAG_SHARDS_STATIC;
    g_assert_true(lag_learner_check(&problem.setup, 256, &error));
    g_assert_false(lag_learner_check(&problem.setup, 257, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/learner/problem", problem_is_the_oracles);
    g_test_add_func("/learner/bulk-synchronous", bulk_synchronous);
    g_test_add_func("/learner/local", local);
    g_test_add_func("/learner/divergence", divergence);
    g_test_add_func("/learner/stability", stability);
    g_test_add_func("/learner/stationary-variance", stationary_variance);
    g_test_add_func("/learner/streams", streams);
    g_test_add_func("/learner/tests-are-due", tests_are_due);
    g_test_add_func("/learner/null", null_learner);
    g_test_add_func("/learner/too-many-workers", too_many_workers);
    return g_test_run();
}
