/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the store share: a scratch folder, queries, and points made by hand. */
#ifndef LAGGARD_TESTS_STORE_HELPERS_H
#define LAGGARD_TESTS_STORE_HELPERS_H

#include "results/store-schema.h"
#include "results/store-writer.h"

#define SHORT 50 /* patience [ms] */

/* A folder with one file in it, and what SQLite makes around it. */
struct place {
    char *folder, *path;
};
struct place place_new(void);
void place_clear(struct place *place); /* fails where anything else is left in it */

lag_store *open_store(const char *path);
lag_database *open_database(const char *path);
void exec_sql(const char *path, const char *sql);

/* A query has these rows: a line each, blanks between values, - for NULL. */
char *query(const char *path, const char *sql);
void assert_query(const char *path, const char *sql, const char *expected);

/* A store refuses the file, with this in its message, and with a remedy. */
void assert_refuses(const char *path, const char *message, bool input);

/* Point `number` has two rows: one of two ranks, one link and four runs, with values that are NAN
 * or too large for SQLite; and one that has stalled, without runs. */
struct lag_store_point make_point(struct lag_result rows[2], uint32_t number);

void begin_run(lag_store *store, enum lag_detail detail);

#endif
