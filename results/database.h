/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SQLite with our errors. A failure that the file or the command line is to blame for is
 * LAGGARD_ERROR_INPUT; one of the world (no room, locked, a broken disk) is of G_FILE_ERROR. Each
 * message starts with the file's name and ends with a remedy. One thread at a time. */
#ifndef LAGGARD_RESULTS_DATABASE_H
#define LAGGARD_RESULTS_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>
#include <sqlite3.h>

typedef struct lag_database {
    char *path;
    const char *remedy; /* the end of its messages: "name another file with --db" */
    sqlite3 *handle;
} lag_database;

/* Opens a file for reading and writing, makes it if it isn't there. What another connection has
 * locked is waited for, up to `patience_ms` [ms]. */
lag_database *lag_database_open(const char *path, int patience_ms, GError **error);

/* Opens a file for reading, and never changes it. `remedy` is borrowed. */
lag_database *lag_database_open_to_read(const char *path, const char *remedy, GError **error);

/* Many readers and one writer at a time from here on, also between processes. */
bool lag_database_enter_wal(const lag_database *database, int patience_ms, GError **error);

void lag_database_free(lag_database *database);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_database, lag_database_free)

/* The error of the call to SQLite that has just failed. Always false. */
bool lag_database_fail(const lag_database *database, GError **error);

/* Runs statements that yield no rows of interest. */
bool lag_database_exec(const lag_database *database, const char *sql, GError **error);

/* The first column of the first row of a query; false also where there is no row. */
bool lag_database_count(const lag_database *database, const char *sql, int64_t *ret,
                        GError **error);

/* A statement to be used again and again; to be finalised before the database is freed. */
sqlite3_stmt *lag_database_prepare(const lag_database *database, const char *sql, GError **error);

/* Runs a statement that yields no rows, and makes it ready for the next values. */
bool lag_database_step(const lag_database *database, sqlite3_stmt *statement, GError **error);

/* Binds parameter `index`, from 1. Texts are borrowed until the statement has been stepped; NULL,
 * what isn't finite, and a count beyond 2^63 - 1 are SQL's NULL. They can't fail but for lack of
 * memory or a wrong index, which is our bug. */
void lag_bind_text(sqlite3_stmt *statement, int index, const char *text);
void lag_bind_count(sqlite3_stmt *statement, int index, uint64_t count);
void lag_bind_number(sqlite3_stmt *statement, int index, double number);

#endif
