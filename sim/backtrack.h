/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside lockstep: critical paths. A run of the max-plus system keeps no history but a few
 * checkpoints; it is cheap to run again, so the walk runs it from checkpoint to checkpoint, the
 * last stretch first, and goes back through each stretch. Memory is bounded. Where rounds are
 * shifts, only the positions that the path can have come from are run again. */
#ifndef LAGGARD_SIM_BACKTRACK_H
#define LAGGARD_SIM_BACKTRACK_H

#include "sim/maxplus.h"

/* The times at rounds 0, length, 2 length, ... of a run. */
struct lag_checkpoints {
    size_t budget; /* memory that they may take, and each level of the walk again, but
                    * never fewer than two rounds [B] */
    uint32_t length;
    double *rows; /* [round / length][system->n] */
    size_t room;  /* doubles */
};
void lag_checkpoints_clear(struct lag_checkpoints *checkpoints);

/* Makes room for a run of the system, with a length that keeps to the budget. */
void lag_checkpoints_prepare(struct lag_checkpoints *checkpoints, const struct lag_maxplus *system);

/* To be called before each round is run. */
void lag_checkpoints_note(struct lag_checkpoints *checkpoints, const struct lag_maxplus *system,
                          uint32_t round);

/* Where the walk of one run stands. */
struct lag_backtrack {
    uint32_t position;     /* at first, that of the last to end */
    struct lag_path *path; /* gets the hops, last one first */
};

/* Walks all runs of a finished system back to round 0. Leaves in `walks`, one for each run, the
 * positions where the paths start. */
void lag_backtrack(struct lag_maxplus *system, const struct lag_checkpoints *checkpoints,
                   struct lag_backtrack *walks);

#endif
