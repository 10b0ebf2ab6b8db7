/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binomial tree broadcast: in each round every rank that has the buffer sends all of it to one
 * that doesn't, so the holders double. With two ranks it is one message. */
#include "algorithms/powers.h"
#include "sim/laggard.h"

/* Ranks count from the root: virtual rank v sends to v + 2^round while v < 2^round. */
static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    uint32_t n = plan->n_ranks, holders = 1u << round;
    uint32_t v = (rank + n - plan->root) % n;

    (void)lane;
    if (v < holders && v + holders < n)
        laggard_send(ret, rank, (rank + holders) % n, 0, 1, LAGGARD_STORE);
    else if (v >= holders && v < 2 * holders)
        laggard_receive(ret, (rank + n - holders) % n, rank, 0, 1, LAGGARD_STORE);
}

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step};

    (void)error;
    plan->ops = &ops;
    plan->n_chunks = 1;
    plan->n_rounds = laggard_ceil_log2(request->n_ranks);
    return true;
}

const struct laggard_algorithm laggard_binomial_tree = {
    .name = "binomial-tree",
    .summary = "whole buffers down a binomial tree; few rounds, for small messages",
    .formula = "ceil(log2 n) (latency + S / B)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005",
    .collectives = LAGGARD_BIT(LAGGARD_BROADCAST),
    .describe = describe,
};
