/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of data sets: refused with a message, or complete. As IDX files of one and of three dimensions,
 * and as tables, whose labels are classes or numbers. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "scenarios/csv-samples.h"
#include "scenarios/idx.h"
#include "sim/laggard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_samples(const struct lag_samples *samples, const lag_dataset *dataset)
{
    g_assert_cmpuint(samples->n, >, 0);
    for (size_t i = 0; i < (size_t)samples->n * dataset->n_features; i++)
        g_assert_true(isfinite(samples->numbers[i]));
    for (uint32_t i = 0; i < samples->n; i++) {
        g_assert_true(isfinite(samples->targets[i]));
        if (dataset->n_classes > 0)
            g_assert_true(samples->targets[i] >= 0 && samples->targets[i] < dataset->n_classes);
    }
}

static void check_table(GBytes *contents, bool classes)
{
    const struct lag_csv_samples how = {
        .name = "t.csv", .label = classes ? "last" : "kind", .classes = classes, .scale = 0.5};
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_dataset) dataset = lag_csv_samples_parse(contents, &how, &error);

    g_assert_true((dataset == NULL) == (error != NULL));
    if (dataset == NULL)
        return;
    g_assert_true((dataset->n_classes > 0) == classes);
    check_samples(&dataset->train, dataset);
    check_samples(&dataset->test, dataset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GBytes) contents = g_bytes_new(data, size);

    for (uint32_t n = 1; n <= 3; n += 2) {
        g_autoptr(GError) error = NULL;
        struct lag_idx idx;
        double n_bytes = 1;
        if (!lag_idx_parse(contents, n, &idx, &error)) {
            g_assert_true(g_error_matches(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT));
            continue;
        }
        for (uint32_t i = 0; i < n; i++)
            n_bytes *= idx.dimensions[i];
        g_assert_true(n_bytes == (double)idx.n_bytes && idx.first + idx.n_bytes == size);
    }
    check_table(contents, true);
    check_table(contents, false);
    return 0;
}
