/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In-switch reduction: every rank sends each chunk up to the switch once, which adds them and sends
 * the sum down to all, while the next chunk comes up. A port carries the buffer once each way, half
 * of what any allreduce among ranks needs. NVLink SHARP, SHARP. */
#include "algorithms/pipeline.h"

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    uint32_t n = plan->n_ranks, m = plan->n_chunks;
    bool is_switch = rank == n;
    uint32_t first = is_switch ? 0 : rank, end = is_switch ? n : rank + 1;

    (void)lane;
    for (uint32_t i = first; i < end; i++) {
        if (round < m && is_switch)
            laggard_receive(ret, i, n, round, 1, LAGGARD_REDUCE);
        else if (round < m)
            laggard_send(ret, i, n, round, 1, LAGGARD_REDUCE);
        if (round > 0 && is_switch)
            laggard_send(ret, n, i, round - 1, 1, LAGGARD_STORE);
        else if (round > 0)
            laggard_receive(ret, n, i, round - 1, 1, LAGGARD_STORE);
    }
}

enum {
    CHUNKS
};
static const struct laggard_parameter parameters[] = {
    [CHUNKS] = LAGGARD_CHUNKS_PARAMETER("the buffer"),
    {.name = NULL},
};

/* m + 1 rounds, of half a latency each: from a rank to the switch, or the other way. */
static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step};
    bool alone = request->n_ranks == 1;

    (void)error;
    plan->ops = &ops;
    plan->n_chunks = laggard_pipeline_chunks(request, request->values[CHUNKS], 2, 1);
    plan->n_rounds = alone ? 0 : plan->n_chunks + 1;
    plan->has_switch = !alone;
    return true;
}

const struct laggard_algorithm laggard_in_switch = {
    .name = "in-switch",
    .summary = "the switch adds what all ranks send it, and sends the sum to all",
    .formula = "(m + 1) (latency / 2 + S / (m B)) in m chunks; next to S / B for many",
    .source = "Graham et al., COMHPC 2016 (SHARP); NVIDIA's NVLS in NCCL; formula derived",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .needs = LAGGARD_ADDING_SWITCH,
    .parameters = parameters,
    .describe = describe,
};
