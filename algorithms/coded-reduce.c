/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CodedReduce: a tree whose parents each decode their children's sum from all but the late ones, add
 * their own, and pass it on. Less data a worker than in a star that survives as many. */
#include "algorithms/coded.h"
#include "sim/laggard.h"

enum {
    DEGREE,
    DEPTH,
    CODED
};
static const struct laggard_parameter parameters[] = {
    [DEGREE] = LAGGARD_CODED_DEGREE,
    [DEPTH] = LAGGARD_CODED_DEPTH,
    LAGGARD_CODED_PARAMETERS(CODED),
    {.name = NULL},
};

static bool make(struct laggard_coded *coded, const struct lag_protocol_run *run, GError **error)
{
    uint32_t depth = (uint32_t)run->values[DEPTH];

    return laggard_coded_init(coded, laggard_coded_degree(run->values[DEGREE], depth, run), depth,
                              run->values + CODED, run, error);
}

static bool check(const struct lag_protocol_run *run, GError **error)
{
    return laggard_coded_check(make, run, error);
}

static bool run_all(const struct lag_protocol_run *run, struct lag_protocol_outcome *outcome,
                    GError **error)
{
    return laggard_coded_run(make, run, outcome, error);
}

const struct laggard_protocol laggard_coded_reduce = {
    .name = "coded-reduce",
    .summary = "a tree of gradient codes: each parent decodes without its late children",
    .formula = "a r d + L (n - s) t_c where no time is random and all but s are waited for, "
               "r = 1 / (rho + ... + rho^L), rho = n / (s + 1)",
    .source = "Reisizadeh, Prakash, Pedarsani, Avestimehr: CodedReduce, arXiv 1902.01981",
    .workload = LAGGARD_GRADIENT,
    .parameters = parameters,
    .n_servers = 1,
    .check = check,
    .run = run_all,
};
