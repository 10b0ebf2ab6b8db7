/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chain: the ranks in a row, the root at its head; chunk after chunk goes from each to the next, or
 * in a reduce the other way, and in an allreduce first up, then down, while later chunks still
 * come up. */
#include "algorithms/pipeline.h"
#include "sim/laggard.h"

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    uint32_t n = plan->n_ranks, i = (rank + n - plan->root) % n;
    struct laggard_place place = {
        .rank = rank,
        .parent = i == 0 ? LAGGARD_NONE : (rank + n - 1) % n,
        .n_children = i + 1 < n ? 1 : 0,
        .children = {(rank + 1) % n},
        .depth = i,
    };

    (void)lane;
    laggard_pipeline_step(plan->collective, &place, n - 1, round, 0, plan->n_chunks, ret);
}

enum {
    CHUNKS
};
static const struct laggard_parameter parameters[] = {
    [CHUNKS] = LAGGARD_CHUNKS_PARAMETER("the buffer"),
    {.name = NULL},
};

/* m chunks take n - 2 + m rounds one way; both ways, a port has up to two of them in a round. */
static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step};
    uint32_t n = request->n_ranks, ways = request->collective == LAGGARD_ALLREDUCE ? 2 : 1;
    double drain = n > 2 ? (double)ways * (n - 2) : ways - 1;

    (void)error;
    plan->ops = &ops;
    plan->n_chunks = laggard_pipeline_chunks(request, request->values[CHUNKS], drain, 1);
    plan->n_rounds = laggard_pipeline_rounds(request->collective, n - 1, plan->n_chunks);
    plan->degree = n > 2 ? ways : 1;
    return true;
}

const struct laggard_algorithm laggard_chain = {
    .name = "chain",
    .summary = "chunks in a pipeline along a chain of all ranks; for large buffers and few ranks",
    .formula = "(n - 2 + m) (latency + S / (m B)) for broadcast and reduce in m chunks; with eager "
               "transfers (n - 1) (latency + S / (m B)) + (m - 1) S / (m B); allreduce "
               "(2 n - 3 + m) latency + (2 n - 4 + 2 m) S / (m B) for n > 2 and m > 2",
    .source = "Patarasuk, Yuan, Faraj, JPDC 2008 (pipelined broadcast); allreduce derived",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE) | LAGGARD_BIT(LAGGARD_BROADCAST) |
                   LAGGARD_BIT(LAGGARD_REDUCE_TO_ROOT),
    .parameters = parameters,
    .describe = describe,
};
