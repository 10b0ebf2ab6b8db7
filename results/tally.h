/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up the outcomes of a row's runs (steps of replications), block by block. Blocks are made
 * without regard to threads and merged in order, so that sums don't depend on them either. */
#ifndef LAGGARD_RESULTS_TALLY_H
#define LAGGARD_RESULTS_TALLY_H

#include "results/link-load.h"
#include "results/series.h"
#include "results/summary.h"
#include "sim/network/network.h"
#include "sim/outcome.h"
#include "sim/plan.h"

#define LAG_TALLY_KEEP (1u << 18)

struct lag_tally {
    uint32_t n_ranks, n_links;
    /* One double for each run [s], up to LAG_TALLY_KEEP runs; with more, NULL, and the statistics
     * are in the series. */
    GArray *completion, *exposed;
    struct lag_series long_completion, long_exposed;
    uint64_t n_runs;
    uint32_t n_each;  /* runs in a row that may depend on each other: steps; set it before adding */
    lag_seconds span; /* sum of completion - first arrival [s] */
    lag_seconds *wait, *idle, *done;        /* [n_ranks] sums [s] */
    uint64_t *arrived_last;                 /* [n_ranks] runs */
    uint64_t *taken_as_late;                /* [n_ranks] runs in which the plan took it for late */
    uint64_t n_lockstep;                    /* runs done in lockstep; the others are replayed */
    uint64_t n_messages;                    /* of the latest run */
    lag_bytes wire_bytes;                   /* of the latest run */
    uint64_t n_paths;                       /* runs whose critical path is in the following */
    lag_seconds compute;                    /* the part of shares.wait that is computing, sum [s] */
    struct lag_shares shares;               /* sums [s] */
    uint64_t *first_on_path, *last_on_path; /* [n_ranks] runs */
    bool *on_path;                          /* [n_ranks] */
    double path_latencies, path_bytes;      /* transfers on it that led to their receiver; bytes */
    lag_seconds *link_time;                 /* [n_links] bandwidth time on paths, sums [s] */
    lag_seconds *link_contention; /* [n_links] what sharing the link added there, sums [s] */
    /* [n_links] where links change under way: bytes that crossed, and those that could have, sums
     * [B]; else NULL. */
    double *link_bytes, *link_capacity;
    lag_seconds span_all; /* with jobs: sum of last job's completion - first arrival at any [s] */
};
void lag_tally_init(struct lag_tally *tally, uint32_t n_ranks, uint32_t n_links);
void lag_tally_clear(struct lag_tally *tally);

/* Adds a run. compute[rank] is the part of arrival[rank] that the rank computed at its own speed;
 * the rest of it is lateness. */
void lag_tally_add(struct lag_tally *tally, const struct lag_outcome *outcome,
                   const lag_seconds *arrival, const lag_seconds *compute);

/* Adds the runs of `later` behind those of `tally`. */
void lag_tally_merge(struct lag_tally *tally, const struct lag_tally *later);

/* Of the exposed times of all runs so far. */
struct lag_statistics lag_tally_exposed(const struct lag_tally *tally);

/* Fills all of a row that follows from its runs and result->size: from n_messages to links, but
 * for `speedup`. */
void lag_tally_summarise(const struct lag_tally *tally, const struct lag_subject *subject,
                         struct lag_result *result);

#endif
