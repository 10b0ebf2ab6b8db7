/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A learner against the published vectors, and its parts by hand. */
#include <string.h>

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>

#include "scenarios/dataset.h"
#include "tests/hand-sgd.h"
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

/* Section 7 of the specification, f(x) and x[0] after 20 updates of four workers of speeds 1, 1,
 * 1, 0.5 (x[7] from the oracle's output). BSP: 4 samples each. DBS: the same, then its plan. Pipe: as BSP,
 * delayed by one. OD: each worker with its own gradient applied. ABS: micro-batches of one, as
 * many as the recursion says. */
static void fingerprints(void)
{
    static const struct {
        uint32_t first[4], then[4], delay, micro;
        double own_rate, loss, x0, x7;
    } cases[] = {
        {{4, 4, 4, 4},
         {4, 4, 4, 4},
         0,                    0,
         0,                          0.037929334814572835,
         0.15310749039870319,                                                   0.061227814995192816},
        {{4, 4, 4, 4},
         {5, 5, 4, 2},
         0,                    0,
         0,                          0.037551088231523623,
         0.10769118924363633,                                                   0.06627003140886753 },
        {{4, 4, 4, 4},
         {4, 4, 4, 4},
         1,                    0,
         0,                          0.03770401368034397,
         0.15350217846848169,                                                   0.05421109355559643 },
        {{4, 4, 4, 4},
         {4, 4, 4, 4},
         1,                    0,
         0.5,                        0.037950679228559873,
         0.15317345427708146,                                                   0.0661657025335944  },
        {{0},          {0}, 1, 1, 0, 0.042093610601380303, 0.10563130568299688, 0.14065249812104386 },
    };
    g_auto(oracle_problem) problem = {0};
    oracle_problem_init(&problem);
    g_autoptr(lag_learner) learner = lag_learner_new(&problem.setup, 4, NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(hand_sgd) sgd = {0};
        abs_recursion recursion = {
            4, (const double[]){1,  1, 1, 2},
              0.5, 0, {0}
        };
        hand_sgd_init(&sgd, learner, 4, 16, ORACLE_SEED);
        sgd.delay = cases[i].delay;
        sgd.micro = cases[i].micro;
        sgd.own_rate = cases[i].own_rate;
        for (int update = 0; update < 20; update++) {
            uint32_t batches[4];
            memcpy(batches, update == 0 ? cases[i].first : cases[i].then, sizeof batches);
            if (sgd.micro > 0)
                abs_recursion_next(&recursion, batches);
            g_assert_true(hand_sgd_update(&sgd, batches));
            g_assert_true(lag_learner_test_due(learner));
        }
        oracle_assert(&problem, sgd.x, cases[i].loss, cases[i].x0, cases[i].x7);
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

/* Epochs until 82 % of the test images are told right; INFINITY after 15. Four workers of speeds 1, 1, 1,
 * 0.5; 64 samples of a worker take a second of a fast one. */
static double epochs_to_target(const struct lag_learner_setup *setup, const uint32_t *batches,
                               uint32_t micro)
{
    g_autoptr(lag_learner) learner = lag_learner_new(setup, 4, NULL);
    g_auto(hand_sgd) sgd = {0};
    abs_recursion recursion = {
        4, (const double[]){0.25,  0.25, 0.25, 0.5},
          0.5, 0, {0}
    };
    double samples = 0, epoch = setup->model->dataset->train.n, loss, accuracy;

    hand_sgd_init(&sgd, learner, 4, 128, 1);
    sgd.delay = micro > 0;
    sgd.micro = micro;
    while (samples < 15 * epoch) {
        uint32_t own[4];
        memcpy(own, batches, sizeof own);
        if (micro > 0)
            abs_recursion_next(&recursion, own);
        for (int worker = 0; worker < 4; worker++) {
            own[worker] *= micro > 0 ? micro : 1;
            samples += own[worker];
        }
        g_assert_true(hand_sgd_update(&sgd, own));
        if (!lag_learner_test_due(learner))
            continue;
        lag_learner_test(learner, sgd.x, &loss, &accuracy);
        if (accuracy >= 0.82)
            return samples / epoch;
    }
    return INFINITY;
}

/* Softmax on Fashion-MNIST, rate 0.1: BSP of 4 x 64, the plan of DBS for these speeds, ABS-SGD in
 * micro-batches of 16 whose collectives take half a batch's time. */
static void fashion_mnist(void)
{
    static const struct {
        const char *name;
        uint32_t batches[4], micro;
    } cases[] = {
        {"bsp",     {64, 64, 64, 64}, 0 },
        {"dbs",     {73, 73, 73, 37}, 0 },
        {"abs-sgd", {0},              16},
    };
    g_autoptr(GError) error = NULL;

    if (!g_test_slow()) {
        g_test_skip("slow");
        return;
    }
    g_autoptr(lag_dataset) dataset = lag_dataset_load(
        &(struct lag_dataset_source){.name = "fashion-mnist", .classes = true}, &error);
    if (dataset == NULL) {
        g_test_skip(error->message);
        return;
    }
    g_autoptr(lag_model) model = lag_model_new(lag_model_kind_find("softmax"), dataset, 0, &error);
    const struct lag_learner_setup setup = {
        .model = model, .optimizer = {.rate = 0.1}, .test_every = 10000};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        double epochs = epochs_to_target(&setup, cases[i].batches, cases[i].micro);
        g_test_message("%s: %.2f epochs", cases[i].name, epochs);
        g_assert_cmpfloat(epochs, <=, 15);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/learner/problem", problem_is_the_oracles);
    g_test_add_func("/learner/fingerprints", fingerprints);
    g_test_add_func("/learner/local", local);
    g_test_add_func("/learner/divergence", divergence);
    g_test_add_func("/learner/streams", streams);
    g_test_add_func("/learner/tests-are-due", tests_are_due);
    g_test_add_func("/learner/null", null_learner);
    g_test_add_func("/learner/too-many-workers", too_many_workers);
    g_test_add_func("/learner/fashion-mnist", fashion_mnist);
    return g_test_run();
}
