/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/pool.h"

#include <math.h>

#include <glib.h>

/* Flows that may join before `virtual` is set back, so that it stays within about this many times
 * what one of them sends; more where more share. */
#define JOINED_MIN      64
#define JOINED_PER_FLOW 8

static void place_own(struct lag_share *share, struct lag_pool *pool, uint32_t at,
                      struct lag_own own)
{
    pool->own[at] = own;
    lag_crossings_of(share, own.flow)[own.crossing].at = at;
}

static void sift_up(struct lag_share *share, struct lag_pool *pool, uint32_t i, struct lag_own own)
{
    for (uint32_t parent; i > 0 && own.tag < pool->own[parent = (i - 1) / 2].tag; i = parent)
        place_own(share, pool, i, pool->own[parent]);
    place_own(share, pool, i, own);
}

static void sift_down(struct lag_share *share, struct lag_pool *pool, uint32_t i,
                      struct lag_own own)
{
    for (uint32_t child; (child = 2 * i + 1) < pool->n_own; i = child) {
        if (child + 1 < pool->n_own && pool->own[child + 1].tag < pool->own[child].tag)
            child++;
        if (own.tag <= pool->own[child].tag)
            break;
        place_own(share, pool, i, pool->own[child]);
    }
    place_own(share, pool, i, own);
}

static void add_own(struct lag_share *share, uint32_t flow, uint32_t crossing, double tag)
{
    const struct lag_crossing *c = &lag_crossings_of(share, flow)[crossing];
    struct lag_pool *pool = &share->pools[c->pool];
    struct lag_own own = {tag, flow, (uint16_t)crossing, (uint16_t)c->times};

    if (pool->n_own == pool->room_own) {
        pool->room_own = MAX(4, 2 * pool->room_own);
        pool->own = g_renew(struct lag_own, pool->own, pool->room_own);
    }
    if (pool->n_own == 0)
        pool->guard = INFINITY;
    pool->own_weight += own.times;
    pool->n_joined++;
    sift_up(share, pool, pool->n_own++, own);
}

static void remove_own(struct lag_share *share, struct lag_pool *pool, uint32_t at)
{
    pool->own_weight -= pool->own[at].times;
    pool->n_own--;
    if (at == pool->n_own)
        return;
    struct lag_own last = pool->own[pool->n_own];
    if (at > 0 && last.tag < pool->own[(at - 1) / 2].tag)
        sift_up(share, pool, at, last);
    else
        sift_down(share, pool, at, last);
}

static void add_other(struct lag_share *share, uint32_t flow, uint32_t crossing)
{
    struct lag_crossing *c = &lag_crossings_of(share, flow)[crossing];
    struct lag_pool *pool = &share->pools[c->pool];

    if (pool->n_others == pool->room_others) {
        pool->room_others = MAX(4, 2 * pool->room_others);
        pool->others = g_renew(struct lag_other, pool->others, pool->room_others);
    }
    c->at = pool->n_others;
    pool->others[pool->n_others++] = (struct lag_other){flow, share->flows[flow].bottleneck,
                                                        (uint16_t)crossing, (uint16_t)c->times};
}

static void remove_other(struct lag_share *share, struct lag_pool *pool, uint32_t at)
{
    struct lag_other last = pool->others[--pool->n_others];

    if (at == pool->n_others)
        return;
    pool->others[at] = last;
    lag_crossings_of(share, last.flow)[last.crossing].at = at;
}

void lag_pool_rebase(struct lag_pool *pool)
{
    if (pool->n_joined <= JOINED_MIN + JOINED_PER_FLOW * pool->n_own)
        return;
    for (uint32_t i = 0; i < pool->n_own; i++)
        pool->own[i].tag -= pool->virtual;
    pool->virtual = 0;
    pool->n_joined = 0;
}

void lag_pool_advance(struct lag_share *share, uint32_t index)
{
    struct lag_pool *pool = &share->pools[index];

    if (pool->n_own == 0) {
        pool->virtual = 0;
        pool->n_joined = 0;
    } else if (share->now > pool->since) {
        pool->virtual += share->level[index] * (share->now - pool->since);
    }
    pool->since = share->now;
}

void lag_pool_set_level(struct lag_share *share, uint32_t index, lag_rate level)
{
    const struct lag_pool *pool = &share->pools[index];
    bool is_lower = level < share->level[index];

    share->level[index] = level;
    for (uint32_t i = 0; i < (is_lower ? pool->n_others : 0); i++) {
        struct lag_pool *bottleneck = &share->pools[pool->others[i].bottleneck];
        bottleneck->guard = MIN(bottleneck->guard, level);
    }
}

void lag_pool_set_hot(struct lag_share *share, uint32_t index, bool hot)
{
    struct lag_pool *pool = &share->pools[index];

    if (pool->hot == hot)
        return;
    pool->hot = hot;
    for (uint32_t i = 0; i < pool->n_others; i++)
        share->pools[pool->others[i].bottleneck].n_hot += hot ? 1u : -1u;
}

/* What its other pools mean to a flow's bottleneck. */
static void bind(struct lag_share *share, uint32_t flow)
{
    const struct lag_share_flow *f = &share->flows[flow];
    const struct lag_crossing *crossings = lag_crossings_of(share, flow);
    struct lag_pool *bottleneck = &share->pools[f->bottleneck];

    for (uint32_t i = 0; i < f->n_crossings; i++) {
        uint32_t pool = crossings[i].pool;
        if (i == f->own)
            continue;
        bottleneck->n_hot += share->pools[pool].hot;
        bottleneck->guard = MIN(bottleneck->guard, share->level[pool]);
    }
}

static void unbind(struct lag_share *share, uint32_t flow)
{
    const struct lag_share_flow *f = &share->flows[flow];
    const struct lag_crossing *crossings = lag_crossings_of(share, flow);
    struct lag_pool *bottleneck = &share->pools[f->bottleneck];

    for (uint32_t i = 0; i < f->n_crossings; i++)
        if (i != f->own)
            bottleneck->n_hot -= share->pools[crossings[i].pool].hot;
}

void lag_share_attach(struct lag_share *share, uint32_t flow, uint32_t to, double bytes)
{
    struct lag_share_flow *f = &share->flows[flow];

    f->own = to;
    f->bottleneck = lag_crossings_of(share, flow)[to].pool;
    for (uint32_t i = 0; i < f->n_crossings; i++)
        if (i != to)
            add_other(share, flow, i);
    add_own(share, flow, to, share->pools[f->bottleneck].virtual + bytes);
    bind(share, flow);
    lag_share_touch(share, f->bottleneck);
}

void lag_share_detach(struct lag_share *share, uint32_t flow)
{
    const struct lag_share_flow *f = &share->flows[flow];

    unbind(share, flow);
    for (uint32_t i = 0; i < f->n_crossings; i++) {
        const struct lag_crossing *c = &lag_crossings_of(share, flow)[i];
        if (i == f->own)
            remove_own(share, &share->pools[c->pool], c->at);
        else
            remove_other(share, &share->pools[c->pool], c->at);
    }
    lag_share_touch(share, f->bottleneck);
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
    unbind(share, flow);
    remove_own(share, giver, from->at);
    remove_other(share, taker, into->at);
    f->own = to;
    f->bottleneck = into->pool;
    add_own(share, flow, to, taker->virtual + left);
    add_other(share, flow, old);
    for (uint32_t i = 0; i < f->n_crossings; i++)
        if (i != to)
            share->pools[crossings[i].pool].others[crossings[i].at].bottleneck = f->bottleneck;
    bind(share, flow);
    lag_share_touch(share, from->pool);
    lag_share_touch(share, into->pool);
}
