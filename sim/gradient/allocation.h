/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which worker of a coded tree holds which data, and with what weights (docs/CODED.md, Trees).
 * Nodes are numbered breadth-first, the root (which holds nothing) 0: children of v are
 * n v + 1 .. n v + n. Of what its subtree must deliver a node keeps the first r d points and cuts
 * the rest into the code's parts; child i gets those parts of which row i of B is not 0, with their
 * weights multiplied by it. Leaves keep all. One B serves the whole tree. */
#ifndef LAGGARD_SIM_GRADIENT_ALLOCATION_H
#define LAGGARD_SIM_GRADIENT_ALLOCATION_H

#include "sim/coding/code.h"
#include "sim/coding/coded-tree.h"

struct lag_allocation {
    uint32_t n_nodes; /* workers + 1 */
    double *load;     /* [n_nodes] points of each node; [0] is 0 */
    uint32_t *first;  /* [n_nodes + 1] of the lists below, node by node; NULL: exact shares */
    uint32_t *points; /* numbers of points, each the number of its place in the order of cutting */
    double *weights;  /* of a point's gradient at the node */
};

/* The share of the data that each node keeps: 1 / (rho + ... + rho^depth), rho the degree over how
 * many children hold a part, on average. lag_tree_load where each row of B has stragglers + 1. */
double lag_allocation_share(const struct lag_tree *tree, const lag_code *code);

/* Exact loads, which need not be whole numbers. The code has degree messages. */
void lag_allocation_init(struct lag_allocation *allocation, const struct lag_tree *tree,
                         const lag_code *code, double points);

/* Whole points, none left out: loads are the nearest to the exact ones, cuts are balanced. */
void lag_allocation_init_whole(struct lag_allocation *allocation, const struct lag_tree *tree,
                               const lag_code *code, uint32_t n_points);

void lag_allocation_clear(struct lag_allocation *allocation);

/* The largest load. */
double lag_allocation_largest(const struct lag_allocation *allocation);

#endif
