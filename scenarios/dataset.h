/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data sets by name, or from files of the user's. */
#ifndef LAGGARD_SCENARIOS_DATASET_H
#define LAGGARD_SCENARIOS_DATASET_H

#include "sim/learner/dataset.h"

/* What is wanted: one of name, file and folder. The rest of the fields are for the generated data
 * set; 0 is the default (256 samples of 8 features, 2 classes, seed 1, noise 0.5: the problem of
 * the published vectors, where numbers are learnt). All strings are borrowed. */
struct lag_dataset_source {
    const char *name;   /* of lag_dataset_names */
    const char *file;   /* a table, scenarios/csv-samples.h */
    const char *label;  /* of the table; NULL: last */
    const char *folder; /* of IDX files, scenarios/idx.h */
    bool classes;       /* the model learns classes, not numbers */
    uint32_t n_samples, n_features, n_classes;
    uint64_t seed;
    double noise;
};

struct lag_dataset_kind {
    const char *name, *summary;
    lag_dataset *(*load)(const struct lag_dataset_source *source, GError **error);
};

/* All by name, sorted; ends with a NULL name. */
extern const struct lag_dataset_kind lag_dataset_kinds[];

/* NULL with LAGGARD_ERROR_INPUT: what is wrong with the file, or which package has it. The data
 * set suits what is wanted or not: lag_model_new() tells. */
lag_dataset *lag_dataset_load(const struct lag_dataset_source *source, GError **error);

#endif
