/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A searched plan around one late rank, S = n - 1: a ring reduce-scatter of the n - 1 others, then
 * rounds that are kept as one cell a round and position. The n_chunks = K (n - 1) chunks are swapped
 * with S one a round, in the order 0, K, 2 K, ..., 1, K + 1, ...: chunk k of K chunks g K + k belongs
 * to position g, so that the ring moves whole shares. */
#ifndef LAGGARD_ALGORITHMS_LATE_CELLS_H
#define LAGGARD_ALGORITHMS_LATE_CELLS_H

#include "sim/laggard.h"

/* What one position does in one round after the arrival; LAGGARD_NONE: nothing. */
struct laggard_cell {
    uint32_t to, chunk_sent, from, chunk_received;
};

/* Fills all of a plan for n_ranks but its cells, its rounds and who is late: K = `share`. For one
 * rank that is all. */
void laggard_late_cells_begin(struct laggard_plan *plan, uint32_t share);

/* Takes the cells, [n_after][n_ranks]; for two ranks and more. */
void laggard_late_cells_end(struct laggard_plan *plan, struct laggard_cell *cells,
                            uint32_t n_after);

/* False with LAGGARD_ERROR_INPUT where the cells of so many rounds would take too much memory. */
bool laggard_late_cells_fit(const char *algorithm, uint32_t n_ranks, uint64_t n_after,
                            GError **error);

#endif
