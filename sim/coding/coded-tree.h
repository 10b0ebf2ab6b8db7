/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees of coded aggregation: each parent, the root first, has `degree` children, any `stragglers` of
 * which may be late; the leaves are `depth` layers below the root, which holds no data. A star of one
 * layer is gradient coding, stragglers = 0 the plain tree. What such a tree takes of the data, and what
 * it survives: exact, from the shape alone. */
#ifndef LAGGARD_SIM_CODING_CODED_TREE_H
#define LAGGARD_SIM_CODING_CODED_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

struct lag_tree {
    uint32_t degree, depth, stragglers;
};

/* 1 or more children and layers, 0 <= stragglers < degree, at most 2^32 - 1 workers; else false with
 * LAGGARD_ERROR_INPUT. All that follows needs such a tree. */
bool lag_tree_check(const struct lag_tree *tree, GError **error);

/* degree + degree^2 + ... + degree^depth. */
uint32_t lag_tree_workers(const struct lag_tree *tree);

/* Workers of one layer, 1 .. depth. */
uint32_t lag_tree_layer(const struct lag_tree *tree, uint32_t layer);

/* r = 1 / (rho + rho^2 + ... + rho^depth), rho = degree / (stragglers + 1): the share of the data that
 * each worker holds, and no scheme that survives the same needs less. */
double lag_tree_load(const struct lag_tree *tree);

/* The same as a fraction in lowest terms, and the least number of points for which all parts and all
 * loads are whole numbers, with the points that each worker then holds. False where a number is above
 * 2^63. */
struct lag_tree_exact {
    uint64_t load_above, load_below;
    uint64_t least_points, points_each;
};
bool lag_tree_exact(const struct lag_tree *tree, struct lag_tree_exact *ret);

/* How many stragglers a star of as many workers survives whose workers hold as much each. */
uint32_t lag_tree_star_stragglers(const struct lag_tree *tree);

/* What a parent needs: any degree - stragglers children, or one of each group of stragglers + 1 of
 * them, which must divide the degree (code fractional). */
enum lag_tree_rule {
    LAG_TREE_COUNT,
    LAG_TREE_GROUPS,
};

/* The fewest workers whose loss may stop an iteration, and the most that it may survive losing, if they are
 * the right ones: N - sum k^l, where a parent can do with k children. */
uint32_t lag_tree_fatal(const struct lag_tree *tree);
uint32_t lag_tree_tolerable(const struct lag_tree *tree, enum lag_tree_rule rule);

/* The probability that an iteration completes where each worker is dead with probability `death`,
 * independently; a dead parent takes all below it along. */
double lag_tree_completion(const struct lag_tree *tree, enum lag_tree_rule rule, double death);

#endif
