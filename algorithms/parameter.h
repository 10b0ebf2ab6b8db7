/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of algorithms and protocols as data: from what a user writes to values and back. */
#ifndef LAGGARD_ALGORITHMS_PARAMETER_H
#define LAGGARD_ALGORITHMS_PARAMETER_H

#include "sim/laggard.h"

/* Of a list that ends with a NULL name, or NULL: how many, and the index of one by name or -1. */
uint32_t lag_parameters_count(const struct laggard_parameter *parameters);
int lag_parameters_find(const struct laggard_parameter *parameters, const char *name);

/* The values of all defaults; LAGGARD_NONE where there is none. */
void lag_parameters_defaults(const struct laggard_parameter *parameters, double *ret_values);

/* Reads a parameter's value as a user writes it. False with LAGGARD_ERROR_INPUT. */
bool lag_parameter_parse(const struct laggard_parameter *parameter, const char *text,
                         uint32_t n_ranks, double *ret_value, GError **error);

/* The value as a user would write it, newly allocated; not of one that is missing. */
char *lag_parameter_text(const struct laggard_parameter *parameter, double value);

/* True where nothing was given and there is no default. */
static inline bool lag_parameter_missing(const struct laggard_parameter *parameter, double value)
{
    return parameter->default_text[0] == '\0' && value == LAGGARD_NONE;
}

#endif
