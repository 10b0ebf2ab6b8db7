/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binary tree: chunks in a pipeline down a complete binary tree, whose inner ranks send each of
 * them to two children at once; or up, or for an allreduce up and down at the same time. */
#include "algorithms/pipeline.h"
#include "algorithms/powers.h"
#include "sim/laggard.h"

/* Ranks count from the root: v has the children 2 v + 1 and 2 v + 2. */
static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    uint32_t n = plan->n_ranks, v = (rank + n - plan->root) % n;
    uint32_t height = laggard_ceil_log2(n + 1) - 1;
    struct laggard_place place = {
        .rank = rank,
        .parent = v == 0 ? LAGGARD_NONE : ((v - 1) / 2 + plan->root) % n,
        .depth = laggard_ceil_log2(v + 2) - 1,
    };

    (void)lane;
    for (uint32_t child = 2 * v + 1; child <= 2 * v + 2 && child < n; child++)
        place.children[place.n_children++] = (child + plan->root) % n;
    laggard_pipeline_step(plan->collective, &place, height, round, 0, plan->n_chunks, ret);
}

enum {
    CHUNKS
};
static const struct laggard_parameter parameters[] = {
    [CHUNKS] = LAGGARD_CHUNKS_PARAMETER("the buffer"),
    {.name = NULL},
};

/* m chunks take h - 1 + m rounds one way, with two of them at a port; both ways 2 h - 1 + m, with
 * three at an inner rank's port while chunks go up and down. */
static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step};
    uint32_t n = request->n_ranks, height = laggard_ceil_log2(n + 1) - 1;
    bool both = request->collective == LAGGARD_ALLREDUCE;
    double drain = both ? 4.0 * height - 3 : 2.0 * height - 2;

    (void)error;
    plan->ops = &ops;
    plan->n_chunks =
        laggard_pipeline_chunks(request, request->values[CHUNKS], height > 0 ? drain : 0, 1);
    plan->n_rounds = laggard_pipeline_rounds(request->collective, height, plan->n_chunks);
    plan->degree = n > 3 && both ? 3 : n > 2 ? 2 : 1;
    return true;
}

const struct laggard_algorithm laggard_binary_tree = {
    .name = "binary-tree",
    .summary = "chunks in a pipeline on a binary tree, two children at once",
    .formula = "(h - 1 + m) (latency + 2 S / (m B)) for broadcast in m chunks, h = floor(log2 n), "
               "less S / (m B) for n = 2^h, and for reduce with n = 2^(h+1) - 1; there allreduce "
               "(2 h - 1 + m) latency + (4 h - 3 + 3 m) S / (m B) for h > 1 and m > 2",
    .source = "Sanders, Speck, Traeff, Parallel Computing 2009, section 2; allreduce derived",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE) | LAGGARD_BIT(LAGGARD_BROADCAST) |
                   LAGGARD_BIT(LAGGARD_REDUCE_TO_ROOT),
    .parameters = parameters,
    .describe = describe,
};
