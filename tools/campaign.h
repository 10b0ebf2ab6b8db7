/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All runs of a scenario: points x algorithms x replications, on several threads. What comes out
 * doesn't depend on how many: the work is cut into blocks of replications by their number alone,
 * and blocks are added up in order. Memory grows with the rows and their samples, not with the
 * points under way. */
#ifndef LAGGARD_TOOLS_CAMPAIGN_H
#define LAGGARD_TOOLS_CAMPAIGN_H

#include "results/summary.h"
#include "scenarios/scenario.h"

typedef struct lag_campaign lag_campaign;

/* Validates points first .. first + n - 1 (and their plans) before any of them runs. NULL with
 * LAGGARD_ERROR_INPUT. The document is borrowed. */
lag_campaign *lag_campaign_new(const lag_document *document, uint32_t first, uint32_t n,
                               GError **error);
void lag_campaign_free(lag_campaign *campaign);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_campaign, lag_campaign_free)

/* Of char *, each once, in the order of points. Borrowed. */
const GPtrArray *lag_campaign_warnings(const lag_campaign *campaign);
uint32_t lag_campaign_n_points(const lag_campaign *campaign);
/* Algorithms: the most of any point. */
uint32_t lag_campaign_n_entrants(const lag_campaign *campaign);

/* Runs it, once. A run that stalls makes a row of status LAG_STALLED. NULL with
 * LAGGARD_ERROR_INPUT where a point that was valid no longer is. */
lag_result_set *lag_campaign_run(lag_campaign *campaign, unsigned n_jobs, GError **error);

#endif
