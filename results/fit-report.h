/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `laggard fit` found, and how it is printed. */
#ifndef LAGGARD_RESULTS_FIT_REPORT_H
#define LAGGARD_RESULTS_FIT_REPORT_H

#include "results/late-law.h"
#include "results/trace-stats.h"

/* All borrowed. */
struct lag_fit_report {
    const char *file;
    const char *columns;              /* "step: step, rank: rank, wait: allreduce_ms" */
    const char *guessed;              /* which of these were guessed: "step, rank"; or NULL */
    const char *computed;             /* columns of the comparison; NULL: there is none */
    bool chosen;                      /* n_skipped was asked for */
    uint32_t n_skipped;               /* steps left out at the start */
    uint32_t n_warm_up;               /* steps at the start that are unlike the rest */
    uint64_t n_missing;               /* numbers of steps that the table leaves out */
    const struct lag_measured *trace; /* without the skipped steps */
    const lag_trace_stats *stats;
    const struct lag_comparison *comparison; /* where `computed` */
    const lag_late_laws *laws;
};

void lag_fit_table(GString *text, const struct lag_fit_report *report);
void lag_fit_json(GString *text, const struct lag_fit_report *report, const char *version);

/* The block alone, under a comment that says where it is from. */
void lag_fit_yaml(GString *text, const struct lag_fit_report *report);

/* Comments on how far draws from the block are like the trace. */
void lag_fit_drawn(GString *text, const struct lag_fit_report *report);

/* "2 steps at the start are unlike the rest: left out"; NULL: nothing to say. Newly allocated. */
char *lag_fit_warm_up(const struct lag_fit_report *report);

#endif
