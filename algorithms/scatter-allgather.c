/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Van de Geijn's broadcast: the root's buffer, in n chunks, is scattered down a binomial tree, each
 * rank handing on the chunks of those below it; then a ring gathers them everywhere. Thakur,
 * Rabenseifner, Gropp, IJHPCA 2005, section 4.4. */
#include "algorithms/powers.h"
#include "algorithms/ring.h"

/* Ranks count from the root. Where v begins: it holds the chunks v .. v + reach - 1 of those there
 * are, reach the largest power of two that divides v. */
static uint32_t n_held(uint32_t n, uint32_t v)
{
    uint32_t reach = v & (~v + 1);

    return v == 0 ? n : MIN(reach, n - v);
}

static void step_scatter(const struct laggard_plan *plan, uint32_t v, uint32_t hop,
                         struct laggard_step *ret)
{
    uint32_t n = plan->n_ranks;

    if (v % (2 * hop) == 0 && v + hop < n)
        laggard_send(ret, v, v + hop, v + hop, n_held(n, v + hop), LAGGARD_STORE);
    else if (v % (2 * hop) == hop)
        laggard_receive(ret, v - hop, v, v, n_held(n, v), LAGGARD_STORE);
}

/* What the receiver still holds from the scatter is not sent again. */
static bool is_wanted(uint32_t n, const struct laggard_transfer *t)
{
    return t->first_chunk < t->dst || t->first_chunk - t->dst >= n_held(n, t->dst);
}

static void step_gather(const struct laggard_plan *plan, uint32_t v, uint32_t round,
                        struct laggard_step *ret)
{
    uint32_t n = plan->n_ranks;

    laggard_ring_step(ret, v, n, 0, round, LAGGARD_STORE);
    ret->n_sends -= is_wanted(n, &ret->sends[0]) ? 0 : 1;
    ret->n_recvs -= is_wanted(n, &ret->recvs[0]) ? 0 : 1;
}

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    uint32_t n = plan->n_ranks, levels = laggard_ceil_log2(n), v = (rank + n - plan->root) % n;

    (void)lane;
    if (round < levels)
        step_scatter(plan, v, 1u << (levels - 1 - round), ret);
    else
        step_gather(plan, v, round - levels, ret);
    for (uint32_t i = 0; i < ret->n_sends; i++) {
        ret->sends[i].src = rank;
        ret->sends[i].dst = (ret->sends[i].dst + plan->root) % n;
    }
    for (uint32_t i = 0; i < ret->n_recvs; i++) {
        ret->recvs[i].dst = rank;
        ret->recvs[i].src = (ret->recvs[i].src + plan->root) % n;
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
    plan->n_rounds = laggard_ceil_log2(n) + n - 1;
    return true;
}

const struct laggard_algorithm laggard_scatter_allgather = {
    .name = "scatter-allgather",
    .summary = "van de Geijn's broadcast: a binomial scatter, then a ring all-gather",
    .formula = "(log2 n + n - 1) latency + 2 (n - 1) / n S / B for n = 2^k",
    .source = "Barnett et al., SHPCC 1994; Thakur, Rabenseifner, Gropp, IJHPCA 2005",
    .collectives = LAGGARD_BIT(LAGGARD_BROADCAST),
    .describe = describe,
};
