/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ring: the buffer in n chunks; in n - 1 rounds each chunk is summed on its way round the ring
 * (reduce-scatter), in n - 1 more it is carried round again (all-gather). Either half alone is
 * the collective of that name. Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for
 * clusters of workstations, JPDC 2009. */
#include "sim/laggard.h"

/* A rank sends chunk rank - shift - round to the next one: shift 0 leaves rank r with the sum of
 * chunk r + 1, shift 1 with that of chunk r. */
static uint32_t first_shift(const struct laggard_plan *plan)
{
    return plan->collective == LAGGARD_REDUCE_SCATTER ? 1 : 0;
}

static uint32_t chunk_sent(const struct laggard_plan *plan, uint32_t rank, uint32_t round)
{
    uint32_t n = plan->n_ranks;

    return (rank + 2 * n - first_shift(plan) - round % n) % n;
}

static enum laggard_kind kind_of(const struct laggard_plan *plan, uint32_t round)
{
    bool reduces = plan->collective != LAGGARD_ALL_GATHER && round < plan->n_ranks - 1;

    return reduces ? LAGGARD_REDUCE : LAGGARD_STORE;
}

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    uint32_t n = plan->n_ranks;
    uint32_t next = rank + 1 < n ? rank + 1 : 0, previous = rank > 0 ? rank - 1 : n - 1;
    enum laggard_kind kind = kind_of(plan, round);

    (void)lane;
    laggard_send(ret, rank, next, chunk_sent(plan, rank, round), 1, kind);
    laggard_receive(ret, previous, rank, chunk_sent(plan, previous, round), 1, kind);
}

static bool pattern(const struct laggard_plan *plan, uint32_t lane, uint32_t round,
                    struct laggard_pattern *ret)
{
    (void)lane;
    *ret = (struct laggard_pattern){
        .shape = LAGGARD_SHIFT,
        .count = plan->n_ranks,
        .hop = 1,
        .n_chunks = 1,
        .offset = chunk_sent(plan, 0, round),
    };
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
