/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Swap and broadcast, the baseline of the StragglAR paper: while one rank is late, the n - 1
 * others allreduce on a ring; when it comes, it swaps whole buffers with one of them, and both
 * broadcast the sum down binomial trees. The paper calls it Broadcast, its code Direct; rounds are
 * whole here where the code takes log2 n of any n. Devraj et al., arXiv 2505.23523. */
#include "algorithms/late.h"
#include "algorithms/powers.h"
#include "algorithms/ring.h"

/* Position n - 1 is late; position 0 is its partner. */
static void step_before(const struct laggard_plan *plan, uint32_t position, uint32_t round,
                        struct laggard_step *ret)
{
    uint32_t m = plan->n_ranks - 1;
    enum laggard_kind kind = round < m - 1 ? LAGGARD_REDUCE : LAGGARD_STORE;

    if (position != plan->late_position)
        laggard_ring_step(ret, position, m, 0, round, kind);
}

/* The order in which the buffer spreads: the late one and its partner, then the others. */
static uint32_t place_of(const struct laggard_plan *plan, uint32_t position)
{
    return position == plan->late_position ? 0 : position + 1;
}

static uint32_t position_at(const struct laggard_plan *plan, uint32_t place)
{
    return place == 0 ? plan->late_position : place - 1;
}

static void step_after(const struct laggard_plan *plan, uint32_t position, uint32_t round,
                       struct laggard_step *ret)
{
    uint32_t place = place_of(plan, position), holders = 1u << round, all = plan->n_chunks;
    enum laggard_kind kind = round == 0 ? LAGGARD_REDUCE : LAGGARD_STORE;

    if (place < holders && place + holders < plan->n_ranks)
        laggard_send(ret, position, position_at(plan, place + holders), 0, all, kind);
    else if (place >= holders && place < 2 * holders)
        laggard_receive(ret, position_at(plan, place - holders), position, 0, all, kind);
    if (round > 0 || place > 1)
        return;
    /* The swap goes both ways. */
    if (place == 0)
        laggard_receive(ret, position_at(plan, 1), position, 0, all, kind);
    else
        laggard_send(ret, position, position_at(plan, 0), 0, all, kind);
}

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t position, uint32_t round,
                 struct laggard_step *ret)
{
    (void)lane;
    if (round < plan->n_rounds_before)
        step_before(plan, position, round, ret);
    else
        step_after(plan, position, round - plan->n_rounds_before, ret);
}

static bool pattern(const struct laggard_plan *plan, uint32_t lane, uint32_t round,
                    struct laggard_pattern *ret)
{
    (void)lane;
    return laggard_late_pattern(plan, 0, round, ret);
}

enum {
    STRAGGLER
};
static const struct laggard_parameter parameters[] = {
    [STRAGGLER] = LAGGARD_STRAGGLER_PARAMETER,
    {.name = NULL},
};

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step, .pattern = pattern};
    uint32_t n = request->n_ranks;

    (void)error;
    plan->ops = &ops;
    plan->n_chunks = MAX(n - 1, 1);
    plan->n_rounds_before = n > 2 ? 2 * (n - 2) : 0;
    plan->n_rounds = plan->n_rounds_before + laggard_ceil_log2(n);
    plan->late_position = n - 1;
    plan->late_rank = (uint32_t)request->values[STRAGGLER];
    return true;
}

const struct laggard_algorithm laggard_swap_broadcast = {
    .name = "swap-broadcast",
    .summary = "StragglAR's baseline: the late rank swaps buffers with one, both broadcast",
    .formula = "max(0, P - D) + ceil(log2 n) (latency + S / B), where P = 2 (n - 2) (latency + "
               "S / ((n - 1) B)) and D is the delay behind the last but one",
    .source = "Devraj et al., arXiv 2505.23523 (Broadcast; Direct in its code)",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .parameters = parameters,
    .describe = describe,
};
