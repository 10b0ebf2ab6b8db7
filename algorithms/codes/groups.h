/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Codes of groups of workers that hold the same parts. */
#ifndef LAGGARD_ALGORITHMS_CODES_GROUPS_H
#define LAGGARD_ALGORITHMS_CODES_GROUPS_H

#include "sim/coding/code.h"

/* Group q is workers and parts q (s + 1) .. q (s + 1) + s, all weights are 1. NULL with
 * LAGGARD_ERROR_INPUT, which names the code, where s + 1 does not divide the workers. */
lag_code *lag_code_of_groups(const char *name, const struct lag_code_request *request,
                             GError **error);

#endif
