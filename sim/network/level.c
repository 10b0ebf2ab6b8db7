/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/level.h"

#include <math.h>

#include <glib.h>

/* An idle pool may get this part more flows before it is looked at again. */
#define RESERVE 8

/* A flow while a pool is filled anew. */
struct lag_candidate {
    double limit; /* what its other pools let it have */
    uint32_t flow, times;
    uint32_t to;  /* its crossing of the pool that sets the limit, or of this one */
    bool own;     /* of this pool so far */
    bool limited; /* by the others, not by this pool */
};

static bool is_above(const struct lag_share *share, double a, double b)
{
    return a > b * (1 + share->tolerance);
}

/* What the flows of other pools take, and the fastest of them. */
static double sum_of_others(const struct lag_share *share, const struct lag_pool *pool,
                            double *ret_fastest)
{
    double sum = 0, fastest = 0;

    for (uint32_t i = 0; i < pool->n_others; i++) {
        const struct lag_other *other = &pool->others[i];
        double rate = share->level[other->bottleneck];
        sum += other->times * rate;
        fastest = MAX(fastest, rate);
    }
    *ret_fastest = fastest;
    return sum;
}

/* The lowest level of the own flows' other pools. */
static double exact_guard(const struct lag_share *share, uint32_t index)
{
    const struct lag_pool *pool = &share->pools[index];
    double guard = INFINITY;

    for (uint32_t i = 0; i < pool->n_own; i++) {
        uint32_t flow = pool->own[i].flow;
        const struct lag_crossing *crossings = lag_crossings_of(share, flow);
        guard = MIN(guard, share->flows[flow].cap);
        for (uint32_t k = 0; k < share->flows[flow].n_shared; k++)
            if (crossings[k].pool != index)
                guard = MIN(guard, share->level[crossings[k].pool]);
    }
    return guard;
}

/* The hot pools that a flow crosses, but for one, are to be looked at: its rate has changed. */
static void mark_hot(struct lag_share *share, uint32_t flow, uint32_t but)
{
    const struct lag_crossing *crossings = lag_crossings_of(share, flow);

    for (uint32_t k = 0; k < share->flows[flow].n_shared; k++)
        if (crossings[k].pool != but && share->pools[crossings[k].pool].hot)
            lag_share_mark(share, crossings[k].pool);
}

/* Gives the own flows another rate. */
static void set_rate(struct lag_share *share, uint32_t index, double level)
{
    const struct lag_pool *pool = &share->pools[index];

    lag_share_touch(share, index);
    if (fabs(level - share->level[index]) <= share->tolerance * level)
        return;
    lag_pool_advance(share, index);
    lag_pool_set_level(share, index, level);
    for (uint32_t i = 0; i < (pool->n_hot > 0 ? pool->n_own : 0); i++)
        mark_hot(share, pool->own[i].flow, index);
}

/* The level of an idle pool whose fastest flow has that rate; negative where it can't be idle. */
static double idle_level(const struct lag_share *share, struct lag_pool *pool, double fastest)
{
    if (pool->weight == 0)
        return INFINITY;
    pool->reserve = pool->weight + pool->weight / RESERVE;
    if (is_above(share, fastest, pool->capacity / pool->reserve))
        pool->reserve = pool->weight;
    double level = pool->capacity / pool->reserve;
    return is_above(share, fastest, level) ? -1 : level;
}

static void set_idle(struct lag_share *share, uint32_t index, double level)
{
    lag_pool_set_hot(share, index, false);
    lag_pool_set_level(share, index, level);
    if (share->pools[index].place != LAG_NO_POOL)
        lag_share_touch(share, index);
}

static void set_slack(struct lag_share *share, uint32_t index)
{
    lag_pool_set_hot(share, index, true);
    lag_pool_set_level(share, index, INFINITY);
    if (share->pools[index].place != LAG_NO_POOL)
        lag_share_touch(share, index);
}

/* What an own flow's other pools let it have, if those without own flows don't count. */
static struct lag_candidate own_candidate(const struct lag_share *share, uint32_t index,
                                          const struct lag_own *own)
{
    struct lag_candidate candidate = {INFINITY, own->flow, own->times, own->crossing, true, false};
    const struct lag_crossing *crossings = lag_crossings_of(share, own->flow);

    for (uint32_t k = 0; k < share->flows[own->flow].n_shared; k++) {
        uint32_t pool = crossings[k].pool;
        if (pool != index && share->pools[pool].n_own > 0 && share->level[pool] < candidate.limit) {
            candidate.limit = share->level[pool];
            candidate.to = k;
        }
    }
    return candidate;
}

static uint32_t list_candidates(struct lag_share *share, uint32_t index)
{
    const struct lag_pool *pool = &share->pools[index];
    uint32_t n = pool->n_own + pool->n_others;

    if (n > share->room_candidates) {
        share->room_candidates = MAX(n, 2 * share->room_candidates);
        share->candidates =
            g_renew(struct lag_candidate, share->candidates, share->room_candidates);
    }
    for (uint32_t i = 0; i < pool->n_own; i++)
        share->candidates[i] = own_candidate(share, index, &pool->own[i]);
    for (uint32_t i = 0; i < pool->n_others; i++) {
        const struct lag_other *other = &pool->others[i];
        share->candidates[pool->n_own + i] = (struct lag_candidate){share->level[other->bottleneck],
                                                                    other->flow,
                                                                    other->times,
                                                                    other->crossing,
                                                                    false,
                                                                    false};
    }
    return n;
}

/* Fills the pool: raises the level until it is full, leaving behind those who are limited by
 * others. Those who are at the level but for rounding stay where they are. */
static double fill(const struct lag_share *share, const struct lag_pool *pool, uint32_t n)
{
    double left = pool->capacity, level = INFINITY;
    uint32_t weight = pool->weight;
    bool again = true;

    while (again && weight > 0) {
        again = false;
        level = MAX(0, left) / weight;
        for (uint32_t i = 0; i < n; i++) {
            struct lag_candidate *c = &share->candidates[i];
            if (c->limited ||
                (c->own ? !is_above(share, level, c->limit) : is_above(share, c->limit, level)))
                continue;
            c->limited = again = true;
            left -= c->times * c->limit;
            weight -= c->times;
        }
    }
    return weight > 0 ? level : INFINITY;
}

/* Moves the flows to where they belong; their rates have changed. */
static void deal_out(struct lag_share *share, uint32_t index, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct lag_candidate *c = &share->candidates[i];
        if (c->own != c->limited)
            continue;
        uint32_t pool = c->own ? lag_crossings_of(share, c->flow)[c->to].pool
                               : share->flows[c->flow].bottleneck;
        lag_share_mark(share, pool);
        lag_pool_advance(share, pool);
        lag_share_move(share, c->flow, c->to);
        mark_hot(share, c->flow, index);
    }
}

/* Idle pools that the own flows are now too fast for must be looked at. */
static void wake_idle(struct lag_share *share, uint32_t index, double level)
{
    const struct lag_pool *pool = &share->pools[index];

    for (uint32_t i = 0; i < pool->n_own; i++) {
        uint32_t flow = pool->own[i].flow;
        const struct lag_crossing *crossings = lag_crossings_of(share, flow);
        if (is_above(share, level, share->flows[flow].cap))
            lag_share_publish_all(share, flow);
        for (uint32_t k = 0; k < share->flows[flow].n_shared; k++) {
            uint32_t other = crossings[k].pool;
            if (share->pools[other].hot || !is_above(share, level, share->level[other]))
                continue;
            set_slack(share, other);
            lag_share_mark(share, other);
        }
    }
}

/* Looks at each flow of the pool. */
static void refill(struct lag_share *share, uint32_t index)
{
    struct lag_pool *pool = &share->pools[index];
    uint32_t n = list_candidates(share, index);
    double level = fill(share, pool, n), fastest;

    lag_pool_advance(share, index);
    deal_out(share, index, n);
    if (pool->n_own == 0) {
        sum_of_others(share, pool, &fastest);
        double idle = idle_level(share, pool, fastest);
        if (idle >= 0)
            set_idle(share, index, idle);
        else
            set_slack(share, index);
        return;
    }
    wake_idle(share, index, level);
    pool->guard = exact_guard(share, index);
    set_rate(share, index, level);
}

/* A pool without own flows. */
static void find_without_own(struct lag_share *share, uint32_t index)
{
    struct lag_pool *pool = &share->pools[index];
    double fastest, sum = sum_of_others(share, pool, &fastest);
    double idle = idle_level(share, pool, fastest);

    if (idle >= 0)
        set_idle(share, index, idle);
    else if (!is_above(share, sum, pool->capacity))
        set_slack(share, index);
    else
        refill(share, index);
}

void lag_level_find(struct lag_share *share, uint32_t index)
{
    struct lag_pool *pool = &share->pools[index];
    double fastest;

    if (pool->n_own == 0) {
        find_without_own(share, index);
        return;
    }
    double left = pool->capacity - sum_of_others(share, pool, &fastest);
    double level = MAX(0, left) / pool->own_weight;
    if (is_above(share, level, pool->guard))
        pool->guard = exact_guard(share, index);
    if (is_above(share, fastest, level) || is_above(share, level, pool->guard))
        refill(share, index);
    else
        set_rate(share, index, level);
}
