/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches for StragglAR-like schedules for any number of ranks and of chunks; used by
 * stragglar-any.c. */
#ifndef LAGGARD_ALGORITHMS_ANY_SEARCH_H
#define LAGGARD_ALGORITHMS_ANY_SEARCH_H

#include "algorithms/late-cells.h"

/* The rounds after the arrival of n >= 2 ranks with `passes` x (n - 1) chunks, [round][position],
 * numbered as late-cells.h says. At least C + ceil(log2 n) - 1 rounds, C the chunks; more where
 * the search doesn't find so few. */
struct laggard_cell *laggard_any_search(uint32_t n, uint32_t passes, uint32_t *ret_rounds);

/* The fewest rounds possible. */
uint64_t laggard_any_fewest(uint32_t n, uint32_t passes);

#endif
