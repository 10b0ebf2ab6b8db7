/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All runs of a scenario: points x algorithms x replications, on several threads. What comes out
 * doesn't depend on how many: the work is cut into blocks of replications by their number alone,
 * and blocks are added up in order. Memory grows with the rows and their samples, not with the
 * points under way. */
#ifndef LAGGARD_TOOLS_CAMPAIGN_H
#define LAGGARD_TOOLS_CAMPAIGN_H

#include "results/nccl.h"
#include "results/tally.h"
#include "scenarios/scenario.h"

typedef struct lag_campaign lag_campaign;

/* Validates points (and their plans) before any of them runs: points[n], or 0 .. n - 1 where it is
 * NULL. NULL with LAGGARD_ERROR_INPUT. Document and points are borrowed. */
lag_campaign *lag_campaign_new(const lag_document *document, const uint32_t *points, uint32_t n,
                               GError **error);
void lag_campaign_free(lag_campaign *campaign);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_campaign, lag_campaign_free)

/* Of char *, each once, in the order of points. Borrowed. */
const GPtrArray *lag_campaign_warnings(const lag_campaign *campaign);
uint32_t lag_campaign_n_points(const lag_campaign *campaign);
/* Algorithms: the most of any point. */
uint32_t lag_campaign_n_entrants(const lag_campaign *campaign);

/* A set without rows: the scenario's name, seed and fingerprint. Borrowed, until it runs. */
const lag_result_set *lag_campaign_heading(const lag_campaign *campaign);

/* What there is to know of each row's buffer; by result, as long as the campaign lives. */
const struct lag_nccl_buffer *lag_campaign_buffers(const lag_campaign *campaign);

/* A point that is done, with its rows and what they were made of, by algorithm. */
struct lag_point_done {
    uint32_t number, n_rows;
    const struct lag_result *rows;    /* they stay where they are as long as the set does */
    struct lag_tally *const *tallies; /* their arrays may be taken out */
};

/* What a campaign tells and asks while it runs, from any of its threads. */
struct lag_watch {
    void (*done)(void *data, const struct lag_point_done *point);
    bool (*is_stopped)(void *data); /* true: no more points are begun */
    void *data;
};

/* To be told before it runs. */
void lag_campaign_watch(lag_campaign *campaign, struct lag_watch watch);

/* Runs it, once. A run that stalls makes a row of status LAG_STALLED. Where it is stopped the set
 * ends with the last point that is done: they are the first ones of all. NULL with
 * LAGGARD_ERROR_INPUT where a point that was valid no longer is. */
lag_result_set *lag_campaign_run(lag_campaign *campaign, unsigned n_jobs, GError **error);

/* Points that are done. */
uint32_t lag_campaign_n_done(const lag_campaign *campaign);

#endif
