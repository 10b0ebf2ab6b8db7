/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes on around the campaigns of one command: the database, the progress line, signals. */
#ifndef LAGGARD_TOOLS_SESSION_H
#define LAGGARD_TOOLS_SESSION_H

#include "results/store.h"
#include "tools/campaign.h"
#include "tools/manifest.h"
#include "tools/progress.h"
#include "tools/shard.h"

struct lag_session_options {
    const char *db; /* of --db; NULL: laggard.db in the current folder, where that can be written */
    int detail;     /* of enum lag_detail; -1: all, unless there are many points */
    enum lag_progress_mode progress;
    bool quiet; /* no warnings */
};

/* What is kept of a run of so many points; `detail` as in the options. */
enum lag_detail lag_session_detail(int detail, uint64_t n_points);

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

/* The same in steps, for a run whose points come in several campaigns. Begins it, of n_points in
 * the whole sweep; or goes on with one that the store holds. */
void lag_session_begin(lag_session *session, const lag_result_set *heading,
                       const lag_manifest *manifest, uint32_t n_points, struct lag_shard shard);
void lag_session_continue(lag_session *session, int64_t run, enum lag_detail detail);
/* Runs a campaign: all of it is on the disk when this returns. */
lag_result_set *lag_session_run_part(lag_session *session, lag_campaign *campaign, unsigned n_jobs,
                                     GError **error);
/* Stores points that need no running. */
void lag_session_add(lag_session *session, const struct lag_store_point *points, uint32_t n);
/* The run has all its points. */
void lag_session_complete(lag_session *session);

/* So many points are to be run, it has turned out. */
void lag_session_expect(lag_session *session, uint64_t n_points);

/* Borrowed; NULL where nothing is stored, or not any more. Not while a campaign runs. */
lag_store *lag_session_store(lag_session *session);

/* True where a signal has ended the latest campaign early: no more of them are to be run. */
bool lag_session_is_interrupted(const lag_session *session);

/* Ends the progress line and the database; says what a signal has left undone. The exit status,
 * as far as the session decides it. */
int lag_session_end(lag_session *session);
void lag_session_free(lag_session *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_session, lag_session_free)

#endif
