/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way down: parameters from parent to child, before a round's work. */
#ifndef LAGGARD_SIM_GRADIENT_TREE_DOWN_H
#define LAGGARD_SIM_GRADIENT_TREE_DOWN_H

#include "sim/gradient/tree-round.h"

/* On an engine that was begun anew. rounds->has_params is told of each node that has the parameters. */
void lag_tree_down_begin(lag_tree_rounds *rounds);

/* Brings the parameters of a round to all nodes. */
void lag_tree_down(lag_tree_rounds *rounds);

#endif
