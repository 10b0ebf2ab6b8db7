/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of ranks as people write them: [0, 3, 8-11], 0-3, 7, all, last. */
#ifndef LAGGARD_SCENARIOS_RANKS_H
#define LAGGARD_SCENARIOS_RANKS_H

#include "scenarios/form.h"

extern const struct lag_form lag_form_ranks;

/* Reads a set of the ranks 0 to n_ranks - 1, in the order given; each at most once. *ret_ranks is
 * newly allocated. */
bool lag_ranks_read(const struct lag_at *at, uint32_t n_ranks, uint32_t **ret_ranks,
                    uint32_t *ret_n, GError **error);

#endif
