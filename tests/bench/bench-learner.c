/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training on data of Fashion-MNIST's shape (60,000 x 784 bytes, half of them 0, made up): gradients of
 * batches of 64, and a step after each; then a test. One line of JSON a model. */
#include <stdio.h>
#include <time.h>

#include <glib.h>

#include "sim/learner/learner.h"
#include "sim/learner/splitmix.h"

#define N_TRAIN 60000u
#define N_TEST  10000u
#define BATCH   64u

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fill(struct lag_samples *samples, uint32_t n, uint64_t *rng)
{
    size_t n_bytes = (size_t)n * 784;

    samples->n = n;
    samples->scale = 1.0 / 255;
    samples->bytes = g_new(uint8_t, n_bytes);
    samples->targets = g_new(double, n);
    for (size_t i = 0; i < n_bytes; i++) {
        uint64_t word = lag_splitmix_next(rng);
        samples->bytes[i] = word & 256 ? (uint8_t)word : 0;
    }
    for (uint32_t i = 0; i < n; i++)
        samples->targets[i] = i % 10;
}

static void measure(lag_dataset *dataset, const char *kind, uint32_t n_hidden, uint32_t n_batches)
{
    g_autoptr(lag_model) model = lag_model_new(lag_model_kind_find(kind), dataset, n_hidden, NULL);
    const struct lag_learner_setup setup = {.model = model, .optimizer = {.rate = 0.1}};
    g_autoptr(lag_learner) learner = lag_learner_new(&setup, 1, NULL);
    uint32_t n = lag_learner_n_parameters(learner), indices[BATCH];
    g_autofree double *x = g_new(double, n), *sum = g_new(double, n);
    double start = cpu_seconds(), loss, accuracy;

    lag_learner_start(learner, 1, 0, x);
    for (uint32_t batch = 0; batch < n_batches; batch++) {
        for (uint32_t i = 0; i < n; i++)
            sum[i] = 0;
        lag_learner_draw(learner, 0, BATCH, indices);
        lag_learner_add_gradient(learner, x, indices, BATCH, sum);
        lag_learner_step(learner, x, sum, BATCH, 1);
    }
    double trained = cpu_seconds();
    lag_learner_test(learner, x, &loss, &accuracy);
    double tested = cpu_seconds();
    printf("{\"bench\": \"learner\", \"model\": \"%s\", \"parameters\": %u, "
           "\"us_per_sample\": %.2f, \"epoch_s\": %.2f, \"test_s\": %.3f, \"loss\": %.6g}\n",
           kind, n, (trained - start) / n_batches / BATCH * 1e6,
           (trained - start) / n_batches / BATCH * N_TRAIN, tested - trained, loss);
}

int main(void)
{
    g_autoptr(lag_dataset) dataset = lag_dataset_new("made up", 784, 10);
    uint64_t rng = 1;

    fill(&dataset->train, N_TRAIN, &rng);
    fill(&dataset->test, N_TEST, &rng);
    measure(dataset, "softmax", 0, N_TRAIN / BATCH);
    measure(dataset, "mlp", 64, N_TRAIN / BATCH / 4);
    return 0;
}
