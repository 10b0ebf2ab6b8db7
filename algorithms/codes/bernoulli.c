/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bernoulli code: each worker holds each part with probability c / n; k arrivals have the weight
 * n / (k c) each. The error |1 - a B|^2 / n has the mean (1 - c / n) n / (k c). */
#include <gsl/gsl_randist.h>

#include "algorithms/codes/collect.h"

static lag_code *build(const struct lag_code_request *request, GError **error)
{
    uint32_t n = request->n_workers;
    uint32_t copies = lag_code_copies("bernoulli", request, n, error);
    struct lag_stream stream;

    if (copies == 0)
        return NULL;
    lag_code *code = lag_code_one_step(request, (double)n / copies, true, error);
    if (code == NULL)
        return NULL;
    lag_code_stream(request, 0, &stream);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            gsl_matrix_set(code->B, i, j, gsl_ran_bernoulli(&stream.rng, (double)copies / n));
    return code;
}

const struct lag_code_kind lag_code_kind_bernoulli = {
    .name = "bernoulli",
    .summary = "each worker holds each part with probability copies / workers",
    .source = "Charles, Papailiopoulos, Ellenberg: Approximate gradient coding via sparse random "
              "graphs, arXiv 1711.06771",
    .uses = LAG_CODE_COPIES | LAG_CODE_COLLECT | LAG_CODE_LEAST_SQUARES,
    .approximate = true,
    .build = build,
};
