/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recursive doubling: in round k every rank swaps its whole buffer with the one at distance 2^k,
 * and adds. With other than 2^k ranks the surplus ones hand their buffer to a partner first, and
 * get the result from it in the end. Thakur, Rabenseifner, Gropp: Optimization of collective
 * communication operations in MPICH, IJHPCA 2005. */
#include "algorithms/powers.h"
#include "sim/laggard.h"

/* The surplus ranks, core .. n - 1, and their partners, in the first or the last round. */
static void step_fold(const struct laggard_plan *plan, uint32_t rank, enum laggard_kind kind,
                      struct laggard_step *ret)
{
    uint32_t core = laggard_floor_power(plan->n_ranks);
    bool first = kind == LAGGARD_REDUCE, surplus = rank >= core;

    if (!surplus && rank + core >= plan->n_ranks)
        return;
    uint32_t partner = surplus ? rank - core : rank + core;
    if (surplus == first)
        laggard_send(ret, rank, partner, 0, 1, kind);
    else
        laggard_receive(ret, partner, rank, 0, 1, kind);
}

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    uint32_t core = laggard_floor_power(plan->n_ranks);
    bool folds = core < plan->n_ranks;

    (void)lane;
    if (folds && (round == 0 || round == plan->n_rounds - 1)) {
        step_fold(plan, rank, round == 0 ? LAGGARD_REDUCE : LAGGARD_STORE, ret);
        return;
    }
    if (rank >= core)
        return;
    uint32_t partner = rank ^ 1u << (folds ? round - 1 : round);
    laggard_send(ret, rank, partner, 0, 1, LAGGARD_REDUCE);
    laggard_receive(ret, partner, rank, 0, 1, LAGGARD_REDUCE);
}

static bool pattern(const struct laggard_plan *plan, uint32_t lane, uint32_t round,
                    struct laggard_pattern *ret)
{
    uint32_t core = laggard_floor_power(plan->n_ranks);
    bool folds = core < plan->n_ranks;

    (void)lane;
    if (folds && (round == 0 || round == plan->n_rounds - 1))
        return false;
    *ret = (struct laggard_pattern){
        .shape = LAGGARD_EXCHANGE,
        .count = core,
        .hop = 1u << (folds ? round - 1 : round),
        .n_chunks = 1,
    };
    return true;
}

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step, .pattern = pattern};
    uint32_t core = laggard_floor_power(request->n_ranks);

    (void)error;
    plan->ops = &ops;
    plan->n_chunks = 1;
    plan->n_rounds = laggard_ceil_log2(core) + (core < request->n_ranks ? 2 : 0);
    return true;
}

const struct laggard_algorithm laggard_recursive_doubling = {
    .name = "recursive-doubling",
    .summary = "whole buffers swapped at doubling distances; fewest rounds, for small messages",
    .formula = "log2 n (latency + S / B) for n = 2^k, two rounds more for other n",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .describe = describe,
};
