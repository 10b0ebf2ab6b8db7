/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/session.h"

#include <errno.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "results/store-writer.h"
#include "tools/command.h"
#include "tools/interrupt.h"

#define DEFAULT_DB  "laggard.db"
#define PATIENCE    10000 /* with other processes that lock the database [ms] */
#define MANY_POINTS 10000

struct lag_session {
    const char *db; /* NULL: none */
    int detail;
    enum lag_detail run_detail; /* of the run that is being stored */
    lag_store *store;           /* NULL: none, or none any more */
    lag_store_writer *writer;   /* while a campaign runs that is stored */
    enum lag_progress_mode mode;
    lag_progress *progress;
    uint64_t n_points, n_done;
    bool store_failed; /* written by the writer's thread while there is one */
};

static bool is_unwritable(const char *path)
{
    return g_access(path, F_OK) != 0 && g_access(".", W_OK | X_OK) != 0;
}

/* Which database to use: the file's name, or NULL. */
static const char *choose_db(const struct lag_session_options *options)
{
    if (options->db != NULL)
        return g_str_equal(options->db, "none") ? NULL : options->db;
    if (!is_unwritable(DEFAULT_DB))
        return DEFAULT_DB;
    g_autofree char *warning = g_strdup_printf(
        "results are not stored: cannot make " DEFAULT_DB " here: %s; see --db", g_strerror(errno));
    if (!options->quiet)
        lag_command_warn(warning);
    return NULL;
}

void lag_session_expect(lag_session *session, uint64_t n_points)
{
    session->n_points = n_points;
    lag_progress_free(session->progress);
    session->progress = lag_progress_new(session->mode, stderr, n_points);
}

lag_session *lag_session_new(const struct lag_session_options *options, uint64_t n_points,
                             GError **error)
{
    g_autoptr(lag_session) session = g_new0(lag_session, 1);

    session->db = choose_db(options);
    session->detail = options->detail;
    session->mode = options->progress;
    lag_interrupt_watch();
    if (session->db != NULL) {
        session->store = lag_store_open(session->db, PATIENCE, error);
        if (session->store == NULL)
            return NULL;
    }
    lag_session_expect(session, n_points);
    return g_steal_pointer(&session);
}

bool lag_session_stores(const lag_session *session)
{
    return session->store != NULL;
}

/* The store's listener. */
static void count_settled(void *data, uint32_t n_points)
{
    lag_session *session = data;

    lag_progress_add(session->progress, n_points);
}

static void tell_failure(void *data, const GError *error)
{
    lag_session *session = data;
    g_autofree char *line =
        g_strdup_printf("laggard: error: results are not stored from here on: %s", error->message);

    lag_progress_say(session->progress, line);
    session->store_failed = true;
}

/* The campaign's watch. */
static void keep_point(void *data, const struct lag_point_done *done)
{
    lag_session *session = data;
    struct lag_store_point point = {done->number, done->n_rows, done->rows, NULL};

    if (session->writer == NULL) {
        lag_progress_add(session->progress, 1);
        return;
    }
    point.samples = g_new0(struct lag_store_samples, done->n_rows);
    for (uint32_t i = 0; i < done->n_rows; i++) {
        if (done->rows[i].status != LAG_OK) /* its runs are not all there */
            continue;
        point.samples[i].completion = g_steal_pointer(&done->tallies[i]->completion);
        point.samples[i].exposed = g_steal_pointer(&done->tallies[i]->exposed);
    }
    lag_store_writer_add(session->writer, &point);
}

static bool is_stopped(void *data)
{
    (void)data;
    return lag_interrupt_signal() != 0;
}

enum lag_detail lag_session_detail(int detail, uint64_t n_points)
{
    if (detail >= 0)
        return (enum lag_detail)detail;
    return n_points > MANY_POINTS ? LAG_DETAIL_POINTS : LAG_DETAIL_ALL;
}

static void begin_storing(lag_session *session, const lag_result_set *heading,
                          const lag_manifest *manifest, uint32_t n_points, struct lag_shard shard)
{
    enum lag_detail detail = lag_session_detail(session->detail, n_points);
    g_autoptr(GError) error = NULL;
    struct lag_store_run run = {
        .scenario = heading->scenario,
        .version = manifest->version,
        .commit = manifest->commit,
        .text = manifest->text,
        .configuration = manifest->configuration,
        .fingerprint = heading->fingerprint,
        .arguments = manifest->arguments,
        .seed = heading->seed,
        .n_points = n_points,
        .shard = shard.index,
        .n_shards = shard.n,
        .detail = detail,
    };
    session->run_detail = detail;
    if (!lag_store_begin_run(session->store, &run, &error))
        tell_failure(session, error);
}

/* What can't be stored any more is given up for good. */
static void drop_failed_store(lag_session *session)
{
    if (session->store_failed)
        g_clear_pointer(&session->store, lag_store_free);
}

void lag_session_begin(lag_session *session, const lag_result_set *heading,
                       const lag_manifest *manifest, uint32_t n_points, struct lag_shard shard)
{
    if (session->store != NULL)
        begin_storing(session, heading, manifest, n_points, shard);
    drop_failed_store(session);
}

void lag_session_continue(lag_session *session, int64_t run, enum lag_detail detail)
{
    session->run_detail = detail;
    lag_store_continue_run(session->store, run, detail);
}

lag_result_set *lag_session_run_part(lag_session *session, lag_campaign *campaign, unsigned n_jobs,
                                     GError **error)
{
    struct lag_store_listener listener = {count_settled, tell_failure, session};

    if (session->store != NULL)
        session->writer = lag_store_writer_new(session->store, session->run_detail, listener);
    lag_campaign_watch(campaign, (struct lag_watch){keep_point, is_stopped, session});
    lag_result_set *set = lag_campaign_run(campaign, n_jobs, error);
    g_clear_pointer(&session->writer, lag_store_writer_free);
    drop_failed_store(session);
    session->n_done += lag_campaign_n_done(campaign);
    return set;
}

void lag_session_add(lag_session *session, const struct lag_store_point *points, uint32_t n)
{
    g_autoptr(GError) error = NULL;

    if (session->store != NULL && !lag_store_add(session->store, points, n, &error))
        tell_failure(session, error);
    drop_failed_store(session);
    session->n_done += n;
    lag_progress_add(session->progress, n);
}

void lag_session_complete(lag_session *session)
{
    g_autoptr(GError) error = NULL;

    if (session->store != NULL && !lag_store_end_run(session->store, &error))
        tell_failure(session, error);
    drop_failed_store(session);
}

lag_result_set *lag_session_run(lag_session *session, lag_campaign *campaign,
                                const lag_manifest *manifest, unsigned n_jobs, GError **error)
{
    uint32_t n_points = lag_campaign_n_points(campaign);

    lag_session_begin(session, lag_campaign_heading(campaign), manifest, n_points,
                      (struct lag_shard){0, 0});
    lag_result_set *set = lag_session_run_part(session, campaign, n_jobs, error);
    if (set != NULL && lag_campaign_n_done(campaign) == n_points)
        lag_session_complete(session);
    return set;
}

lag_store *lag_session_store(lag_session *session)
{
    return session->store;
}

bool lag_session_is_interrupted(const lag_session *session)
{
    return lag_interrupt_signal() != 0 && session->n_done < session->n_points;
}

int lag_session_end(lag_session *session)
{
    g_clear_pointer(&session->progress, lag_progress_free);
    if (lag_session_is_interrupted(session)) {
        bool stored = session->store != NULL;
        fprintf(stderr,
                "laggard: interrupted: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                " points are done%s%s\n",
                session->n_done, session->n_points, stored ? " and stored in " : "",
                stored ? session->db : "");
    }
    g_clear_pointer(&session->store, lag_store_free);
    if (lag_session_is_interrupted(session))
        return 128 + lag_interrupt_signal();
    return session->store_failed ? LAG_EXIT_FAILED : LAG_EXIT_OK;
}

void lag_session_free(lag_session *session)
{
    if (session == NULL)
        return;
    lag_progress_free(session->progress);
    lag_store_writer_free(session->writer);
    lag_store_free(session->store);
    g_free(session);
}
