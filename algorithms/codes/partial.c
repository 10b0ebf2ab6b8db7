/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Partial stragglers: of a worker's P parts P - s - 1 are its own and s + 1 are coded, over n further
 * parts. It sends two messages, the plain sum of its own first, which all workers must deliver; of
 * the coded ones all but s are enough. Nothing is lost while a straggler is at most P / (P - s - 1)
 * times slower. The coded parts are in groups where s + 1 divides the workers, else cyclic. */
#include "algorithms/codes/cyclic.h"
#include "algorithms/codes/groups.h"
#include "sim/laggard.h"

static lag_code *build(const struct lag_code_request *request, GError **error)
{
    uint32_t n = request->n_workers, s = request->n_stragglers;
    uint32_t parts = request->parts > 0 ? request->parts : 2 * (s + 1);

    if (parts <= s + 1) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "code partial: a worker needs more than stragglers + 1 = %u parts, got %u",
                    s + 1, parts);
        return NULL;
    }
    uint32_t own = parts - s - 1, coded = n * own;
    lag_code *code = lag_code_zero(request, 2 * n, n * (own + 1));
    code->inner =
        n % (s + 1) == 0 ? lag_code_of_groups("partial", request, error) : lag_code_cyclic(request);
    code->fewest = n + code->inner->fewest;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < own; j++)
            gsl_matrix_set(code->B, i, i * own + j, 1);
        for (uint32_t j = 0; j < n; j++)
            gsl_matrix_set(code->B, n + i, coded + j, gsl_matrix_get(code->inner->B, i, j));
    }
    return code;
}

const struct lag_code_kind lag_code_kind_partial = {
    .name = "partial",
    .summary =
        "two messages: a worker's own parts from all, then coded ones from all but stragglers",
    .source =
        "Tandon, Lei, Dimakis, Karampatziakis: Gradient coding, ICML 2017 (partial stragglers)",
    .uses = LAG_CODE_PARTS | LAG_CODE_CANDIDATES,
    .build = build,
};
