/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/learner/dataset.h"

#include <string.h>

#include "sim/learner/splitmix.h"

#define TEST_EVERY 5 /* of a generated data set with classes: one sample in so many */

lag_dataset *lag_dataset_new(const char *name, uint32_t n_features, uint32_t n_classes)
{
    lag_dataset *dataset = g_new0(lag_dataset, 1);

    dataset->name = g_strdup(name);
    dataset->n_features = n_features;
    dataset->n_classes = n_classes;
    dataset->train.scale = dataset->test.scale = 1;
    g_atomic_ref_count_init(&dataset->references);
    return dataset;
}

lag_dataset *lag_dataset_ref(lag_dataset *dataset)
{
    g_atomic_ref_count_inc(&dataset->references);
    return dataset;
}

static void clear_samples(struct lag_samples *samples)
{
    g_free(samples->numbers);
    g_free(samples->bytes);
    g_free(samples->targets);
}

void lag_dataset_unref(lag_dataset *dataset)
{
    if (dataset == NULL || !g_atomic_ref_count_dec(&dataset->references))
        return;
    clear_samples(&dataset->train);
    clear_samples(&dataset->test);
    g_free(dataset->name);
    g_free(dataset);
}

const double *lag_samples_row(const struct lag_samples *samples, uint32_t n_features, uint32_t row,
                              double *scratch)
{
    size_t first = (size_t)row * n_features;

    if (samples->numbers != NULL)
        return &samples->numbers[first];
    const uint8_t *bytes = &samples->bytes[first];
    for (uint32_t i = 0; i < n_features; i++)
        scratch[i] = bytes[i] * samples->scale;
    return scratch;
}

static void allocate(struct lag_samples *samples, uint32_t n, uint32_t n_features)
{
    samples->n = n;
    samples->numbers = g_new(double, (size_t)n *n_features);
    samples->targets = g_new(double, n);
}

static void draw_centre(uint64_t *rng, double *numbers, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = 2.0 * lag_splitmix_uniform(rng) - 1.0;
}

/* Nearly normal, within 1.5 x noise. */
static double draw_noise(uint64_t *rng, double noise)
{
    double sum = lag_splitmix_uniform(rng);

    sum += lag_splitmix_uniform(rng);
    sum += lag_splitmix_uniform(rng);
    return noise * (sum - 1.5);
}

lag_dataset *lag_dataset_generate_line(uint32_t n, uint32_t n_features, uint64_t seed, double noise)
{
    lag_dataset *dataset = lag_dataset_new("generated", n_features, 0);
    g_autofree double *weights = g_new(double, n_features);
    struct lag_samples *train = &dataset->train, *test = &dataset->test;
    uint64_t rng = seed;

    allocate(train, n, n_features);
    draw_centre(&rng, weights, n_features);
    for (uint32_t row = 0; row < n; row++) {
        double *features = &train->numbers[(size_t)row * n_features];
        draw_centre(&rng, features, n_features);
        double error = draw_noise(&rng, noise), value = 0;
        for (uint32_t i = 0; i < n_features; i++)
            value += features[i] * weights[i];
        train->targets[row] = value + error;
    }
    allocate(test, n, n_features);
    memcpy(test->numbers, train->numbers, (size_t)n * n_features * sizeof *test->numbers);
    memcpy(test->targets, train->targets, n * sizeof *test->targets);
    return dataset;
}

lag_dataset *lag_dataset_generate_clouds(uint32_t n, uint32_t n_features, uint32_t n_classes,
                                         uint64_t seed, double noise)
{
    lag_dataset *dataset = lag_dataset_new("generated", n_features, n_classes);
    g_autofree double *centres = g_new(double, (size_t)n_classes *n_features);
    uint32_t n_test = n / TEST_EVERY, placed[2] = {0};
    uint64_t rng = seed;

    allocate(&dataset->train, n - n_test, n_features);
    allocate(&dataset->test, n_test, n_features);
    for (uint32_t label = 0; label < n_classes; label++)
        draw_centre(&rng, &centres[(size_t)label * n_features], n_features);
    for (uint32_t i = 0; i < n; i++) {
        bool is_test = i % TEST_EVERY == TEST_EVERY - 1;
        struct lag_samples *set = is_test ? &dataset->test : &dataset->train;
        uint32_t row = placed[is_test]++, label = i / TEST_EVERY % n_classes;
        double *features = &set->numbers[(size_t)row * n_features];
        for (uint32_t j = 0; j < n_features; j++)
            features[j] = centres[(size_t)label * n_features + j] + draw_noise(&rng, noise);
        set->targets[row] = label;
    }
    return dataset;
}
