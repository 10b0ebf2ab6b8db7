/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of gradient codes: codes.def, as data. */
#ifndef LAGGARD_ALGORITHMS_CODES_CODES_H
#define LAGGARD_ALGORITHMS_CODES_CODES_H

#include "sim/coding/code.h"

/* All kinds by name; ends with NULL. */
extern const struct lag_code_kind *const lag_code_kinds[];

/* NULL where there is none of that name. */
const struct lag_code_kind *lag_code_kind_find(const char *name);

/* The exact kind that spec and measurements speak for: groups where they fit, the circulant for up to
 * 30 workers where it is real, else random weights. */
const struct lag_code_kind *lag_code_kind_recommended(uint32_t n_workers, uint32_t n_stragglers);

#endif
