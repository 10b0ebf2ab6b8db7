/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/store.h"

#include <assert.h>

#include "results/column.h"
#include "results/json.h"
#include "results/store-schema.h"

#define NOW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')" /* UTC */

struct lag_store {
    lag_database *database;
    enum lag_detail detail;
    int64_t run;
    sqlite3_stmt *insert_point, *insert_result, *insert_sample, *insert_rank, *insert_link;
    GString *text; /* scratch */
};

const char *lag_detail_name(enum lag_detail detail)
{
    static const char *const names[] = {"points", "ranks", "links", "all"};

    assert(detail < G_N_ELEMENTS(names));
    return names[detail];
}

void lag_store_point_clear(struct lag_store_point *point)
{
    for (uint32_t i = 0; point->samples != NULL && i < point->n_rows; i++) {
        g_clear_pointer(&point->samples[i].completion, g_array_unref);
        g_clear_pointer(&point->samples[i].exposed, g_array_unref);
    }
    g_clear_pointer(&point->samples, g_free);
}

static uint32_t n_samples(const struct lag_store_point *point, uint32_t row)
{
    if (point->samples == NULL || point->samples[row].completion == NULL)
        return 0;
    return point->samples[row].completion->len;
}

uint64_t lag_store_rows(enum lag_detail detail, const struct lag_store_point *point)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < point->n_rows; i++) {
        n += 1 + (detail >= LAG_DETAIL_RANKS ? point->rows[i].n_ranks : 0);
        n += detail >= LAG_DETAIL_LINKS ? point->rows[i].n_links : 0;
        n += detail >= LAG_DETAIL_ALL ? n_samples(point, i) : 0;
    }
    return n;
}

/* "INSERT INTO table (first, columns...) VALUES (?, ...)" of the columns of a point, or of those
 * of a result. */
static sqlite3_stmt *prepare_insert(lag_store *store, const char *table, const char *first,
                                    uint32_t n_first, enum lag_column_place place, GError **error)
{
    GString *sql = store->text;
    uint32_t n = n_first;

    g_string_printf(sql, "INSERT INTO %s (%s", table, first);
    for (const struct lag_column *column = lag_columns; column->name != NULL; column++) {
        if (!(column->place & (int)place))
            continue;
        g_autofree char *name = g_strdelimit(g_strdup(column->name), ".", '_');
        g_string_append_printf(sql, ", %s", name);
        n++;
    }
    g_string_append(sql, ") VALUES (?");
    for (uint32_t i = 1; i < n; i++)
        g_string_append(sql, ", ?");
    g_string_append_c(sql, ')');
    return lag_database_prepare(store->database, sql->str, error);
}

static bool prepare_all(lag_store *store, GError **error)
{
    const lag_database *database = store->database;

    store->insert_point =
        prepare_insert(store, "point", "run, number, coordinates", 3, LAG_OF_POINT, error);
    if (store->insert_point == NULL)
        return false;
    store->insert_result =
        prepare_insert(store, "result", "run, point, entrant, parameters", 4, LAG_OF_ROW, error);
    if (store->insert_result == NULL)
        return false;
    store->insert_sample =
        lag_database_prepare(database, "INSERT INTO sample VALUES (?, ?, ?, ?, ?)", error);
    if (store->insert_sample == NULL)
        return false;
    store->insert_rank =
        lag_database_prepare(database, "INSERT INTO rank_stat VALUES (?, ?, ?, ?, ?, ?)", error);
    if (store->insert_rank == NULL)
        return false;
    store->insert_link =
        lag_database_prepare(database, "INSERT INTO link_stat VALUES (?, ?, ?, ?, ?, ?)", error);
    return store->insert_link != NULL;
}

lag_store *lag_store_open(const char *path, int patience_ms, GError **error)
{
    g_autoptr(lag_store) store = g_new0(lag_store, 1);

    store->text = g_string_new(NULL);
    store->database = lag_database_open(path, patience_ms, error);
    if (store->database == NULL ||
        !lag_store_check(store->database, lag_store_n_migrations, error) ||
        !lag_database_enter_wal(store->database, patience_ms, error) ||
        !lag_store_migrate(store->database, lag_store_migrations, lag_store_n_migrations, error) ||
        !lag_database_exec(store->database, "PRAGMA foreign_keys = ON", error) ||
        !prepare_all(store, error))
        return NULL;
    return g_steal_pointer(&store);
}

void lag_store_free(lag_store *store)
{
    if (store == NULL)
        return;
    sqlite3_finalize(store->insert_point);
    sqlite3_finalize(store->insert_result);
    sqlite3_finalize(store->insert_sample);
    sqlite3_finalize(store->insert_rank);
    sqlite3_finalize(store->insert_link);
    lag_database_free(store->database);
    g_string_free(store->text, TRUE);
    g_free(store);
}

bool lag_store_begin_run(lag_store *store, const struct lag_store_run *run, GError **error)
{
    const char *texts[] = {run->scenario, run->version,       run->commit,
                           run->text,     run->configuration, run->fingerprint,
                           NULL,          run->arguments,     lag_detail_name(run->detail)};
    g_autofree char *seed = g_strdup_printf("%" G_GUINT64_FORMAT, run->seed);
    sqlite3_stmt *insert = lag_database_prepare(
        store->database,
        "INSERT INTO run (scenario, version, git_commit, text, configuration, fingerprint, seed,"
        " arguments, detail, points, shard, shards, started)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " NOW ")",
        error);

    if (insert == NULL)
        return false;
    texts[6] = seed;
    for (int i = 0; i < (int)G_N_ELEMENTS(texts); i++)
        lag_bind_text(insert, i + 1, texts[i]);
    int next = (int)G_N_ELEMENTS(texts) + 1;
    lag_bind_count(insert, next, run->n_points);
    if (run->n_shards > 0) {
        lag_bind_count(insert, next + 1, run->shard);
        lag_bind_count(insert, next + 2, run->n_shards);
    }
    bool begun = lag_database_step(store->database, insert, error);
    sqlite3_finalize(insert);
    store->run = sqlite3_last_insert_rowid(store->database->handle);
    store->detail = run->detail;
    return begun;
}

void lag_store_continue_run(lag_store *store, int64_t run, enum lag_detail detail)
{
    store->run = run;
    store->detail = detail;
}

int64_t lag_store_run_id(const lag_store *store)
{
    return store->run;
}

const lag_database *lag_store_database(const lag_store *store)
{
    return store->database;
}

bool lag_store_end_run(lag_store *store, GError **error)
{
    sqlite3_stmt *update = lag_database_prepare(
        store->database, "UPDATE run SET finished = " NOW " WHERE id = ?", error);

    if (update == NULL)
        return false;
    lag_bind_count(update, 1, (uint64_t)store->run);
    bool ended = lag_database_step(store->database, update, error);
    sqlite3_finalize(update);
    return ended;
}

/* Binds named values as one JSON object; it stands in the scratch text. */
static void bind_fields(lag_store *store, sqlite3_stmt *statement, int index,
                        const struct lag_field *fields, uint32_t n)
{
    struct lag_json json;

    g_string_truncate(store->text, 0);
    lag_json_init(&json, store->text);
    lag_json_fields(&json, NULL, fields, n);
    g_string_truncate(store->text, store->text->len - 1); /* the end of the line */
    lag_bind_text(statement, index, store->text->str);
}

static void bind_columns(sqlite3_stmt *statement, int index, enum lag_column_place place,
                         const struct lag_result *row)
{
    for (const struct lag_column *column = lag_columns; column->name != NULL; column++) {
        if (!(column->place & (int)place))
            continue;
        struct lag_value value = lag_column_value(column, row);
        if (value.kind == LAG_VALUE_COUNT)
            lag_bind_count(statement, index, value.count);
        else if (value.kind == LAG_VALUE_NUMBER)
            lag_bind_number(statement, index, value.number);
        else
            lag_bind_text(statement, index, value.kind == LAG_VALUE_TEXT ? value.text : NULL);
        index++;
    }
}

static bool add_ranks(lag_store *store, uint64_t result, const struct lag_result *row,
                      GError **error)
{
    sqlite3_stmt *insert = store->insert_rank;

    if (row->ranks_wait == NULL)
        return true;
    for (uint32_t rank = 0; rank < row->n_ranks; rank++) {
        lag_bind_count(insert, 1, result);
        lag_bind_count(insert, 2, row->group != NULL ? row->group[rank] : rank);
        lag_bind_number(insert, 3, row->ranks_wait[rank]);
        lag_bind_number(insert, 4, row->ranks_idle[rank]);
        lag_bind_number(insert, 5, row->ranks_done[rank]);
        lag_bind_count(insert, 6, row->arrived_last[rank]);
        if (!lag_database_step(store->database, insert, error))
            return false;
    }
    return true;
}

static bool add_links(lag_store *store, uint64_t result, const struct lag_result *row,
                      GError **error)
{
    sqlite3_stmt *insert = store->insert_link;

    for (uint32_t link = 0; link < row->n_links; link++) {
        lag_bind_count(insert, 1, result);
        lag_bind_count(insert, 2, link);
        lag_bind_text(insert, 3, row->links[link].name);
        lag_bind_number(insert, 4, row->links[link].bytes);
        lag_bind_number(insert, 5, row->links[link].utilisation);
        lag_bind_number(insert, 6, row->links[link].utilisation_all);
        if (!lag_database_step(store->database, insert, error))
            return false;
    }
    return true;
}

static bool add_samples(lag_store *store, uint64_t result, const struct lag_store_point *point,
                        uint32_t row, GError **error)
{
    sqlite3_stmt *insert = store->insert_sample;
    uint32_t n_steps = point->rows[row].n_steps;

    for (uint32_t i = 0; i < n_samples(point, row); i++) {
        lag_bind_count(insert, 1, result);
        lag_bind_count(insert, 2, i / n_steps);
        lag_bind_count(insert, 3, i % n_steps);
        lag_bind_number(insert, 4, g_array_index(point->samples[row].completion, double, i));
        lag_bind_number(insert, 5, g_array_index(point->samples[row].exposed, double, i));
        if (!lag_database_step(store->database, insert, error))
            return false;
    }
    return true;
}

static bool add_result(lag_store *store, const struct lag_store_point *point, uint32_t entrant,
                       GError **error)
{
    const struct lag_result *row = &point->rows[entrant];
    sqlite3_stmt *insert = store->insert_result;

    lag_bind_count(insert, 1, (uint64_t)store->run);
    lag_bind_count(insert, 2, point->number);
    lag_bind_count(insert, 3, entrant);
    bind_fields(store, insert, 4, row->parameters, row->n_parameters);
    bind_columns(insert, 5, LAG_OF_ROW, row);
    if (!lag_database_step(store->database, insert, error))
        return false;
    uint64_t result = (uint64_t)sqlite3_last_insert_rowid(store->database->handle);
    return (store->detail < LAG_DETAIL_RANKS || add_ranks(store, result, row, error)) &&
           (store->detail < LAG_DETAIL_LINKS || add_links(store, result, row, error)) &&
           (store->detail < LAG_DETAIL_ALL || add_samples(store, result, point, entrant, error));
}

static bool add_point(lag_store *store, const struct lag_store_point *point, GError **error)
{
    const struct lag_result *first = &point->rows[0];
    sqlite3_stmt *insert = store->insert_point;

    assert(point->n_rows > 0);
    lag_bind_count(insert, 1, (uint64_t)store->run);
    lag_bind_count(insert, 2, point->number);
    bind_fields(store, insert, 3, first->point, first->n_coordinates);
    bind_columns(insert, 4, LAG_OF_POINT, first);
    if (!lag_database_step(store->database, insert, error))
        return false;
    for (uint32_t i = 0; i < point->n_rows; i++)
        if (!add_result(store, point, i, error))
            return false;
    return true;
}

bool lag_store_add(lag_store *store, const struct lag_store_point *points, uint32_t n,
                   GError **error)
{
    bool added = lag_database_exec(store->database, "BEGIN IMMEDIATE", error);

    if (!added)
        return false;
    for (uint32_t i = 0; added && i < n; i++)
        added = add_point(store, &points[i], error);
    added = added && lag_database_exec(store->database, "COMMIT", error);
    if (!added)
        lag_database_exec(store->database, "ROLLBACK", NULL);
    return added;
}
