/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/database.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "sim/laggard.h"

#define ELSEWHERE "name another file with --db, or --db none"
#define PATIENCE  10000 /* of a reader [ms] */

/* An error of the input, or of the world. `what` goes on with the remedy. */
static void set_error(GError **error, bool input, const lag_database *database, const char *what)
{
    if (input)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: %s%s", database->path, what,
                    database->remedy);
    else
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: %s%s", database->path, what,
                    database->remedy);
}

/* Why a file cannot be opened or made; 0 where it isn't known. SQLite's own number is that of its
 * last try, which is to open it read-only. */
static int why_not_open(const lag_database *database)
{
    g_autofree char *folder = g_path_get_dirname(database->path);

    if (g_access(folder, W_OK | X_OK) != 0)
        return errno;
    if (g_access(database->path, F_OK) == 0 && g_access(database->path, R_OK | W_OK) != 0)
        return errno;
    return sqlite3_system_errno(database->handle);
}

/* What the system said, or SQLite where it didn't say anything. */
static void set_system_error(GError **error, bool input, const lag_database *database,
                             const char *doing, const char *remedy)
{
    int number = input ? why_not_open(database) : sqlite3_system_errno(database->handle);
    const char *cause = number != 0 ? g_strerror(number) : sqlite3_errmsg(database->handle);
    g_autofree char *what = g_strdup_printf("%s: %s; %s", doing, cause, remedy);

    set_error(error, input, database, what);
}

bool lag_database_fail(const lag_database *database, GError **error)
{
    switch (sqlite3_errcode(database->handle) & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        set_error(error, false, database,
                  "another process has locked the database; wait until it is done, or ");
        break;
    case SQLITE_FULL:
        set_error(error, false, database, "no room is left for the database; free some, or ");
        break;
    case SQLITE_IOERR:
        set_system_error(error, false, database, "cannot read or write the database",
                         "free some room, or ");
        break;
    case SQLITE_NOTADB:
        set_error(error, true, database, "is no SQLite database; ");
        break;
    case SQLITE_CORRUPT:
        set_error(error, true, database, "the database is damaged; ");
        break;
    case SQLITE_READONLY:
        set_error(error, true, database, "the database is read-only; make it writable, or ");
        break;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        set_system_error(error, true, database, "cannot open or create the database",
                         "its folder must exist and be writable; ");
        break;
    default: {
        g_autofree char *what = g_strdup_printf("%s; ", sqlite3_errmsg(database->handle));
        set_error(error, false, database, what);
    }
    }
    return false;
}

/* SQLite takes "" and ":memory:" for something else than files. */
static char *file_name(const char *path)
{
    return g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(".", path, NULL);
}

static lag_database *database_new(const char *path, const char *remedy, GError **error)
{
    g_autoptr(lag_database) database = g_new0(lag_database, 1);

    database->path = g_strdup(path);
    database->remedy = remedy;
    if (path[0] != '\0' && !g_file_test(path, G_FILE_TEST_IS_DIR))
        return g_steal_pointer(&database);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "\"%s\" is %s; %s", path,
                path[0] == '\0' ? "no name of a file" : "a folder", remedy);
    return NULL;
}

lag_database *lag_database_open(const char *path, int patience_ms, GError **error)
{
    g_autoptr(lag_database) database = database_new(path, ELSEWHERE, error);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    g_autofree char *file = file_name(path);

    if (database == NULL)
        return NULL;
    if (sqlite3_open_v2(file, &database->handle, flags, NULL) != SQLITE_OK) {
        lag_database_fail(database, error);
        return NULL;
    }
    sqlite3_extended_result_codes(database->handle, 1);
    sqlite3_busy_timeout(database->handle, patience_ms);
    if (sqlite3_db_readonly(database->handle, "main") == 1) {
        set_error(error, true, database, "the database is read-only; make it writable, or ");
        return NULL;
    }
    return g_steal_pointer(&database);
}

/* A file in WAL mode that nobody writes to, in a folder that can't be written, opens only where
 * SQLite is promised that it stays as it is. */
static char *file_uri(const char *file)
{
    g_autofree char *wal = g_strconcat(file, "-wal", NULL);
    g_autofree char *folder = g_path_get_dirname(file);
    g_autofree char *escaped = g_uri_escape_string(file, "/", FALSE);
    bool still = g_access(folder, W_OK) != 0 && g_access(wal, F_OK) != 0;

    return g_strdup_printf("file:%s?%s", escaped, still ? "immutable=1" : "mode=ro");
}

lag_database *lag_database_open_to_read(const char *path, const char *remedy, GError **error)
{
    g_autoptr(lag_database) database = database_new(path, remedy, error);
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    g_autofree char *file = file_name(path);
    g_autofree char *uri = file_uri(file);

    if (database == NULL)
        return NULL;
    if (g_access(path, R_OK) != 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: %s; %s", path,
                    g_strerror(errno), remedy);
        return NULL;
    }
    if (sqlite3_open_v2(uri, &database->handle, flags, NULL) != SQLITE_OK) {
        lag_database_fail(database, error);
        return NULL;
    }
    sqlite3_extended_result_codes(database->handle, 1);
    sqlite3_busy_timeout(database->handle, PATIENCE);
    return g_steal_pointer(&database);
}

/* The change needs the file for itself for a moment, and SQLite doesn't always wait for it: so it
 * is tried again and again. */
bool lag_database_enter_wal(const lag_database *database, int patience_ms, GError **error)
{
    gint64 end = g_get_monotonic_time() + (gint64)patience_ms * 1000;

    for (;;) {
        g_autoptr(GError) cause = NULL;
        if (lag_database_exec(database, "PRAGMA journal_mode = WAL", &cause))
            return true;
        bool busy = (sqlite3_errcode(database->handle) & 0xff) == SQLITE_BUSY;
        if (!busy || g_get_monotonic_time() >= end) {
            g_propagate_error(error, g_steal_pointer(&cause));
            return false;
        }
        g_usleep(5000);
    }
}

void lag_database_free(lag_database *database)
{
    if (database == NULL)
        return;
    int status = sqlite3_close(database->handle);
    assert(status == SQLITE_OK); /* else a statement is left */
    (void)status;
    g_free(database->path);
    g_free(database);
}

bool lag_database_exec(const lag_database *database, const char *sql, GError **error)
{
    return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK ||
           lag_database_fail(database, error);
}

sqlite3_stmt *lag_database_prepare(const lag_database *database, const char *sql, GError **error)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v3(database->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                           NULL) != SQLITE_OK)
        lag_database_fail(database, error);
    return statement;
}

bool lag_database_count(const lag_database *database, const char *sql, int64_t *ret, GError **error)
{
    sqlite3_stmt *statement = lag_database_prepare(database, sql, error);

    if (statement == NULL)
        return false;
    bool found = sqlite3_step(statement) == SQLITE_ROW;
    if (found)
        *ret = sqlite3_column_int64(statement, 0);
    else
        lag_database_fail(database, error);
    sqlite3_finalize(statement);
    return found;
}

bool lag_database_step(const lag_database *database, sqlite3_stmt *statement, GError **error)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE;

    if (!done)
        lag_database_fail(database, error);
    sqlite3_reset(statement); /* says again what step has said */
    return done;
}

void lag_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    int status = sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);

    assert(status == SQLITE_OK);
    (void)status;
}

void lag_bind_count(sqlite3_stmt *statement, int index, uint64_t count)
{
    int status = count <= INT64_MAX ? sqlite3_bind_int64(statement, index, (int64_t)count)
                                    : sqlite3_bind_null(statement, index);

    assert(status == SQLITE_OK);
    (void)status;
}

void lag_bind_number(sqlite3_stmt *statement, int index, double number)
{
    int status = isfinite(number) ? sqlite3_bind_double(statement, index, number)
                                  : sqlite3_bind_null(statement, index);

    assert(status == SQLITE_OK);
    (void)status;
}
