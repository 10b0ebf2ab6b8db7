/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins the newest runs of several databases, which must be of one sweep, in one. */
#ifndef LAGGARD_RESULTS_MERGE_H
#define LAGGARD_RESULTS_MERGE_H

#include "results/store-read.h"
#include "results/store.h"

/* What an input holds; brings an older file up to date. False with LAGGARD_ERROR_INPUT also where
 * there is no file. */
bool lag_merge_look(const char *path, int patience_ms, struct lag_store_latest *ret,
                    GError **error);

/* Adds the newest run of `path` to the newest one of `store`, or to a new one where there is none,
 * all or nothing. A point that both have must be the same there, with LAGGARD_ERROR_INPUT; one that
 * has failed gives way to one that hasn't. The files stay as they are. */
bool lag_merge_add(lag_store *store, const char *path, int64_t run, GError **error);

#endif
