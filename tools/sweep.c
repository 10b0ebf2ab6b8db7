/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/sweep.h"

#include <string.h>

#include "results/store-read.h"
#include "tools/command.h"
#include "tools/row.h"

#define BATCH 4096 /* points that are in memory at a time */

struct sweep {
    lag_session *session;
    const struct lag_sweep_order *order;
    uint32_t *points; /* what is to be run, ascending */
    uint32_t n_points;
    GPtrArray *warnings; /* that have been printed */
    bool begun;
};

static bool refuse(const struct lag_store_latest *latest, const struct lag_sweep_order *order,
                   GError **error)
{
    g_autofree char *difference =
        lag_store_difference(latest, order->manifest->version, order->manifest->configuration);

    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "--resume: the database's newest run is of another sweep, %s: %s; name another "
                "file with --db, or leave --resume out to begin a new run",
                latest->scenario, difference);
    return false;
}

/* Takes out of the points those that a run holds. */
static bool skip_done(struct sweep *sweep, int64_t run, struct lag_sweep_outcome *outcome,
                      GError **error)
{
    uint32_t n_all = lag_document_n_points(sweep->order->document), n = 0;
    g_autofree uint8_t *done = g_new0(uint8_t, n_all);
    const lag_database *database = lag_store_database(lag_session_store(sweep->session));

    if (sweep->order->retry_failed && !lag_store_forget_failed(database, run, error))
        return false;
    if (!lag_store_done(database, run, done, n_all, error))
        return false;
    for (uint32_t i = 0; i < sweep->n_points; i++)
        if (!done[sweep->points[i]])
            sweep->points[n++] = sweep->points[i];
    outcome->n_stored = sweep->n_points - n;
    sweep->n_points = n;
    return true;
}

static enum lag_detail detail_of(const char *name)
{
    for (int i = 0; i <= LAG_DETAIL_ALL; i++)
        if (strcmp(name, lag_detail_name((enum lag_detail)i)) == 0)
            return (enum lag_detail)i;
    return LAG_DETAIL_ALL;
}

/* Goes on with the newest run, where there is one. */
static bool resume(struct sweep *sweep, struct lag_sweep_outcome *outcome, GError **error)
{
    const lag_database *database = lag_store_database(lag_session_store(sweep->session));
    struct lag_store_latest latest;
    bool good = true;

    if (!lag_store_latest_read(database, &latest, error))
        return false;
    if (latest.id > 0) {
        const char *fingerprint = lag_document_fingerprint(sweep->order->document);
        good = strcmp(latest.fingerprint, fingerprint) == 0
                   ? skip_done(sweep, latest.id, outcome, error)
                   : refuse(&latest, sweep->order, error);
        if (good)
            lag_session_continue(sweep->session, latest.id, detail_of(latest.detail));
        sweep->begun = true;
    }
    lag_store_latest_clear(&latest);
    return good;
}

static void warn_once(struct sweep *sweep, const lag_campaign *campaign)
{
    const GPtrArray *warnings = lag_campaign_warnings(campaign);

    for (guint i = 0; !sweep->order->quiet && i < warnings->len; i++) {
        const char *text = g_ptr_array_index(warnings, i);
        if (g_ptr_array_find_with_equal_func(sweep->warnings, text, g_str_equal, NULL))
            continue;
        g_ptr_array_add(sweep->warnings, g_strdup(text));
        lag_command_warn(text);
    }
}

static void clear_invalid(gpointer data)
{
    struct lag_store_point *point = data;
    struct lag_result *row = (struct lag_result *)(uintptr_t)point->rows;

    lag_result_clear(row);
    g_free(row);
}

/* The batch without the points that aren't valid, which go to `invalid`: how many are left, in
 * front. */
static uint32_t sift(const struct sweep *sweep, uint32_t *points, uint32_t n, GArray *invalid)
{
    const lag_document *document = sweep->order->document;
    uint32_t n_valid = 0;

    for (uint32_t i = 0; i < n; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(lag_campaign) alone = lag_campaign_new(document, &points[i], 1, &error);
        if (alone != NULL) {
            points[n_valid++] = points[i];
            continue;
        }
        struct lag_result *row = g_new0(struct lag_result, 1);
        lag_row_of_invalid(row, document, points[i], error);
        struct lag_store_point point = {points[i], 1, row, NULL};
        g_array_append_val(invalid, point);
    }
    return n_valid;
}

static void begin(struct sweep *sweep, const lag_campaign *campaign)
{
    const struct lag_sweep_order *order = sweep->order;

    if (!sweep->begun)
        lag_session_begin(sweep->session, lag_campaign_heading(campaign), order->manifest,
                          lag_document_n_points(order->document), order->shard);
    sweep->begun = true;
}

/* Begins with the first point of the sweep that is valid, another shard's too; false where none is,
 * with the first one's message. */
static bool begin_anyhow(struct sweep *sweep, GError **error)
{
    const lag_document *document = sweep->order->document;
    g_autoptr(GError) first = NULL;

    for (uint32_t i = 0; i < lag_document_n_points(document) && !sweep->begun; i++) {
        g_autoptr(lag_campaign) campaign =
            lag_campaign_new(document, &i, 1, first == NULL ? &first : NULL);
        if (campaign != NULL)
            begin(sweep, campaign);
    }
    if (!sweep->begun)
        g_propagate_error(error, g_steal_pointer(&first));
    return sweep->begun;
}

static bool run_campaign(struct sweep *sweep, lag_campaign *campaign, GError **error)
{
    begin(sweep, campaign);
    warn_once(sweep, campaign);
    g_autoptr(lag_result_set) set =
        lag_session_run_part(sweep->session, campaign, sweep->order->n_jobs, error);
    return set != NULL;
}

/* The same where some points aren't valid. */
static bool run_valid(struct sweep *sweep, uint32_t *points, uint32_t n, GError **error)
{
    g_autoptr(GArray) invalid = g_array_new(FALSE, FALSE, sizeof(struct lag_store_point));

    g_array_set_clear_func(invalid, clear_invalid);
    uint32_t n_valid = sift(sweep, points, n, invalid);
    if (!begin_anyhow(sweep, error))
        return false;
    lag_session_add(sweep->session, (const struct lag_store_point *)(void *)invalid->data,
                    invalid->len);
    if (n_valid == 0)
        return true;
    g_autoptr(lag_campaign) campaign =
        lag_campaign_new(sweep->order->document, points, n_valid, error);
    return campaign != NULL && run_campaign(sweep, campaign, error);
}

static bool run_batch(struct sweep *sweep, uint32_t *points, uint32_t n, GError **error)
{
    g_autoptr(lag_campaign) campaign = lag_campaign_new(sweep->order->document, points, n, NULL);

    return campaign != NULL ? run_campaign(sweep, campaign, error)
                            : run_valid(sweep, points, n, error);
}

static bool run_batches(struct sweep *sweep, GError **error)
{
    lag_session_expect(sweep->session, sweep->n_points);
    for (uint32_t i = 0; i < sweep->n_points; i += BATCH) {
        if (lag_session_is_interrupted(sweep->session) || lag_session_store(sweep->session) == NULL)
            return true;
        if (!run_batch(sweep, &sweep->points[i], MIN(BATCH, sweep->n_points - i), error))
            return false;
    }
    if (!begin_anyhow(sweep, error)) /* an empty shard is a run too */
        return false;
    if (!lag_session_is_interrupted(sweep->session))
        lag_session_complete(sweep->session);
    return true;
}

bool lag_sweep_run(lag_session *session, const struct lag_sweep_order *order,
                   struct lag_sweep_outcome *ret, GError **error)
{
    struct sweep sweep = {.session = session, .order = order};
    uint32_t n_all = lag_document_n_points(order->document);

    *ret = (struct lag_sweep_outcome){0};
    g_autofree uint32_t *points = lag_shard_points(order->shard, n_all, &sweep.n_points);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    sweep.points = points;
    sweep.warnings = warnings;
    ret->n_points = sweep.n_points;
    if (order->resume && !resume(&sweep, ret, error))
        return false;
    bool good = run_batches(&sweep, error);
    if (lag_session_store(session) != NULL)
        ret->run = lag_store_run_id(lag_session_store(session));
    return good;
}
