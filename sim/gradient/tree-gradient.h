/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real gradients through a coded tree: each message is worked out as its node would, weights and all,
 * and the root's sum stands beside the exact one. */
#ifndef LAGGARD_SIM_GRADIENT_TREE_GRADIENT_H
#define LAGGARD_SIM_GRADIENT_TREE_GRADIENT_H

#include "sim/gradient/tree-round.h"

typedef struct lag_tree_gradient {
    const lag_tree_rounds *rounds;
    const lag_model *model;
    uint32_t *all;   /* [n training samples] 0, 1, 2, ... */
    double *scratch; /* of the model */
    uint32_t n_parameters;
    double *vectors; /* [depth + 1][n_parameters] a message of each layer; the root's result */
    double *exact;   /* [n_parameters] */
} lag_tree_gradient;

/* Borrows both. The allocation is one of whole points, as many as training samples. */
void lag_tree_gradient_init(lag_tree_gradient *gradient, const lag_tree_rounds *rounds,
                            const lag_model *model);
void lag_tree_gradient_clear(lag_tree_gradient *gradient);

/* The sum over all points that the root has decoded in this round, at parameters x: borrowed.
 * `*ret_error` is the largest difference from the exact sum over its largest element. */
const double *lag_tree_gradient_decode(lag_tree_gradient *gradient, const double *x,
                                       double *ret_error);

#endif
