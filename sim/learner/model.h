/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models: what is minimised is the mean over the samples of a loss(parameters, features, target).
 * The kinds are a table, models.def. Sums run from left to right: over the samples in the order
 * given, over features by number, so that the same indices give the same bits everywhere.
 *
 * Worked example: least squares of features (1, 2), target 3, at parameters (1, 0): residual
 * 1 - 3 = -2, loss 2, gradient -2 x (1, 2). */
#ifndef LAGGARD_SIM_LEARNER_MODEL_H
#define LAGGARD_SIM_LEARNER_MODEL_H

#include "sim/learner/dataset.h"

struct lag_model_kind;

/* A kind of model on a data set; never changed once it is made, read by many threads. */
typedef struct lag_model {
    const struct lag_model_kind *kind;
    lag_dataset *dataset; /* a reference */
    uint32_t n_hidden;    /* of a kind that has_hidden */
    uint32_t n_parameters;
} lag_model;

/* Samples that are looked at together: weights[i] multiplies sample i's loss. */
#define LAG_MOST_ROWS 8
struct lag_rows {
    uint32_t n; /* 1 .. LAG_MOST_ROWS */
    const double *features[LAG_MOST_ROWS];
    double targets[LAG_MOST_ROWS], weights[LAG_MOST_ROWS];
};

/* A kind: one file that ends in one of these.
 * add_gradient: adds to sum [n_parameters], sample after sample, the weighted gradients.
 * losses: of each sample of some rows, without its weight, and, where it tells classes, whether the
 * most likely class is the target.
 * Both may write to scratch [n_scratch(model)]. start: NULL where parameters start at 0. */
struct lag_model_kind {
    const char *name, *summary, *formula; /* of a sample's loss, for people */
    uint32_t min_classes, max_classes;    /* 0, 0: targets are numbers */
    bool has_hidden;
    uint32_t (*n_parameters)(const struct lag_model *model);
    uint32_t (*n_scratch)(const struct lag_model *model);
    void (*start)(const struct lag_model *model, uint64_t seed, double *x);
    void (*add_gradient)(const struct lag_model *model, const double *x,
                         const struct lag_rows *rows, double *sum, double *scratch);
    void (*losses)(const struct lag_model *model, const double *x, const struct lag_rows *rows,
                   double *loss, bool *right, double *scratch);
};

/* All kinds, sorted by name; ends with NULL. */
extern const struct lag_model_kind *const lag_model_kinds[];
const struct lag_model_kind *lag_model_kind_find(const char *name);

/* A model of that kind; n_hidden is for kinds that has_hidden. NULL with LAGGARD_ERROR_INPUT where
 * the data set doesn't suit the kind, or there is too much of it (2^26 parameters). */
lag_model *lag_model_new(const struct lag_model_kind *kind, lag_dataset *dataset, uint32_t n_hidden,
                         GError **error);
void lag_model_free(lag_model *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_model, lag_model_free)

/* Doubles of scratch that the functions below want: one such array per thread. */
size_t lag_model_n_scratch(const lag_model *model);

/* Where learning starts: the same for the same seed. */
void lag_model_start(const lag_model *model, uint64_t seed, double *x);

/* Adds to sum [n_parameters] the gradients at x of training samples indices[0] .. [n - 1], each
 * times weights[i] (NULL: 1), in this order. */
void lag_model_add_gradient(const lag_model *model, const double *x, const uint32_t *indices,
                            const double *weights, uint32_t n, double *sum, double *scratch);

/* The sum of the losses at x of training samples first .. first + n - 1. */
double lag_model_loss(const lag_model *model, const double *x, uint32_t first, uint32_t n,
                      double *scratch);

/* On the test samples: the mean loss, and the share that is told right (NAN without classes). */
void lag_model_test(const lag_model *model, const double *x, double *ret_loss, double *ret_accuracy,
                    double *scratch);

#endif
