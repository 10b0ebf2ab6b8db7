/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kind of model of the table: gradients against finite differences of the losses, sums
 * against their parts, and that learning learns. */
#include <string.h>

#include "sim/learner/learner.h"
#include "tests/helpers.h"

#define N_SAMPLES 60

/* A small data set that the kind can learn. */
static lag_model *model_of(const struct lag_model_kind *kind)
{
    uint32_t n_classes = kind->max_classes > 3 ? 3 : kind->max_classes;
    g_autoptr(lag_dataset) dataset =
        n_classes == 0 ? lag_dataset_generate_line(N_SAMPLES, 5, 3, 0.5)
                       : lag_dataset_generate_clouds(N_SAMPLES, 5, n_classes, 3, 0.4);
    g_autoptr(GError) error = NULL;
    lag_model *model = lag_model_new(kind, dataset, kind->has_hidden ? 4 : 0, &error);

    g_assert_no_error(error);
    return model;
}

struct bench {
    lag_model *model;
    uint32_t n;
    double *x, *sum, *scratch;
};

static void set_up(struct bench *bench, const struct lag_model_kind *kind, unsigned long seed)
{
    g_autoptr(gsl_rng) rng = test_rng(seed);

    bench->model = model_of(kind);
    bench->n = bench->model->n_parameters;
    bench->x = g_new(double, bench->n);
    bench->sum = g_new0(double, bench->n);
    bench->scratch = g_new(double, lag_model_n_scratch(bench->model));
    lag_model_start(bench->model, seed, bench->x);
    for (uint32_t i = 0; i < bench->n; i++)
        bench->x[i] += gsl_rng_uniform(rng) - 0.5;
}

static void tear_down(struct bench *bench)
{
    lag_model_free(bench->model);
    g_free(bench->x);
    g_free(bench->sum);
    g_free(bench->scratch);
}

/* (f(x + h) - f(x - h)) / 2h is the derivative but for f''' h^2 / 6 and rounding of f, about 1e-16 / h:
 * with h = 1e-5 both are near 1e-10. A kink of a rectified unit within h would show; with these
 * seeds there is none. */
static void finite_differences(void)
{
    for (size_t k = 0; lag_model_kinds[k] != NULL; k++)
        for (unsigned long seed = 1; seed <= 3; seed++) {
            const double step = 1e-5;
            struct bench b;
            set_up(&b, lag_model_kinds[k], seed);
            uint32_t index = (uint32_t)(7 * seed);
            lag_model_add_gradient(b.model, b.x, &index, NULL, 1, b.sum, b.scratch);
            for (uint32_t i = 0; i < b.n; i++) {
                double at = b.x[i];
                b.x[i] = at + step;
                double above = lag_model_loss(b.model, b.x, index, 1, b.scratch);
                b.x[i] = at - step;
                double below = lag_model_loss(b.model, b.x, index, 1, b.scratch);
                b.x[i] = at;
                g_assert_cmpfloat(fabs((above - below) / (2 * step) - b.sum[i]), <, 1e-8);
            }
            tear_down(&b);
        }
}

/* A sum is that of its samples, one by one, to the bit, however many blocks it takes; a weight of 2 is the
 * sample twice (twice a number is exact, but the order of the sum isn't the same: 1e-12). */
static void sums_of_parts(void)
{
    static const uint32_t indices[] = {5, 1, 1, 40, 7, 8, 9, 30, 31, 32, 2, 3, 11, 12, 13, 14, 15};
    const uint32_t n = G_N_ELEMENTS(indices);

    for (size_t k = 0; lag_model_kinds[k] != NULL; k++) {
        struct bench b;
        set_up(&b, lag_model_kinds[k], 9);
        g_autofree double *parts = g_new0(double, b.n), *weighted = g_new0(double, b.n);
        double weights[G_N_ELEMENTS(indices)];
        lag_model_add_gradient(b.model, b.x, indices, NULL, n, b.sum, b.scratch);
        for (uint32_t i = 0; i < n; i++) {
            lag_model_add_gradient(b.model, b.x, &indices[i], NULL, 1, parts, b.scratch);
            weights[i] = 2;
        }
        g_assert_true(memcmp(parts, b.sum, b.n * sizeof *parts) == 0);
        lag_model_add_gradient(b.model, b.x, indices, weights, n, weighted, b.scratch);
        for (uint32_t i = 0; i < b.n; i++)
            g_assert_cmpfloat(fabs(weighted[i] - 2 * b.sum[i]), <=, 1e-12);
        tear_down(&b);
    }
}

/* 200 steps down the whole gradient lower the loss of each kind, and clouds that don't overlap much
 * are told apart. */
static void learning_learns(void)
{
    for (size_t k = 0; lag_model_kinds[k] != NULL; k++) {
        struct bench b;
        double before, after, accuracy;
        uint32_t all[N_SAMPLES];
        set_up(&b, lag_model_kinds[k], 4);
        uint32_t n = b.model->dataset->train.n;
        lag_model_start(b.model, 4, b.x);
        lag_model_test(b.model, b.x, &before, &accuracy, b.scratch);
        for (uint32_t i = 0; i < n; i++)
            all[i] = i;
        for (int step = 0; step < 200; step++) {
            memset(b.sum, 0, b.n * sizeof *b.sum);
            lag_model_add_gradient(b.model, b.x, all, NULL, n, b.sum, b.scratch);
            for (uint32_t i = 0; i < b.n; i++)
                b.x[i] -= 0.5 / n * b.sum[i];
        }
        lag_model_test(b.model, b.x, &after, &accuracy, b.scratch);
        g_assert_cmpfloat(after, <, 0.5 * before);
        g_assert_true(b.model->dataset->n_classes > 0 ? accuracy > 0.9 : isnan(accuracy));
        tear_down(&b);
    }
}

/* Bytes are the numbers that they stand for. */
static void bytes_are_numbers(void)
{
    g_autoptr(lag_dataset) dataset = lag_dataset_new("by hand", 3, 2);
    static const uint8_t bytes[] = {0, 255, 51, 1, 2, 3};
    double scratch[3];

    dataset->train.n = 2;
    dataset->train.bytes = g_memdup2(bytes, sizeof bytes);
    dataset->train.scale = 1.0 / 255;
    const double *row = lag_samples_row(&dataset->train, 3, 0, scratch);
    g_assert_cmpfloat(row[0], ==, 0);
    g_assert_cmpfloat(row[1], ==, 1);
    assert_near(row[2], 0.2, 1e-15);
    g_assert_cmpfloat(lag_samples_row(&dataset->train, 3, 1, scratch)[2], ==, 3 * (1.0 / 255));
}

static void assert_refused(const char *kind, lag_dataset *dataset, uint32_t n_hidden,
                           const char *why)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(lag_model_new(lag_model_kind_find(kind), dataset, n_hidden, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_cmpstr(error->message, ==, why);
}

static void unsuitable_data(void)
{
    g_autoptr(lag_dataset) numbers = lag_dataset_new("prices", 4, 0);
    g_autoptr(lag_dataset) classes = lag_dataset_new("digits", 64, 10);

    g_assert_null(lag_model_kind_find("resnet18"));
    assert_refused("softmax", numbers, 0,
                   "softmax learns classes, but the targets of prices are numbers");
    assert_refused("least-squares", classes, 0,
                   "least-squares learns numbers, but the targets of digits are 10 classes");
    assert_refused("logistic", classes, 0, "logistic learns 2 classes, but digits has 10");
    assert_refused("mlp", classes, 0, "mlp needs at least one hidden unit");
    assert_refused("mlp", classes, UINT32_MAX, "mlp on digits has more than 67108864 parameters");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/model/finite-differences", finite_differences);
    g_test_add_func("/model/sums-of-parts", sums_of_parts);
    g_test_add_func("/model/learning-learns", learning_learns);
    g_test_add_func("/model/bytes", bytes_are_numbers);
    g_test_add_func("/model/unsuitable-data", unsuitable_data);
    return g_test_run();
}
