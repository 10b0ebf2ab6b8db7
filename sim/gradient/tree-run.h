/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a gradient workload over a coded tree: what the protocols of coded aggregation are made of. */
#ifndef LAGGARD_SIM_GRADIENT_TREE_RUN_H
#define LAGGARD_SIM_GRADIENT_TREE_RUN_H

#include "sim/gradient/tree-round.h"

/* LAGGARD_ERROR_INPUT where there is no such tree, or not on this cluster. */
bool lag_tree_run_check_shape(const struct lag_tree *tree, const struct lag_protocol_run *run,
                              GError **error);

/* The same where tree, code, workload and cluster don't fit. */
bool lag_tree_run_check(const struct lag_tree_setup *setup, const struct lag_protocol_run *run,
                        GError **error);

/* Workers are GPUs 0 .. n - 1 in the order of nodes 1 .. n; the root is the first server. The check
 * must have passed. Adds to an outcome that was begun. */
bool lag_tree_run(const struct lag_tree_setup *setup, const struct lag_protocol_run *run,
                  struct lag_protocol_outcome *outcome, GError **error);

#endif
