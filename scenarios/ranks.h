/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of ranks as people write them: [0, 3, 8-11], 0-3, 7, all, last, node 2, class 1. */
#ifndef LAGGARD_SCENARIOS_RANKS_H
#define LAGGARD_SCENARIOS_RANKS_H

#include "scenarios/form.h"

extern const struct lag_form lag_form_ranks;

/* Who there is, and in which groups: nodes (0: not known) of per_node GPUs each or by node_of, and
 * the classes of cluster.gpus, one behind each class's last rank. Both count from 0. */
struct lag_groups {
    uint32_t n_ranks, n_nodes, per_node, n_classes;
    const uint32_t *node_of;    /* [n_ranks], or NULL */
    const uint32_t *class_ends; /* [n_classes] */
};

/* Reads a set of the ranks 0 to n_ranks - 1, in the order given; each at most once. *ret_ranks is
 * newly allocated. */
bool lag_ranks_read(const struct lag_at *at, const struct lag_groups *groups, uint32_t **ret_ranks,
                    uint32_t *ret_n, GError **error);

#endif
