/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No code: what came, scaled up by n / arrivals. The error is s / (n - s) where stragglers are random;
 * where they are always the same their data never count, and the sum is biased. */
#include "algorithms/codes/collect.h"

static lag_code *build(const struct lag_code_request *request, GError **error)
{
    lag_code *code = lag_code_one_step(request, request->n_workers, true, error);

    if (code != NULL)
        gsl_matrix_set_identity(code->B);
    return code;
}

const struct lag_code_kind lag_code_kind_ignore = {
    .name = "ignore",
    .summary = "no code: stragglers are left out, the rest is scaled up",
    .source = "baseline of Tandon, Lei, Dimakis, Karampatziakis: Gradient coding, ICML 2017",
    .uses = LAG_CODE_COLLECT | LAG_CODE_LEAST_SQUARES,
    .approximate = true,
    .build = build,
};
