/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that writes points to a store, many in a transaction: at the latest a quarter of a
 * second after they were given to it, and no longer than a moment at a time, so that other
 * processes get their turn. Who gives points faster than the disk takes them has to wait: memory
 * is bounded. */
#ifndef LAGGARD_RESULTS_STORE_WRITER_H
#define LAGGARD_RESULTS_STORE_WRITER_H

#include "results/store.h"

/* Called from the writer's thread. */
struct lag_store_listener {
    /* So many points more are on the disk, or given up after `failed`. */
    void (*settled)(void *data, uint32_t n_points);
    /* Something could not be stored; nothing will be from here on. Called once at most. */
    void (*failed)(void *data, const GError *error);
    void *data;
};

typedef struct lag_store_writer lag_store_writer;

/* From here to lag_store_writer_free() the store belongs to the writer; a run has begun. */
lag_store_writer *lag_store_writer_new(lag_store *store, enum lag_detail detail,
                                       struct lag_store_listener listener);

/* Takes a point's samples over and borrows its rows until the writer is freed. From any thread. */
void lag_store_writer_add(lag_store_writer *writer, const struct lag_store_point *point);

/* Waits until all is written. */
void lag_store_writer_free(lag_store_writer *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_store_writer, lag_store_writer_free)

#endif
