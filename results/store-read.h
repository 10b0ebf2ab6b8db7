/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a database of results already holds of a run. Errors are those of database.h. */
#ifndef LAGGARD_RESULTS_STORE_READ_H
#define LAGGARD_RESULTS_STORE_READ_H

#include "results/database.h"

/* The newest run of a database. All texts are owned. */
struct lag_store_latest {
    int64_t id; /* 0: there is no run */
    char *scenario, *version, *configuration, *fingerprint, *detail;
    uint32_t n_points;        /* of the whole sweep */
    uint32_t shard, n_shards; /* n_shards 0: it wasn't cut */
};
bool lag_store_latest_read(const lag_database *database, struct lag_store_latest *ret,
                           GError **error);
void lag_store_latest_clear(struct lag_store_latest *latest);

/* What differs between a stored run and another version and configuration of the same scenario,
 * for a message; newly allocated. */
char *lag_store_difference(const struct lag_store_latest *latest, const char *version,
                           const char *configuration);

/* Sets done[i] to 1 for each point i < n that a run holds. */
bool lag_store_done(const lag_database *database, int64_t run, uint8_t *done, uint32_t n,
                    GError **error);

/* Takes the points out of a run that have a row which isn't ok. */
bool lag_store_forget_failed(const lag_database *database, int64_t run, GError **error);

/* Points of a run, and those of them that have a row which isn't ok. */
struct lag_store_counts {
    int64_t n_points, n_failed;
};
bool lag_store_count(const lag_database *database, int64_t run, struct lag_store_counts *ret,
                     GError **error);

#endif
