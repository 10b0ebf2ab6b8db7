/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stragglers cost a profiled job, and which of them: the quantities of arXiv:2505.05713, whose
 * names stand in brackets, and the critical path. */
#ifndef LAGGARD_RESULTS_WHATIF_H
#define LAGGARD_RESULTS_WHATIF_H

#include "results/whatif-cause.h"
#include "sim/job-path.h"

typedef struct lag_whatif {
    const lag_job *job;              /* borrowed */
    lag_seconds *ideal;              /* work without stragglers, of the layout of the job's work */
    lag_seconds *replayed, *without; /* [n_steps] with the recorded work; with the ideal */
    lag_seconds wall_s, step_s, ideal_s; /* means over steps: recorded, and of these two */
    double slowdown, waste;              /* [S] step_s / ideal_s; 1 - 1 / S, at least 0 */
    /* Slowdown where only these keep their recorded work, and all else is ideal. */
    double *by_dp, *by_stage;         /* [n_dp], [n_stages] */
    double by_family[LAG_N_OP_KINDS]; /* [S_t] at the first kind of a family; NaN: none such */
    double *by_worker;                /* [S_w] [dp * n_stages + stage] min of its by_dp, by_stage */
    /* The share of step_s - ideal_s that goes where the work of some becomes ideal: NaN where
     * there is no such difference. */
    double m_w, m_s; /* of the slowest 3 % of the workers; of the last stage */
    uint32_t n_slowest;
    uint32_t *slowest;                  /* [n_slowest] these workers, slowest first */
    double path_family[LAG_N_OP_KINDS]; /* shares of the critical paths of all steps */
    double *path_worker;                /* [dp * n_stages + stage] likewise */
    uint32_t worst_step;                /* index of the step with the largest replayed time */
    GArray *path;                       /* of struct lag_job_segment: that step's */
    struct lag_whatif_cause causes[LAG_N_CAUSES];
    int cause; /* the one with the largest gain; -1: all gain less than 1 % of step_s */
} lag_whatif;

lag_whatif *lag_whatif_new(const lag_job *job);
void lag_whatif_free(lag_whatif *whatif);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_whatif, lag_whatif_free)

/* The first kind with the same family. */
enum lag_op_kind lag_whatif_family(enum lag_op_kind kind);

/* What an edit, or several, come to; texts are borrowed. */
struct lag_whatif_edit {
    const char *text, *assumes; /* NULL: all of them together */
    lag_seconds step_s;
    double throughput; /* micro-batches a second, as a multiple of the job's */
};

/* A whole report. `file` is the trace, `version` the program's. */
struct lag_whatif_report {
    const char *file, *version;
    const lag_whatif *whatif;
    uint32_t n_edits;
    const struct lag_whatif_edit *edits;
};
void lag_whatif_table(GString *text, const struct lag_whatif_report *report);
void lag_whatif_json(GString *text, const struct lag_whatif_report *report);
/* RFC 4180: quantity,where,value,unit. */
void lag_whatif_csv(GString *text, const struct lag_whatif_report *report);
/* The heat map of by_worker as one SVG document. */
void lag_whatif_svg(GString *text, const struct lag_whatif_report *report);

/* "dp 1, stage 2", "dp 0, stage 1 -> 2", "stage 3"; newly allocated. */
char *lag_whatif_worker_text(const lag_job *job, uint32_t worker);

#endif
