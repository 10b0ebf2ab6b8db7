/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results in an SQLite database: tables run, point, result, sample, rank_stat, link_stat, as
 * docs/STORE.md describes them. Several processes may write to one file at once. A store belongs
 * to one thread at a time; store-writer.h gives it one of its own. Errors are those of
 * database.h. */
#ifndef LAGGARD_RESULTS_STORE_H
#define LAGGARD_RESULTS_STORE_H

#include "results/database.h"
#include "results/summary.h"

/* What is stored; each holds what is before it too. */
enum lag_detail {
    LAG_DETAIL_POINTS, /* points and results */
    LAG_DETAIL_RANKS,  /* a row for each rank */
    LAG_DETAIL_LINKS,  /* a row for each link */
    LAG_DETAIL_ALL,    /* a row for each step of each replication */
};
const char *lag_detail_name(enum lag_detail detail);

typedef struct lag_store lag_store;

/* Opens a file, makes it or brings it to the latest schema. `patience_ms`: how long to wait for
 * other processes, each time [ms]. */
lag_store *lag_store_open(const char *path, int patience_ms, GError **error);
void lag_store_free(lag_store *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_store, lag_store_free)

/* One scenario of one command. All texts are UTF-8. */
struct lag_store_run {
    const char *scenario; /* its name */
    const char *version, *commit;
    const char *text;          /* the file */
    const char *configuration; /* after --set, canonical */
    const char *fingerprint;
    const char *arguments; /* a JSON array */
    uint64_t seed;
    uint32_t n_points;        /* of the whole sweep */
    uint32_t shard, n_shards; /* n_shards 0: it isn't cut */
    enum lag_detail detail;
};
/* Makes what follows part of a new run, which has started now. */
bool lag_store_begin_run(lag_store *store, const struct lag_store_run *run, GError **error);

/* Makes what follows part of a run that is there already. */
void lag_store_continue_run(lag_store *store, int64_t run, enum lag_detail detail);

/* The run that has begun or is continued. */
int64_t lag_store_run_id(const lag_store *store);

/* Borrowed; for reading what is stored (store-read.h), between two calls of the store's. */
const lag_database *lag_store_database(const lag_store *store);

/* A row's runs, by replication and step: arrays of double [s]. */
struct lag_store_samples {
    GArray *completion, *exposed; /* NULL: none */
};
struct lag_store_point {
    uint32_t number; /* in the sweep */
    uint32_t n_rows;
    const struct lag_result *rows;     /* borrowed; by algorithm */
    struct lag_store_samples *samples; /* [n_rows]; NULL: none */
};
void lag_store_point_clear(struct lag_store_point *point); /* frees the samples */

/* How many rows of the database a point makes. */
uint64_t lag_store_rows(enum lag_detail detail, const struct lag_store_point *point);

/* Adds points, in any order and all or none of them: they are on the disk when it returns. */
bool lag_store_add(lag_store *store, const struct lag_store_point *points, uint32_t n,
                   GError **error);

/* The run is complete. Without this it stays one that was interrupted. */
bool lag_store_end_run(lag_store *store, GError **error);

#endif
