/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/pool.h"

#include <math.h>

#include <glib.h>

void lag_pool_grow_own(struct lag_pool *pool)
{
    pool->room_own = MAX(4, 2 * pool->room_own);
    pool->own = g_renew(struct lag_own, pool->own, pool->room_own);
}

void lag_pool_grow_others(struct lag_pool *pool)
{
    pool->room_others = MAX(4, 2 * pool->room_others);
    pool->others = g_renew(struct lag_other, pool->others, pool->room_others);
}

void lag_pool_rebase(struct lag_pool *pool)
{
    for (uint32_t i = 0; i < pool->n_own; i++)
        pool->own[i].tag -= pool->virtual;
    pool->virtual = 0;
    pool->n_joined = 0;
}

void lag_pool_lower_level(struct lag_share *share, uint32_t index, lag_rate level)
{
    const struct lag_pool *pool = &share->pools[index];

    share->level[index] = level;
    for (uint32_t i = 0; i < pool->n_others; i++) {
        struct lag_pool *bottleneck = &share->pools[pool->others[i].bottleneck];
        bottleneck->guard = MIN(bottleneck->guard, level);
    }
}

void lag_pool_flip_hot(struct lag_share *share, uint32_t index)
{
    struct lag_pool *pool = &share->pools[index];

    pool->hot = !pool->hot;
    for (uint32_t i = 0; i < pool->n_others; i++)
        share->pools[pool->others[i].bottleneck].n_hot += pool->hot ? 1u : -1u;
}

void lag_share_move(struct lag_share *share, uint32_t flow, uint32_t to)
{
    struct lag_share_flow *f = &share->flows[flow];
    const struct lag_crossing *crossings = lag_crossings_of(share, flow);
    const struct lag_crossing *from = &crossings[f->own], *into = &crossings[to];
    struct lag_pool *giver = &share->pools[from->pool], *taker = &share->pools[into->pool];
    double left = giver->own[from->at].tag - giver->virtual;
    uint32_t old = f->own;

    lag_pool_set_hot(share, into->pool, true);
    lag_share_unbind(share, flow);
    lag_pool_remove_own(share, giver, from->at);
    lag_pool_remove_other(share, taker, into->at);
    f->own = to;
    f->bottleneck = into->pool;
    lag_pool_add_own(share, flow, to, taker->virtual + left);
    lag_pool_add_other(share, flow, old);
    for (uint32_t i = 0; i < f->n_shared; i++)
        if (i != to)
            share->pools[crossings[i].pool].others[crossings[i].at].bottleneck = f->bottleneck;
    lag_share_bind(share, flow);
    lag_share_touch(share, from->pool);
    lag_share_touch(share, into->pool);
}

void lag_share_find_cap(struct lag_share *share, uint32_t flow)
{
    struct lag_share_flow *f = &share->flows[flow];
    const struct lag_crossing *crossings = lag_crossings_of(share, flow) + f->n_shared;

    f->cap = INFINITY;
    for (uint32_t i = 0; i < f->n_private; i++)
        f->cap = MIN(f->cap, share->level[crossings[i].pool]);
}

void lag_share_publish(struct lag_share *share, uint32_t flow, uint32_t crossing)
{
    struct lag_share_flow *f = &share->flows[flow];
    struct lag_crossing *crossings = lag_crossings_of(share, flow);
    struct lag_crossing first = crossings[f->n_shared];

    crossings[f->n_shared] = crossings[crossing];
    crossings[crossing] = first;
    share->pools[crossings[f->n_shared].pool].sole = LAG_NO_FLOW;
    f->n_shared++;
    f->n_private--;
    if (f->bottleneck == LAG_NO_POOL)
        return;
    lag_share_find_cap(share, flow);
    lag_pool_add_other(share, flow, f->n_shared - 1);
}

void lag_share_publish_all(struct lag_share *share, uint32_t flow)
{
    while (share->flows[flow].n_private > 0)
        lag_share_publish(share, flow, share->flows[flow].n_shared);
}
