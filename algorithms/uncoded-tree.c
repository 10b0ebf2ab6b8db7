/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plain tree: each worker has its own part of the data, each parent adds its children's gradients to
 * its own and waits for all. The baseline of CodedReduce; where the tree is a star, master-worker. */
#include "algorithms/coded.h"
#include "sim/laggard.h"

enum {
    DEGREE,
    DEPTH
};
static const struct laggard_parameter parameters[] = {
    [DEGREE] = LAGGARD_CODED_DEGREE,
    [DEPTH] = LAGGARD_CODED_DEPTH,
    {.name = NULL},
};

static bool make(struct laggard_coded *coded, const struct lag_protocol_run *run, GError **error)
{
    uint32_t depth = (uint32_t)run->values[DEPTH];

    return laggard_coded_init_plain(coded, laggard_coded_degree(run->values[DEGREE], depth, run),
                                    depth, run, error);
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

const struct laggard_protocol laggard_uncoded_tree = {
    .name = "uncoded-tree",
    .summary = "a tree adds gradients up; each parent waits for all its children",
    .formula = "a d / N + L n t_c for L layers of n children a parent, where no time is random",
    .source = "the uncoded baseline of "
              "Reisizadeh, Prakash, Pedarsani, Avestimehr: CodedReduce, arXiv 1902.01981",
    .workload = LAGGARD_GRADIENT,
    .parameters = parameters,
    .n_servers = 1,
    .check = check,
    .run = run_all,
};
