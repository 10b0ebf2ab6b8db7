/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a trace to laws of delay: which ranks share one, and what it is. Lateness counts from the
 * first arrival of a step, which is late by 0 by definition: fits are of what is above 0. (For
 * exponential delays, which have no memory, that is the law of the delays itself.) */
#ifndef LAGGARD_RESULTS_LATE_LAW_H
#define LAGGARD_RESULTS_LATE_LAW_H

#include "results/fit.h"
#include "results/trace-stats.h"

/* Above so many ranks, single ones are fitted only where they are persistent. */
#define LAG_MOST_SINGLE 16

/* Some ranks, taken together. */
struct lag_late {
    uint32_t n_ranks, *ranks; /* ascending */
    bool persistent;          /* one rank, which is */
    size_t n_late, n_first;   /* values above 0, and the rest */
    uint32_t n_fits;
    struct lag_fit fits[LAG_FAMILIES]; /* of the values above 0, the best BIC first */
    /* The best of them; constant where there is none; of no type where the ranks are first in most
     * of the steps. */
    struct lag_law law;
};

typedef struct lag_late_laws {
    uint32_t n_singles;
    struct lag_late *singles; /* [n_singles] ranks alone: all, or only persistent ones */
    struct lag_late others;   /* those that aren't persistent, pooled */
    bool alike;               /* the others' mean latenesses don't differ by rank */
    /* What to paste into a scenario. Delays of a persistent rank count from when the others' do:
     * their smallest delay of a step is `origin` in the mean. */
    uint32_t n_entries;
    struct lag_late *entries;
    lag_seconds origin;
    lag_seconds gap, spread; /* means that draws from the entries give */
} lag_late_laws;

lag_late_laws *lag_late_laws_new(const struct lag_measured *trace, const lag_trace_stats *stats);
void lag_late_laws_free(lag_late_laws *laws);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_late_laws, lag_late_laws_free)

/* Appends a law as in a scenario: "5 ms", "{normal: {mean: 27.3 ms, sd: 1.6 ms}}". */
void lag_late_print_law(const struct lag_law *law, GString *text);

/* Appends ranks as in a scenario: "[0-2, 5]". */
void lag_late_print_ranks(const struct lag_late *late, GString *text);

/* Appends the entries as the key `stragglers:` of a scenario. */
void lag_late_laws_print(const lag_late_laws *laws, GString *text);

#endif
