/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals at any number of ranks: from the steps of a trace, or drawn from the laws fitted to it.
 * With more or fewer ranks than the trace has, a persistent rank keeps its delays, and the others
 * are drawn with replacement from the other ranks' delays of the same step. */
#ifndef LAGGARD_TOOLS_ADVISE_DELAYS_H
#define LAGGARD_TOOLS_ADVISE_DELAYS_H

#include "results/late-law.h"

/* Which rank of the trace plays which. */
struct lag_casting {
    uint32_t n_ranks, n_trace_ranks;
    uint32_t *source;           /* [n_ranks] a rank of the trace, or LAGGARD_NONE: resampled */
    uint32_t n_others, *others; /* ranks of the trace to resample from */
    uint32_t predicted; /* the rank that is taken for the straggler: who is last most often */
    uint32_t predicted_source; /* the same in the trace */
};
void lag_casting_init(struct lag_casting *casting, const lag_trace_stats *stats, uint32_t n_ranks);
void lag_casting_clear(struct lag_casting *casting);

typedef struct lag_delays {
    uint32_t n_steps, n_ranks;
    lag_seconds *arrival;            /* [n_steps][n_ranks] */
    uint32_t *last;                  /* [n_steps] rank; of several the highest */
    bool *tied;                      /* [n_steps] */
    lag_seconds *gap;                /* [n_steps] last - last but one */
    lag_seconds mean_gap, mean_wait; /* mean_wait: of the sum over ranks of last - own */
    uint32_t n_predicted;            /* steps in which the predicted rank was last, alone */
} lag_delays;
lag_delays *lag_delays_of_trace(const struct lag_measured *trace, const struct lag_casting *casting,
                                uint64_t seed);
lag_delays *lag_delays_of_laws(const lag_late_laws *laws, const struct lag_casting *casting,
                               uint32_t n_draws, uint64_t seed);
void lag_delays_free(lag_delays *delays);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_delays, lag_delays_free)

#endif
