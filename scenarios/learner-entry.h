/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `learner:` of training and gradient workloads: what really learns, from which data, and how. */
#ifndef LAGGARD_SCENARIOS_LEARNER_ENTRY_H
#define LAGGARD_SCENARIOS_LEARNER_ENTRY_H

#include "scenarios/draft.h"
#include "sim/learner/learner.h"

extern const struct lag_form lag_form_learner;

/* A learner's setup with all that it borrows. */
typedef struct lag_learner_entry {
    struct lag_learner_setup setup;
    lag_model *model;
    GArray *drops; /* of struct lag_rate_drop */
} lag_learner_entry;

/* Reads `learner:`. Data sets are read once for all points. NULL with LAGGARD_ERROR_INPUT. */
lag_learner_entry *lag_learner_entry_read(const struct lag_at *at, const struct lag_draft *draft,
                                          GError **error);
void lag_learner_entry_free(lag_learner_entry *entry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_learner_entry, lag_learner_entry_free)

#endif
