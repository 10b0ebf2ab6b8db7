/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes on around the campaigns of one command: the database, the progress line, signals. */
#ifndef LAGGARD_TOOLS_SESSION_H
#define LAGGARD_TOOLS_SESSION_H

#include "results/store.h"
#include "tools/campaign.h"
#include "tools/manifest.h"
#include "tools/progress.h"

struct lag_session_options {
    const char *db; /* of --db; NULL: laggard.db in the current folder, where that can be written */
    int detail;     /* of enum lag_detail; -1: all, unless there are many points */
    enum lag_progress_mode progress;
    bool quiet; /* no warnings */
};

typedef struct lag_session lag_session;

/* Opens the database. */
lag_session *lag_session_new(const struct lag_session_options *options, uint64_t n_points,
                             GError **error);

/* True where results will be stored, and a manifest is wanted. */
bool lag_session_stores(const lag_session *session);

/* Runs a campaign and stores it. What goes wrong with the database is told at once and stops
 * nothing. Errors are the campaign's. `manifest` is NULL where nothing is stored. */
lag_result_set *lag_session_run(lag_session *session, lag_campaign *campaign,
                                const lag_manifest *manifest, unsigned n_jobs, GError **error);

/* True where a signal has ended the latest campaign early: no more of them are to be run. */
bool lag_session_is_interrupted(const lag_session *session);

/* Ends the progress line and the database; says what a signal has left undone. The exit status,
 * as far as the session decides it. */
int lag_session_end(lag_session *session);
void lag_session_free(lag_session *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_session, lag_session_free)

#endif
