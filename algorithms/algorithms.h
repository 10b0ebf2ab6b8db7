/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of algorithms: algorithms.def, as data. */
#ifndef LAGGARD_ALGORITHMS_ALGORITHMS_H
#define LAGGARD_ALGORITHMS_ALGORITHMS_H

#include "algorithms/parameter.h"

/* All algorithms by name; ends with NULL. */
extern const struct laggard_algorithm *const lag_algorithms[];

/* NULL where there is none of that name. */
const struct laggard_algorithm *lag_algorithm_find(const char *name);

/* Its parameters as parameter.h has them: how many, one by name or -1, the defaults of all. */
static inline uint32_t lag_algorithm_n_parameters(const struct laggard_algorithm *algorithm)
{
    return lag_parameters_count(algorithm->parameters);
}

static inline int lag_algorithm_parameter(const struct laggard_algorithm *algorithm,
                                          const char *name)
{
    return lag_parameters_find(algorithm->parameters, name);
}

static inline void lag_algorithm_defaults(const struct laggard_algorithm *algorithm,
                                          double *ret_values)
{
    lag_parameters_defaults(algorithm->parameters, ret_values);
}

/* True where n_ranks meets the algorithm's needs; else LAGGARD_ERROR_INPUT says what it needs. */
bool lag_algorithm_accepts(const struct laggard_algorithm *algorithm,
                           enum laggard_collective collective, uint32_t n_ranks, GError **error);

#endif
