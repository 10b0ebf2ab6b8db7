/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of algorithms: algorithms.def, as data. */
#ifndef LAGGARD_ALGORITHMS_ALGORITHMS_H
#define LAGGARD_ALGORITHMS_ALGORITHMS_H

#include "sim/laggard.h"

/* All algorithms by name; ends with NULL. */
extern const struct laggard_algorithm *const lag_algorithms[];

/* NULL where there is none of that name. */
const struct laggard_algorithm *lag_algorithm_find(const char *name);

/* Number of parameters, and the index of one by name or -1. */
uint32_t lag_algorithm_n_parameters(const struct laggard_algorithm *algorithm);
int lag_algorithm_parameter(const struct laggard_algorithm *algorithm, const char *name);

/* Reads a parameter's value as a user writes it. False with LAGGARD_ERROR_INPUT. */
bool lag_parameter_parse(const struct laggard_parameter *parameter, const char *text,
                         uint32_t n_ranks, int64_t *ret_value, GError **error);

/* The value as a user would write it, newly allocated; not of one that is LAGGARD_NONE. */
char *lag_parameter_text(const struct laggard_parameter *parameter, int64_t value);

/* The values of all parameters' defaults. */
void lag_algorithm_defaults(const struct laggard_algorithm *algorithm, int64_t *ret_values);

/* True where n_ranks meets the algorithm's needs; else LAGGARD_ERROR_INPUT says what it needs. */
bool lag_algorithm_accepts(const struct laggard_algorithm *algorithm,
                           enum laggard_collective collective, uint32_t n_ranks, GError **error);

#endif
