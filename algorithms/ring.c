/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ring: the buffer in n chunks; in n - 1 rounds each chunk is summed on its way round the ring
 * (reduce-scatter), in n - 1 more it is carried round again (all-gather). Either half alone is
 * the collective of that name. Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for
 * clusters of workstations, JPDC 2009. */
#include "algorithms/ring.h"

/* A scattered sum must end at the rank of its number. */
static uint32_t shift_of(const struct laggard_plan *plan)
{
    return plan->collective == LAGGARD_REDUCE_SCATTER ? 1 : 0;
}

static enum laggard_kind kind_of(const struct laggard_plan *plan, uint32_t round)
{
    bool reduces = plan->collective != LAGGARD_ALL_GATHER && round < plan->n_ranks - 1;

    return reduces ? LAGGARD_REDUCE : LAGGARD_STORE;
}

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    (void)lane;
    laggard_ring_step(ret, rank, plan->n_ranks, shift_of(plan), round, kind_of(plan, round));
}

static bool pattern(const struct laggard_plan *plan, uint32_t lane, uint32_t round,
                    struct laggard_pattern *ret)
{
    (void)lane;
    *ret = laggard_ring_pattern(plan->n_ranks, shift_of(plan), round);
    return true;
}

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step, .pattern = pattern};
    uint32_t n = request->n_ranks;

    (void)error;
    plan->ops = &ops;
    plan->n_chunks = n;
    plan->n_rounds = request->collective == LAGGARD_ALLREDUCE ? 2 * (n - 1) : n - 1;
    return true;
}

const struct laggard_algorithm laggard_ring = {
    .name = "ring",
    .summary = "chunks travel round a ring of all ranks; least bytes, many rounds",
    .formula = "2 (n - 1) (latency + S / (n B)); half of it for reduce-scatter and all-gather",
    .source = "Patarasuk, Yuan, JPDC 2009; NCCL's ring",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE) | LAGGARD_BIT(LAGGARD_REDUCE_SCATTER) |
                   LAGGARD_BIT(LAGGARD_ALL_GATHER),
    .describe = describe,
};
