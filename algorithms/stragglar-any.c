/* SPDX-License-Identifier: GPL-3.0-or-later */
/* StragglAR generalised by this project: any number of ranks, odd ones too, and more than n - 1
 * chunks. With C = K (n - 1) chunks, one swap with the late rank each, T_post = (C + ceil(log2 n) -
 * 1) (latency + S / (C B)); more chunks cost latencies and save copies of the last chunk. The
 * schedule is searched for, any-search.c. */
#include <math.h>

#include "algorithms/any-search.h"
#include "algorithms/late.h"
#include "algorithms/powers.h"

#define MAX_PASSES 64

/* The exposed time when all is hidden [s]. */
static double cost(const struct laggard_estimate *estimate, uint32_t n, uint32_t passes)
{
    double chunks = (double)passes * (n - 1), rounds = (double)laggard_any_fewest(n, passes);

    return rounds * (estimate->latency + (double)estimate->size / chunks / estimate->rate);
}

/* Least cost: C = sqrt((L - 1) S / (B latency)), to the better of the multiples of n - 1 beside it.
 * Up to 3 ranks more chunks only cost. */
static uint32_t choose_passes(const struct laggard_estimate *estimate, uint32_t n)
{
    if (n <= 3 || estimate->size == 0 || !(estimate->rate > 0) || !isfinite(estimate->rate))
        return 1;
    double ratio = (double)estimate->size / estimate->rate / estimate->latency;
    double best = sqrt((laggard_ceil_log2(n) - 1) * ratio) / (n - 1);
    uint32_t below = (uint32_t)CLAMP(best, 1, MAX_PASSES);
    uint32_t above = MIN(below + 1, MAX_PASSES);

    return cost(estimate, n, above) < cost(estimate, n, below) ? above : below;
}

enum {
    PASSES = LAGGARD_N_LATE
};
static const struct laggard_parameter parameters[] = {
    [LAGGARD_LATE_STRAGGLER] = LAGGARD_STRAGGLER_PARAMETER,
    [LAGGARD_LATE_HIT_RATE] = LAGGARD_HIT_RATE_PARAMETER,
    [LAGGARD_LATE_PADDING] = LAGGARD_PADDING_PARAMETER,
    [PASSES] = {.name = "passes",
                .help = "chunks / (n - 1); auto takes what suits size, latency and bandwidth",
                .type = LAGGARD_COUNT,
                .default_text = "1",
                .min = 1,
                .max = MAX_PASSES},
    {.name = NULL},
};

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    uint32_t n = request->n_ranks, n_after;
    uint32_t passes = request->values[PASSES] == LAGGARD_AUTO ? choose_passes(&request->estimate, n)
                                                              : (uint32_t)request->values[PASSES];

    laggard_late_cells_begin(plan, passes);
    if (!laggard_late_read(request->values, plan, error))
        return false;
    if (n == 1)
        return true;
    if (!laggard_late_cells_fit("stragglar-any", n, laggard_any_fewest(n, passes), error))
        return false;
    struct laggard_cell *cells = laggard_any_search(n, passes, &n_after);
    laggard_late_cells_end(plan, cells, n_after);
    plan->n_rounds_missed = n_after - (uint32_t)laggard_any_fewest(n, passes);
    return true;
}

const struct laggard_algorithm laggard_stragglar_any = {
    .name = "stragglar-any",
    .summary = "StragglAR for any number of ranks and chunks; this project's generalisation",
    .formula = "max(0, R - D) + (C + ceil(log2 n) - 1) (latency + S / (C B)), where C = passes x "
               "(n - 1), R = (n - 2) (latency + S / ((n - 1) B)) and D is the delay behind the "
               "last but one",
    .source = "this project, not the paper: directed sends found by matching; after Devraj et al., "
              "arXiv 2505.23523",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .parameters = parameters,
    .describe = describe,
};
