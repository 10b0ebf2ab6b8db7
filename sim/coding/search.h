/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which tree is the fastest for so many workers and these laws: all shapes are tried, on the same random
 * numbers. */
#ifndef LAGGARD_SIM_CODING_SEARCH_H
#define LAGGARD_SIM_CODING_SEARCH_H

#include <glib.h>

#include "sim/coding/iteration.h"

struct lag_tree_choice {
    struct lag_tree tree;
    enum lag_tree_rule rule; /* groups where they fit, which never wait longer */
    struct lag_model_mean time;
};

/* Struct lag_tree_choice, fastest first, equal ones by fewer stragglers. For each depth the widest tree of
 * at most n_workers is tried (which may leave some idle), with stragglers 0 .. 4, then a quarter more at
 * a time, and degree - 1. The model's own tree and rule don't matter. n_draws each, fewer where n_workers
 * is large. Free with g_array_unref. */
GArray *lag_tree_search(const struct lag_tree_model *model, uint32_t n_workers, uint32_t n_draws,
                        uint64_t seed);

/* The widest tree of a depth that has at most n_workers; degree 0 where there is none of degree 2 or
 * more (1, where n_workers is). */
uint32_t lag_tree_widest(uint32_t depth, uint32_t n_workers);

#endif
