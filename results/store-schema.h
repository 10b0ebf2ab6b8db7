/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of the store, and how older files get them. */
#ifndef LAGGARD_RESULTS_STORE_SCHEMA_H
#define LAGGARD_RESULTS_STORE_SCHEMA_H

#include "results/migrate.h"

/* What leads from version i to i + 1; PRAGMA user_version counts them. */
extern const char *const lag_store_migrations[];
extern const uint32_t lag_store_n_migrations;

/* Refuses a file of another program or of a newer laggard, and changes nothing. */
bool lag_store_check(const lag_database *database, uint32_t n_migrations, GError **error);

/* Brings a file to the latest version, all of the way or not at all: a new or empty one too. The
 * list of migrations is a parameter for tests. */
bool lag_store_migrate(const lag_database *database, const char *const *migrations,
                       uint32_t n_migrations, GError **error);

#endif
