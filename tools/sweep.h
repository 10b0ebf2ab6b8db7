/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep of any length into a database: its points in batches, so that memory doesn't grow with
 * them; only those of one shard; only those that the database lacks. */
#ifndef LAGGARD_TOOLS_SWEEP_H
#define LAGGARD_TOOLS_SWEEP_H

#include "tools/session.h"

struct lag_sweep_order {
    const lag_document *document;
    const lag_manifest *manifest;
    struct lag_shard shard;
    bool resume;       /* goes on with the newest run, where there is one */
    bool retry_failed; /* once more what isn't ok there; needs resume */
    bool quiet;        /* no warnings */
    unsigned n_jobs;
};

/* What came of it. */
struct lag_sweep_outcome {
    int64_t run;       /* in the database */
    uint32_t n_points; /* of the shard, or of all */
    uint32_t n_stored; /* of them that had been there before */
};

/* Runs it. A point that isn't valid is stored as failed, unless none of the whole sweep is: then
 * nothing has been stored. Where a signal ends it, or the database fails, it returns early.
 * False with LAGGARD_ERROR_INPUT, or the database's errors. */
bool lag_sweep_run(lag_session *session, const struct lag_sweep_order *order,
                   struct lag_sweep_outcome *ret, GError **error);

#endif
