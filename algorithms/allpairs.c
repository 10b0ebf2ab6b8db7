/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All pairs: every rank sends chunk j to rank j, which adds them; then every rank sends its sum
 * to all others. Two rounds in which each port carries n - 1 transfers at once. MSCCL's
 * allpairs. Either round alone is a reduce-scatter or an all-gather. */
#include "sim/laggard.h"

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    bool reduces = round == 0 && plan->collective != LAGGARD_ALL_GATHER;
    enum laggard_kind kind = reduces ? LAGGARD_REDUCE : LAGGARD_STORE;

    (void)lane;
    for (uint32_t peer = 0; peer < plan->n_ranks; peer++) {
        if (peer == rank)
            continue;
        laggard_send(ret, rank, peer, reduces ? peer : rank, 1, kind);
        laggard_receive(ret, peer, rank, reduces ? rank : peer, 1, kind);
    }
}

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step};
    uint32_t n = request->n_ranks;

    (void)error;
    plan->ops = &ops;
    plan->n_chunks = n;
    plan->n_rounds = n == 1 ? 0 : request->collective == LAGGARD_ALLREDUCE ? 2 : 1;
    plan->degree = MAX(n - 1, 1);
    return true;
}

const struct laggard_algorithm laggard_allpairs = {
    .name = "allpairs",
    .summary = "everybody to everybody, two rounds; ports are shared by n - 1 transfers",
    .formula = "2 latency + 2 (n - 1) / n S / B where the port is shared evenly; half of it for "
               "reduce-scatter and all-gather",
    .source = "MSCCL's allpairs; formula derived",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE) | LAGGARD_BIT(LAGGARD_REDUCE_SCATTER) |
                   LAGGARD_BIT(LAGGARD_ALL_GATHER),
    .describe = describe,
};
