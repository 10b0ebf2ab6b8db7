/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/levels.h"

#include <assert.h>

#include "algorithms/algorithms.h"

#define MOST_PARAMETERS 16
#define MOST_PHASES     (2 * LAGGARD_MOST_LEVELS - 1)

/* One level's part in a lane's rounds: a plan of its lines, whose chunks are so many of ours. */
struct phase {
    struct laggard_plan plan;
    uint32_t size, stride, chunk;
    uint32_t level;
};

/* A lane: phases down to the last level and back up. part[k]: chunks of ours in the part that a
 * rank holds at level k. */
struct lane {
    uint32_t n_phases;
    struct phase phases[MOST_PHASES];
    uint32_t n_chunks, part[LAGGARD_MOST_LEVELS];
};

struct stack {
    uint32_t n_lanes;
    struct lane *lanes;
};

static void free_stack(void *data)
{
    struct stack *stack = data;

    for (uint32_t i = 0; i < stack->n_lanes; i++)
        for (uint32_t k = 0; k < stack->lanes[i].n_phases; k++) {
            struct laggard_plan *plan = &stack->lanes[i].phases[k].plan;
            if (plan->free_schedule != NULL)
                plan->free_schedule(plan->schedule);
        }
    g_free(stack->lanes);
    g_free(stack);
}

uint32_t laggard_square_divisor(uint32_t n)
{
    uint32_t found = 1;

    for (uint32_t d = 2; d <= n / d; d++)
        if (n % d == 0)
            found = d;
    return found;
}

static uint32_t common_factor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : common_factor(b, a % b);
}

/* Where a rank stands in a line. */
static uint32_t coordinate(const struct phase *phase, uint32_t rank)
{
    return rank / phase->stride % phase->size;
}

/* The first chunk of ours, in a lane, of the part that a rank holds at a phase's level. */
static uint32_t part_of(const struct lane *lane, uint32_t level, uint32_t rank)
{
    uint32_t first = 0;

    for (uint32_t k = 0; k < level; k++)
        first += coordinate(&lane->phases[k], rank) * lane->part[k + 1];
    return first;
}

static void rename(const struct phase *phase, uint32_t base, uint32_t first, uint32_t n,
                   struct laggard_transfer *transfers)
{
    for (uint32_t i = 0; i < n; i++) {
        struct laggard_transfer *t = &transfers[i];
        t->src = base + t->src * phase->stride;
        t->dst = base + t->dst * phase->stride;
        t->first_chunk = first + t->first_chunk * phase->chunk;
        t->n_chunks *= phase->chunk;
    }
}

static void step(const struct laggard_plan *plan, uint32_t lane_index, uint32_t rank,
                 uint32_t round, struct laggard_step *ret)
{
    const struct stack *stack = plan->schedule;
    const struct lane *lane = &stack->lanes[lane_index];
    const struct phase *phase = lane->phases;

    while (round >= phase->plan.n_rounds) {
        round -= phase->plan.n_rounds;
        if (++phase == lane->phases + lane->n_phases)
            return;
    }
    uint32_t at = coordinate(phase, rank), base = rank - at * phase->stride;
    uint32_t first = lane_index * lane->n_chunks + part_of(lane, phase->level, rank);
    phase->plan.ops->step(&phase->plan, 0, at, round, ret);
    rename(phase, base, first, ret->n_sends, ret->sends);
    rename(phase, base, first, ret->n_recvs, ret->recvs);
}

/* Asks a level's algorithm for the plan of one of its lines. */
static bool add_phase(const struct laggard_request *request, const struct laggard_level *level,
                      uint32_t index, struct lane *lane, GError **error)
{
    double values[MOST_PARAMETERS];
    struct phase *phase = &lane->phases[lane->n_phases];
    struct laggard_request part = *request;

    assert(lag_algorithm_n_parameters(level->algorithm) <= MOST_PARAMETERS);
    lag_algorithm_defaults(level->algorithm, values);
    part.values = values;
    part.n_ranks = level->size;
    part.ranks_per_node = 0;
    *phase = (struct phase){
        .plan = {.collective = part.collective,
                 .n_ranks = level->size,
                 .n_lanes = 1,
                 .degree = 1,
                 .late_position = LAGGARD_NONE,
                 .late_rank = LAGGARD_NONE},
        .size = level->size,
        .stride = level->stride,
        .level = index,
    };
    if (!lag_algorithm_accepts(level->algorithm, part.collective, level->size, error) ||
        !level->algorithm->describe(&part, &phase->plan, error))
        return false;
    lane->n_phases++;
    assert(phase->plan.n_lanes == 1 && phase->plan.late_position == LAGGARD_NONE);
    assert(!phase->plan.has_switch && phase->plan.n_servers == 0);
    return true;
}

/* Finds the fewest chunks of ours that every phase can count in whole ones. */
static void count_chunks(struct lane *lane, uint32_t n_levels)
{
    uint32_t above = 1; /* lines of the levels before */

    lane->n_chunks = 1;
    for (uint32_t k = 0; k < n_levels; k++) {
        for (uint32_t i = 0; i < lane->n_phases; i++) {
            if (lane->phases[i].level != k)
                continue;
            uint32_t want = above * lane->phases[i].plan.n_chunks;
            lane->n_chunks *= want / common_factor(lane->n_chunks, want);
        }
        above *= lane->phases[k].size;
    }
    lane->part[0] = lane->n_chunks;
    for (uint32_t k = 1; k < n_levels; k++)
        lane->part[k] = lane->part[k - 1] / lane->phases[k - 1].size;
    for (uint32_t i = 0; i < lane->n_phases; i++)
        lane->phases[i].chunk = lane->part[lane->phases[i].level] / lane->phases[i].plan.n_chunks;
}

static bool add_lane(const struct laggard_request *request, const struct laggard_level *levels,
                     uint32_t n_levels, struct lane *lane, GError **error)
{
    struct laggard_request part = *request;

    for (uint32_t k = 0; k + 1 < n_levels; k++) {
        part.collective = LAGGARD_REDUCE_SCATTER;
        if (!add_phase(&part, &levels[k], k, lane, error))
            return false;
        part.estimate.size /= levels[k].size;
    }
    part.collective = LAGGARD_ALLREDUCE;
    if (!add_phase(&part, &levels[n_levels - 1], n_levels - 1, lane, error))
        return false;
    for (uint32_t k = n_levels - 1; k-- > 0;) {
        part.collective = LAGGARD_ALL_GATHER;
        part.estimate.size *= levels[k].size;
        if (!add_phase(&part, &levels[k], k, lane, error))
            return false;
    }
    count_chunks(lane, n_levels);
    return true;
}

bool laggard_levels_describe(const struct laggard_request *request,
                             const struct laggard_level (*levels)[LAGGARD_MOST_LEVELS],
                             uint32_t n_levels, uint32_t n_lanes, struct laggard_plan *plan,
                             GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step};
    struct stack *stack = g_new0(struct stack, 1);

    stack->n_lanes = n_lanes;
    stack->lanes = g_new0(struct lane, n_lanes);
    plan->ops = &ops;
    plan->schedule = stack;
    plan->free_schedule = free_stack;
    plan->n_lanes = n_lanes;
    for (uint32_t i = 0; i < n_lanes; i++) {
        struct lane *lane = &stack->lanes[i];
        uint32_t n_rounds = 0;
        if (!add_lane(request, levels[i], n_levels, lane, error))
            return false;
        for (uint32_t k = 0; k < lane->n_phases; k++) {
            n_rounds += lane->phases[k].plan.n_rounds;
            plan->degree = MAX(plan->degree, lane->phases[k].plan.degree);
        }
        plan->n_rounds = MAX(plan->n_rounds, n_rounds);
        assert(lane->n_chunks == stack->lanes[0].n_chunks);
    }
    plan->n_chunks = n_lanes * stack->lanes[0].n_chunks;
    return true;
}
