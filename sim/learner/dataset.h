/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples to learn from: rows of features, each with a target. Never changed once it is made, so
 * that many threads may read it. Reading files is scenarios/dataset.h's. */
#ifndef LAGGARD_SIM_LEARNER_DATASET_H
#define LAGGARD_SIM_LEARNER_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/* n rows of the data set's n_features, as numbers or, where those are NULL, as bytes to be
 * multiplied by `scale`. A target is a number, or a class 0 .. n_classes - 1. All owned. */
struct lag_samples {
    uint32_t n;
    double *numbers; /* [n][n_features] */
    uint8_t *bytes;  /* [n][n_features] */
    double scale;
    double *targets; /* [n] */
};

typedef struct lag_dataset {
    char *name;
    uint32_t n_features;
    uint32_t n_classes; /* 0: targets are numbers */
    struct lag_samples train, test;
    gatomicrefcount references;
} lag_dataset;

/* Both sets empty; takes nothing over but a copy of the name. */
lag_dataset *lag_dataset_new(const char *name, uint32_t n_features, uint32_t n_classes);
lag_dataset *lag_dataset_ref(lag_dataset *dataset);
void lag_dataset_unref(lag_dataset *dataset);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_dataset, lag_dataset_unref)

/* Least squares, the problem of the published vectors for (256, 8, 1, 0.5): weights and features
 * uniform in [-1, 1), target = features . weights + noise x (sum of three uniforms - 1.5). It is
 * tested on what it learns from. */
lag_dataset *lag_dataset_generate_line(uint32_t n, uint32_t n_features, uint64_t seed,
                                       double noise);

/* Classes as clouds: each has a centre uniform in [-1, 1)^n_features, and its samples lie around it by
 * noise x (sum of three uniforms - 1.5). Classes take turns with five samples, the last of which is
 * kept for the test. Needs n >= 5. */
lag_dataset *lag_dataset_generate_clouds(uint32_t n, uint32_t n_features, uint32_t n_classes,
                                         uint64_t seed, double noise);

/* The features of a row, as numbers: borrowed, or written to scratch [n_features]. */
const double *lag_samples_row(const struct lag_samples *samples, uint32_t n_features, uint32_t row,
                              double *scratch);

#endif
