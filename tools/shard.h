/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which points of a sweep are this process's, where several share it. */
#ifndef LAGGARD_TOOLS_SHARD_H
#define LAGGARD_TOOLS_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#define LAG_MOST_SHARDS 1000000

struct lag_shard {
    uint32_t index, n; /* index < n; n = 0: the sweep is not cut */
};

/* The value of a variable of the environment; NULL: not set. */
typedef const char *(*lag_getenv)(const char *name);

/* "3/8" or, from the first of these that is set, "auto": SLURM_ARRAY_TASK_ID, OMPI_COMM_WORLD_RANK,
 * PMI_RANK, SLURM_PROCID. False with LAGGARD_ERROR_INPUT. */
bool lag_shard_parse(const char *text, lag_getenv environment, struct lag_shard *ret,
                     GError **error);

/* Its points of n_points, ascending: those that stand at index, index + n, ... of an order that is
 * shuffled, always in the same way. Newly allocated; all where the sweep is not cut. */
uint32_t *lag_shard_points(struct lag_shard shard, uint32_t n_points, uint32_t *ret_n);

/* Whose each point is, newly allocated [n_points]. */
uint32_t *lag_shard_owners(uint32_t n_shards, uint32_t n_points);

/* "results.db" -> "results.3-of-8.db", newly allocated; as it is where the sweep is not cut. */
char *lag_shard_file(struct lag_shard shard, const char *path);

#endif
