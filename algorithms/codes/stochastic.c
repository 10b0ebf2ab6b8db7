/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stochastic gradient coding: each part on delta random workers, each worker with as many parts, the
 * weight 1 / (delta (1 - q)) on each, q the probability of being late. What came is simply added: the
 * sum is unbiased, and each part's weight has the variance q / (delta (1 - q)). */
#include <math.h>

#include <gsl/gsl_randist.h>

#include "algorithms/codes/collect.h"
#include "sim/laggard.h"

static double late_share(const struct lag_code_request *request)
{
    return isnan(request->late) ? (double)request->n_stragglers / request->n_workers
                                : request->late;
}

static lag_code *build(const struct lag_code_request *request, GError **error)
{
    uint32_t n = request->n_workers;
    double late = late_share(request);
    uint32_t copies = lag_code_copies("stochastic", request, n, error);
    struct lag_stream stream;

    if (copies == 0)
        return NULL;
    if (!(late >= 0 && late < 1)) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "code stochastic: expected a share of late workers from 0 to below 1, got %g",
                    late);
        return NULL;
    }
    lag_code *code = lag_code_one_step(request, 1, false, error);
    if (code == NULL)
        return NULL;
    /* Parts and workers in random orders; part j goes to `copies` workers at random distances. */
    g_autofree uint32_t *part = g_new(uint32_t, n), *distance = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        part[i] = distance[i] = i;
    lag_code_stream(request, 0, &stream);
    gsl_ran_shuffle(&stream.rng, part, n, sizeof *part);
    gsl_ran_shuffle(&stream.rng, distance, n, sizeof *distance);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < copies; k++)
            gsl_matrix_set(code->B, (i + distance[k]) % n, part[i], 1 / (copies * (1 - late)));
    return code;
}

const struct lag_code_kind lag_code_kind_stochastic = {
    .name = "stochastic",
    .summary = "each part on so many random workers, scaled so that the mean is right",
    .source =
        "Bitar, Wootters, El Rouayheb: Stochastic gradient coding for straggler mitigation in "
        "distributed learning, arXiv 1905.05383",
    .uses = LAG_CODE_COPIES | LAG_CODE_COLLECT | LAG_CODE_LATE | LAG_CODE_LEAST_SQUARES,
    .approximate = true,
    .build = build,
};
