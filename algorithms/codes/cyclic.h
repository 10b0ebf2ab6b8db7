/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The random cyclic code, for codes that are made of it. */
#ifndef LAGGARD_ALGORITHMS_CODES_CYCLIC_H
#define LAGGARD_ALGORITHMS_CODES_CYCLIC_H

#include "sim/coding/code.h"

/* Always has one. */
lag_code *lag_code_cyclic(const struct lag_code_request *request);

/* Writes the rows that H, [s][n] with 1 <= s < n - 1 and rows that sum to 0, asks for into B, which
 * comes as 0, [n][n]. */
void lag_code_fill_cyclic(const gsl_matrix *H, gsl_matrix *B);

#endif
