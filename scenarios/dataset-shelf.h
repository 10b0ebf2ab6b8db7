/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data sets that are read once, for all points of a sweep and all threads that work on them. */
#ifndef LAGGARD_SCENARIOS_DATASET_SHELF_H
#define LAGGARD_SCENARIOS_DATASET_SHELF_H

#include "scenarios/dataset.h"

typedef struct lag_dataset_shelf lag_dataset_shelf;

lag_dataset_shelf *lag_dataset_shelf_new(void);
void lag_dataset_shelf_free(lag_dataset_shelf *shelf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_dataset_shelf, lag_dataset_shelf_free)

/* As lag_dataset_load(), but what was wanted before is not read again: a new reference to the same
 * data set. Any number of threads may call it; they wait for each other. */
lag_dataset *lag_dataset_shelf_load(lag_dataset_shelf *shelf,
                                    const struct lag_dataset_source *source, GError **error);

#endif
