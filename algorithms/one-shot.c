/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One shot: every rank sends its whole buffer to all others, and adds what it gets: one round, for
 * messages so small that only the latency counts. */
#include "sim/laggard.h"

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    (void)lane;
    (void)round;
    for (uint32_t peer = 0; peer < plan->n_ranks; peer++) {
        if (peer == rank)
            continue;
        laggard_send(ret, rank, peer, 0, 1, LAGGARD_REDUCE);
        laggard_receive(ret, peer, rank, 0, 1, LAGGARD_REDUCE);
    }
}

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step};
    uint32_t n = request->n_ranks;

    (void)error;
    plan->ops = &ops;
    plan->n_chunks = 1;
    plan->n_rounds = n > 1 ? 1 : 0;
    plan->degree = MAX(n - 1, 1);
    return true;
}

const struct laggard_algorithm laggard_one_shot = {
    .name = "one-shot",
    .summary = "everybody's whole buffer to everybody, one round; for the smallest messages",
    .formula = "latency + (n - 1) S / B where the port is shared evenly",
    .source = "TensorRT-LLM's and MSCCL++'s one-shot allreduce; formula derived",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .describe = describe,
};
