/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a round of a coded tree adds to a run's outcome: what the root waited for, what each worker did
 * with its time, and, where nothing came of it, why. */
#ifndef LAGGARD_SIM_GRADIENT_TREE_ACCOUNT_H
#define LAGGARD_SIM_GRADIENT_TREE_ACCOUNT_H

#include "sim/gradient/tree-round.h"

/* Of a decided round. Adds to `encode`, `decode`, `receive` and `compute` what followed each other
 * until the root had decoded, walking back from there (waiting for one's turn at a port is time that
 * others are received; parameters on their way down are received, too), and to each worker's use and
 * the samples. used[n_nodes] becomes whose gradients are in the result. */
void lag_tree_account(const lag_tree_rounds *rounds, struct lag_protocol_outcome *outcome,
                      bool *used);

/* Which parent lacks what, the root first; newly allocated. */
char *lag_tree_complaint(const lag_tree_rounds *rounds, uint64_t iteration);

#endif
