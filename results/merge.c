/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/merge.h"

/* The points of a run that have a row which isn't ok. */
#define FAILED(schema, run)                                                                        \
    "(SELECT point FROM " schema ".result WHERE run = " run " AND status <> 'ok')"

bool lag_merge_look(const char *path, int patience_ms, struct lag_store_latest *ret, GError **error)
{
    *ret = (struct lag_store_latest){0};
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: there is no such file", path);
        return false;
    }
    g_autoptr(lag_store) store = lag_store_open(path, patience_ms, error);
    if (store == NULL || !lag_store_latest_read(lag_store_database(store), ret, error))
        return false;
    return true;
}

/* Runs one statement; ?1 is our run, ?2 the other's. */
static bool run_sql(const lag_database *database, const char *sql, int64_t ours, int64_t theirs,
                    GError **error)
{
    sqlite3_stmt *statement = lag_database_prepare(database, sql, error);

    if (statement == NULL)
        return false;
    sqlite3_bind_int64(statement, 1, ours);
    sqlite3_bind_int64(statement, 2, theirs);
    bool done = lag_database_step(database, statement, error);
    sqlite3_finalize(statement);
    return done;
}

/* The columns of a table but for those of its keys, "a, b, c", newly allocated; NULL: an error. */
static char *columns_of(const lag_database *database, const char *table, GError **error)
{
    g_autofree char *sql =
        g_strdup_printf("SELECT group_concat(name, ', ') FROM pragma_table_info('%s')"
                        " WHERE name NOT IN ('id', 'run', 'result')",
                        table);
    sqlite3_stmt *select = lag_database_prepare(database, sql, error);
    char *columns = NULL;

    if (select == NULL)
        return NULL;
    if (sqlite3_step(select) == SQLITE_ROW)
        columns = g_strdup((const char *)sqlite3_column_text(select, 0));
    else
        lag_database_fail(database, error);
    sqlite3_finalize(select);
    return columns;
}

/* Refuses points that both have, and not the same. */
static bool compare(const lag_database *database, const char *path, int64_t ours, int64_t theirs,
                    GError **error)
{
    g_autofree char *columns = columns_of(database, "result", error);

    if (columns == NULL)
        return false;
    g_autofree char *sql = g_strdup_printf(
        "SELECT point FROM (SELECT %s FROM part.result WHERE run = ?2"
        " AND point IN (SELECT number FROM main.point WHERE run = ?1)"
        " AND point NOT IN " FAILED(
            "part", "?2") " EXCEPT SELECT %s FROM main.result WHERE run = ?1) LIMIT 1",
        columns, columns);
    sqlite3_stmt *select = lag_database_prepare(database, sql, error);
    if (select == NULL)
        return false;
    sqlite3_bind_int64(select, 1, ours);
    sqlite3_bind_int64(select, 2, theirs);
    int status = sqlite3_step(select);
    if (status == SQLITE_ROW)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "%s: has other results of point %lld than were there already; they can't be "
                    "of the same program",
                    path, sqlite3_column_int64(select, 0));
    else if (status != SQLITE_DONE)
        lag_database_fail(database, error);
    sqlite3_finalize(select);
    return status == SQLITE_DONE;
}

/* What hangs on results, for those that will get new ids. */
static bool copy_details(const lag_database *database, int64_t ours, int64_t theirs, int64_t offset,
                         GError **error)
{
    static const char *const tables[] = {"sample", "rank_stat", "link_stat"};

    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_autofree char *columns = columns_of(database, tables[i], error);
        if (columns == NULL)
            return false;
        g_autofree char *sql = g_strdup_printf(
            "INSERT INTO main.%s (result, %s) SELECT result + %" G_GINT64_FORMAT ", %s"
            " FROM part.%s WHERE ?1 <> 0 AND result IN (SELECT id FROM part.result WHERE run = ?2"
            " AND point IN (SELECT number FROM temp.wanted))",
            tables[i], columns, offset, columns, tables[i]);
        if (!run_sql(database, sql, ours, theirs, error))
            return false;
    }
    return true;
}

static bool copy(const lag_database *database, int64_t ours, int64_t theirs, GError **error)
{
    g_autofree char *of_point = columns_of(database, "point", error);
    g_autofree char *of_result = of_point != NULL ? columns_of(database, "result", error) : NULL;
    int64_t offset;

    if (of_result == NULL ||
        !lag_database_count(database, "SELECT coalesce(max(id), 0) FROM main.result", &offset,
                            error))
        return false;
    g_autofree char *points = g_strdup_printf(
        "INSERT INTO main.point (run, %s) SELECT ?1, %s FROM part.point WHERE run = ?2"
        " AND number IN (SELECT number FROM temp.wanted)",
        of_point, of_point);
    g_autofree char *results = g_strdup_printf(
        "INSERT INTO main.result (id, run, %s) SELECT id + %" G_GINT64_FORMAT ", ?1, %s"
        " FROM part.result WHERE run = ?2 AND point IN (SELECT number FROM temp.wanted)",
        of_result, offset, of_result);
    return run_sql(database, points, ours, theirs, error) &&
           run_sql(database, results, ours, theirs, error) &&
           copy_details(database, ours, theirs, offset, error);
}

/* Our newest run, made after theirs where there is none; 0: an error. */
static int64_t find_run(const lag_database *database, int64_t theirs, GError **error)
{
    int64_t ours = 0;

    if (!lag_database_count(database, "SELECT coalesce(max(id), 0) FROM main.run", &ours, error))
        return 0;
    if (ours > 0)
        return ours;
    return run_sql(database,
                   "INSERT INTO main.run (scenario, version, git_commit, text, configuration,"
                   " fingerprint, seed, arguments, detail, points, started) SELECT scenario,"
                   " version, git_commit, text, configuration, fingerprint, seed, arguments,"
                   " detail, points, started FROM part.run WHERE ?1 = 0 AND id = ?2",
                   0, theirs, error)
               ? sqlite3_last_insert_rowid(database->handle)
               : 0;
}

static bool add(const lag_database *database, const char *path, int64_t theirs, GError **error)
{
    int64_t ours = find_run(database, theirs, error);

    return ours > 0 &&
           run_sql(database,
                   "DELETE FROM main.point WHERE run = ?1 AND number IN " FAILED(
                       "main", "?1") " AND number IN (SELECT number FROM part.point WHERE run = ?2)"
                                     " AND number NOT IN " FAILED("part", "?2"),
                   ours, theirs, error) &&
           compare(database, path, ours, theirs, error) &&
           run_sql(database,
                   "INSERT INTO temp.wanted SELECT number FROM part.point WHERE run = ?2"
                   " AND number NOT IN (SELECT number FROM main.point WHERE run = ?1)",
                   ours, theirs, error) &&
           copy(database, ours, theirs, error);
}

static bool attach(const lag_database *database, const char *path, GError **error)
{
    g_autofree char *file =
        g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(".", path, NULL);
    sqlite3_stmt *statement = lag_database_prepare(database, "ATTACH ? AS part", error);

    if (statement == NULL)
        return false;
    lag_bind_text(statement, 1, file);
    bool attached = lag_database_step(database, statement, error);
    sqlite3_finalize(statement);
    return attached;
}

bool lag_merge_add(lag_store *store, const char *path, int64_t run, GError **error)
{
    const lag_database *database = lag_store_database(store);

    if (!attach(database, path, error))
        return false;
    bool added =
        lag_database_exec(database,
                          "BEGIN IMMEDIATE; CREATE TEMP TABLE wanted (number INTEGER PRIMARY KEY)",
                          error) &&
        add(database, path, run, error) &&
        lag_database_exec(database, "DROP TABLE temp.wanted; COMMIT", error);
    if (!added)
        lag_database_exec(database, "ROLLBACK", NULL);
    return lag_database_exec(database, "DETACH part", added ? error : NULL) && added;
}
