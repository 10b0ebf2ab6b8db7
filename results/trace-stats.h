/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What measured arrivals say: who is late, by how much, how persistently. */
#ifndef LAGGARD_RESULTS_TRACE_STATS_H
#define LAGGARD_RESULTS_TRACE_STATS_H

#include <stdbool.h>

#include "results/sample.h"
#include "sim/units.h"

/* A trace, borrowed: arrivals from any origin of the step on, only differences count. */
struct lag_measured {
    uint32_t n_steps, n_ranks;   /* n_ranks > 1 */
    const uint64_t *step;        /* [n_steps] their numbers */
    const lag_seconds *arrival;  /* [n_steps][n_ranks] */
    const lag_seconds *duration; /* [n_steps][n_ranks] how long a rank was in the collective; its
                                  * wait is a part of it. NULL: not known */
};

/* Without its first steps. */
struct lag_measured lag_measured_after(const struct lag_measured *trace, uint32_t n_skipped);

/* How many steps at the start are unlike the rest: the time from first to last arrival, or the
 * longest duration, is above median + 8 x the median deviation from it. (Where that is 0: the mean
 * deviation.) 0 where there are fewer than 8 steps, and at most a quarter of them. */
uint32_t lag_trace_warm_up(const struct lag_measured *trace);

/* How many steps the numbers leave out: 0, 1, 3 leaves out one; 0, 10, 20 none. */
uint64_t lag_trace_missing_steps(const struct lag_measured *trace);

/* A straight line by least squares; the error takes residuals as independent. NAN where there are
 * too few steps. */
struct lag_slope {
    double slope, error; /* [s] per step */
    bool marked;         /* beyond 4 errors, and over the trace more than a standard deviation */
};

struct lag_rank_stats {
    uint32_t n_last;                     /* steps in which it was last, alone */
    double share, share_low, share_high; /* of all steps; 95 % (Wilson) */
    bool persistent;                     /* see lag_trace_stats_new */
    lag_seconds lateness, lateness_sd;   /* behind the first arrival */
    lag_seconds wait;                    /* for the last arrival: last - own, the mean */
    struct lag_quantiles gap;            /* of the steps in which it was last */
    double last_correlation;             /* lag 1, of whether it is last */
    double lateness_correlation;         /* lag 1 */
    struct lag_slope drift;              /* of lateness */
    double idle;                         /* mean of wait / duration where it wasn't last */
};

typedef struct lag_trace_stats {
    uint32_t n_steps, n_ranks;
    uint32_t n_ties;             /* steps in which several were last together: nobody's in n_last */
    struct lag_quantiles gap;    /* last - last but one */
    struct lag_quantiles spread; /* last - first */
    double idle, idle_low, idle_high; /* wait / duration of those that weren't last: mean, and the
                                       * smallest and largest of a step. NAN: not known */
    double last_correlation;       /* lag 1, of who is last: (agreement - chance) / (1 - chance) */
    uint32_t n_runs, longest_run;  /* of steps with the same rank last */
    double mean_run, expected_run; /* expected where each step drew anew */
    double halves; /* Spearman, of the ranks' mean lateness in both halves; NAN below 3 ranks */
    struct lag_slope gap_drift, spread_drift;
    struct lag_rank_stats *ranks; /* [n_ranks] */
} lag_trace_stats;

/* A rank is persistent if it is last in more than half of the steps, or more than twice as often
 * as chance where there are more than four ranks; by Wilson's interval, at 95 % for all ranks
 * together (Bonferroni). */
lag_trace_stats *lag_trace_stats_new(const struct lag_measured *trace);
void lag_trace_stats_free(lag_trace_stats *stats);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_trace_stats, lag_trace_stats_free)

/* Two measurements of the same steps: lateness from waiting, and from computing. Correlations are
 * NAN where a side never varies. */
struct lag_comparison {
    double correlation; /* over all ranks and steps, each step about its own mean */
    double
        within_correlation; /* the same about each rank's mean too: what moves from step to step */
    double explained;       /* share of the variance in `late` that equals `compute`; <= 1 */
    uint32_t n_agree, n_steps; /* steps with the same rank last */
    double mean_gap;           /* by `compute` [s] */
    enum lag_cause {
        LAG_CAUSE_COMPUTE, /* explained >= 0.5 */
        LAG_CAUSE_NETWORK, /* correlation^2 < 0.1 */
        LAG_CAUSE_MIXED,
        LAG_CAUSE_NONE, /* nobody is ever late */
    } cause;
};
struct lag_comparison lag_trace_compare(const struct lag_measured *late,
                                        const struct lag_measured *compute);

/* Arrivals that differ by less, relatively, are the same but for rounding. */
#define LAG_SAME_TIME 1e-15

/* lateness[n_ranks] of one step behind its first arrival. */
void lag_trace_lateness(const struct lag_measured *trace, uint32_t step, lag_seconds *lateness);

/* Who is last and how far behind the first and the last but one; a tie is the higher rank's. */
struct lag_last {
    uint32_t rank;
    bool tied;
    lag_seconds gap, spread;
};
struct lag_last lag_trace_last(const struct lag_measured *trace, uint32_t step);

#endif
