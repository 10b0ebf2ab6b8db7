/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What vectors hold: normal numbers around 1 (as halves) or 2^-7 (as the other formats), which
 * many additions leave normal, for subnormal ones can be slow. */
#ifndef LAGGARD_KERNELS_PATTERN_H
#define LAGGARD_KERNELS_PATTERN_H

#include "kernels/backend.h"

/* The pattern from byte `offset` on, an even number. */
void lag_pattern_fill(uint16_t *words, uint64_t n_words, uint64_t offset);

/* All of the arena, the same again and again. */
bool lag_pattern_upload(struct lag_backend *backend, uint64_t bytes);

#endif
