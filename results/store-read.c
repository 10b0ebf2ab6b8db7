/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/store-read.h"

#include <string.h>

#include <json-glib/json-glib.h>

void lag_store_latest_clear(struct lag_store_latest *latest)
{
    g_free(latest->scenario);
    g_free(latest->version);
    g_free(latest->configuration);
    g_free(latest->fingerprint);
    g_free(latest->detail);
    *latest = (struct lag_store_latest){0};
}

static char *text_of(sqlite3_stmt *statement, int column)
{
    return g_strdup((const char *)sqlite3_column_text(statement, column));
}

bool lag_store_latest_read(const lag_database *database, struct lag_store_latest *ret,
                           GError **error)
{
    sqlite3_stmt *select = lag_database_prepare(
        database,
        "SELECT id, scenario, version, configuration, fingerprint, detail, points,"
        " coalesce(shard, 0), coalesce(shards, 0) FROM run ORDER BY id DESC LIMIT 1",
        error);

    *ret = (struct lag_store_latest){0};
    if (select == NULL)
        return false;
    int status = sqlite3_step(select);
    if (status == SQLITE_ROW) {
        ret->id = sqlite3_column_int64(select, 0);
        ret->scenario = text_of(select, 1);
        ret->version = text_of(select, 2);
        ret->configuration = text_of(select, 3);
        ret->fingerprint = text_of(select, 4);
        ret->detail = text_of(select, 5);
        ret->n_points = (uint32_t)sqlite3_column_int64(select, 6);
        ret->shard = (uint32_t)sqlite3_column_int64(select, 7);
        ret->n_shards = (uint32_t)sqlite3_column_int64(select, 8);
    } else if (status != SQLITE_DONE) {
        lag_database_fail(database, error);
    }
    sqlite3_finalize(select);
    return status == SQLITE_ROW || status == SQLITE_DONE;
}

static char *node_text(JsonNode *node)
{
    return node != NULL ? json_to_string(node, FALSE) : g_strdup("nothing");
}

static char *differ(const char *path, JsonNode *there, JsonNode *here);

/* The first difference between two objects, keys of `there` first; NULL: none. */
static char *differ_in(const char *path, JsonObject *there, JsonObject *here)
{
    g_autoptr(GList) keys = json_object_get_members(there);
    g_autoptr(GList) more = json_object_get_members(here);
    const char *dot = path[0] != '\0' ? "." : "";
    char *text = NULL;

    for (GList *key = keys; key != NULL && text == NULL; key = key->next) {
        g_autofree char *below = g_strconcat(path, dot, key->data, NULL);
        text = differ(below, json_object_get_member(there, key->data),
                      json_object_get_member(here, key->data));
    }
    for (GList *key = more; key != NULL && text == NULL; key = key->next) {
        g_autofree char *below = g_strconcat(path, dot, key->data, NULL);
        if (!json_object_has_member(there, key->data))
            text = differ(below, NULL, json_object_get_member(here, key->data));
    }
    return text;
}

/* The first difference between two values, NULL: none. Newly allocated. */
static char *differ(const char *path, JsonNode *there, JsonNode *here)
{
    if (there != NULL && here != NULL) {
        if (json_node_equal(there, here))
            return NULL;
        if (JSON_NODE_HOLDS_OBJECT(there) && JSON_NODE_HOLDS_OBJECT(here))
            return differ_in(path, json_node_get_object(there), json_node_get_object(here));
    }
    g_autofree char *old = node_text(there);
    g_autofree char *new = node_text(here);
    return g_strdup_printf("%s is %s there and %s here", path, old, new);
}

char *lag_store_difference(const struct lag_store_latest *latest, const char *version,
                           const char *configuration)
{
    g_autoptr(JsonNode) there = json_from_string(latest->configuration, NULL);
    g_autoptr(JsonNode) here = json_from_string(configuration, NULL);

    if (strcmp(latest->version, version) != 0)
        return g_strdup_printf("laggard is %s there and %s here", latest->version, version);
    char *text = there != NULL && here != NULL ? differ("", there, here) : NULL;
    return text != NULL ? text : g_strdup("a file that the scenario names has changed");
}

bool lag_store_done(const lag_database *database, int64_t run, uint8_t *done, uint32_t n,
                    GError **error)
{
    sqlite3_stmt *select =
        lag_database_prepare(database, "SELECT number FROM point WHERE run = ?", error);
    int status;

    if (select == NULL)
        return false;
    sqlite3_bind_int64(select, 1, run);
    while ((status = sqlite3_step(select)) == SQLITE_ROW) {
        int64_t number = sqlite3_column_int64(select, 0);
        if (number >= 0 && number < n)
            done[number] = 1;
    }
    if (status != SQLITE_DONE)
        lag_database_fail(database, error);
    sqlite3_finalize(select);
    return status == SQLITE_DONE;
}

bool lag_store_forget_failed(const lag_database *database, int64_t run, GError **error)
{
    sqlite3_stmt *delete =
        lag_database_prepare(database,
                             "DELETE FROM point WHERE run = ?1 AND number IN"
                             " (SELECT point FROM result WHERE run = ?1 AND status <> 'ok')",
                             error);

    if (delete == NULL)
        return false;
    sqlite3_bind_int64(delete, 1, run);
    bool done = lag_database_step(database, delete, error);
    sqlite3_finalize(delete);
    return done;
}

bool lag_store_count(const lag_database *database, int64_t run, struct lag_store_counts *ret,
                     GError **error)
{
    g_autofree char *points =
        g_strdup_printf("SELECT count(*) FROM point WHERE run = %" G_GINT64_FORMAT, run);
    g_autofree char *failed =
        g_strdup_printf("SELECT count(DISTINCT point) FROM result"
                        " WHERE run = %" G_GINT64_FORMAT " AND status <> 'ok'",
                        run);

    return lag_database_count(database, points, &ret->n_points, error) &&
           lag_database_count(database, failed, &ret->n_failed, error);
}
