/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Usual causes of stragglers, each looked for by an edit that would remove it. */
#ifndef LAGGARD_RESULTS_WHATIF_CAUSE_H
#define LAGGARD_RESULTS_WHATIF_CAUSE_H

#include "sim/job-edit.h"

enum lag_cause {
    LAG_CAUSE_WORKER,
    LAG_CAUSE_STAGES,
    LAG_CAUSE_SEQUENCES,
    LAG_CAUSE_LINK,
    LAG_CAUSE_GC,
    LAG_N_CAUSES
};

struct lag_whatif_cause {
    const char *name;   /* "slow-worker" */
    char *where;        /* "rank 5 (dp 1, stage 2)"; or NULL: everywhere */
    double size;        /* as the unit says */
    const char *unit;   /* "times", "share", "s" */
    const char *what;   /* what the size is of, for people */
    lag_seconds step_s; /* the mean step without it */
};

/* Fills one cause; its `where` is the caller's. */
void lag_whatif_cause(const lag_job *job, enum lag_cause which, struct lag_whatif_cause *cause);

#endif
