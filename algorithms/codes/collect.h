/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What approximate codes share: how many messages they collect, how often a part is copied, and that
 * they add what came with one weight. */
#ifndef LAGGARD_ALGORITHMS_CODES_COLLECT_H
#define LAGGARD_ALGORITHMS_CODES_COLLECT_H

#include "sim/coding/code.h"

/* Sets code->enough. Takes the code, and gives it back, or NULL with LAGGARD_ERROR_INPUT. */
lag_code *lag_code_collecting(lag_code *code, const struct lag_code_request *request,
                              GError **error);

/* An empty code of one message and one part a worker that is decoded in one step, or by least squares
 * where the request says so. NULL with LAGGARD_ERROR_INPUT. */
lag_code *lag_code_one_step(const struct lag_code_request *request, double step, bool step_shared,
                            GError **error);

/* Copies of each part, from 1 to `most`; 0 with LAGGARD_ERROR_INPUT, which names the code. */
uint32_t lag_code_copies(const char *name, const struct lag_code_request *request, uint32_t most,
                         GError **error);

#endif
