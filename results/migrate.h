/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which database a file is, and how an older one is brought up to date. */
#ifndef LAGGARD_RESULTS_MIGRATE_H
#define LAGGARD_RESULTS_MIGRATE_H

#include "results/database.h"

/* PRAGMA application_id of our kinds of database. */
#define LAG_APPLICATION_STORE       0x4c616767 /* "Lagg": results */
#define LAG_APPLICATION_CALIBRATION 0x4c616763 /* "Lagc": timings of kernels */

/* `migrations[i]` leads from version i to i + 1; PRAGMA user_version counts them. */
struct lag_schema {
    int32_t application;
    const char *const *migrations;
    uint32_t n_migrations;
};

/* Refuses a file of another program, of our other kind, or of a newer laggard, and changes
 * nothing. A new, empty file passes. */
bool lag_schema_check(const lag_database *database, const struct lag_schema *schema,
                      GError **error);

/* Brings a file to the latest version, all of the way or not at all: a new or empty one too. */
bool lag_schema_migrate(const lag_database *database, const struct lag_schema *schema,
                        GError **error);

#endif
