/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the fabric: which flows cross a pool (a link, or both directions of a half-duplex one),
 * and which of them it holds up. Shared by pool.c, level.c, share.c and fabric.c only.
 *
 * A flow in the fabric belongs to one pool, its bottleneck, and its rate is that pool's level. A
 * pool keeps a virtual time: the bytes that each of its own flows has sent. A flow ends when the
 * virtual time reaches its tag, so a new level touches the pool and none of its flows. */
#ifndef LAGGARD_SIM_NETWORK_POOL_H
#define LAGGARD_SIM_NETWORK_POOL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <glib.h>

#include "sim/units.h"

#define LAG_NO_POOL UINT32_MAX
#define LAG_NO_FLOW UINT32_MAX

/* A flow of a pool's own, in its heap: least tag first. */
struct lag_own {
    double tag; /* virtual time at which it ends [B] */
    uint32_t flow;
    uint16_t crossing, times; /* the pool is the flow's crossing of that number */
};

/* A flow that crosses a pool and belongs to another. */
struct lag_other {
    uint32_t flow, bottleneck;
    uint16_t crossing, times;
};

struct lag_pool {
    lag_rate capacity;
    double virtual;    /* bytes that each own flow has sent by `since`, from some zero on [B] */
    lag_seconds since; /* when `virtual` was last brought up to date */
    lag_seconds ends;  /* when the first own flow ends, at this level; or INFINITY */
    lag_rate guard;    /* no other pool of an own flow has a lower level than this */
    struct lag_own *own;
    struct lag_other *others;
    uint32_t n_own, room_own, n_others, room_others;
    uint32_t weight, own_weight; /* crossings of all flows, of own ones */
    uint32_t reserve;            /* while idle: its level is right up to this weight */
    uint32_t n_hot;              /* pairs of an own flow and another of its pools that is hot */
    uint32_t n_joined;           /* since the last zero of `virtual` */
    uint32_t place;              /* in the fabric's heap of ends, or LAG_NO_POOL */
    uint32_t sole;               /* the only flow, which has the pool as a private one; or
                                  * LAG_NO_FLOW */
    bool hot;                    /* not idle: its level depends on its flows' rates */
    bool marked, touched;        /* its level is to be found anew; `ends` may have changed */
};

/* A flow's crossing of a pool: the pool, its place in the pool's `own` or `others`, how often.
 * A pool that has only one flow, and can give it more than it gets, is private and on no list. */
struct lag_crossing {
    uint32_t pool, at, times;
};

struct lag_share_flow {
    double bytes;        /* to be sent in all */
    uint32_t bottleneck; /* LAG_NO_POOL before the first settling, or where the slot is free */
    uint32_t cookie;
    uint32_t n_shared;  /* its first crossings, on the pools' lists */
    uint32_t n_private; /* the rest */
    lag_rate cap;       /* what the private ones can give */
    uint32_t own;       /* the bottleneck's number among its crossings */
    uint32_t next;      /* free: number + 1 of the next free slot; not settled: place in `fresh` */
};

struct lag_share {
    struct lag_pool *pools; /* [n_pools] */
    lag_rate *level;        /* [n_pools] what a pool lets each flow have: see level.h */
    uint32_t n_pools;
    struct lag_share_flow *flows;   /* by handle */
    struct lag_crossing *crossings; /* [handle * stride + i] */
    uint32_t n_flows, room_flows, stride, first_free;
    uint32_t *fresh; /* flows that have not been settled */
    uint32_t n_fresh, room_fresh;
    uint32_t *marked; /* pools: a ring of a power of two, */
    uint32_t ring;    /* less one */
    uint32_t first_marked, n_marked;
    uint32_t *touched; /* pools, [n_pools] */
    uint32_t n_touched;
    struct lag_candidate *candidates; /* level.c's scratch */
    uint32_t room_candidates;
    double tolerance; /* relative difference of levels that counts as none */
    lag_seconds now;
};

static inline struct lag_crossing *lag_crossings_of(const struct lag_share *share, uint32_t flow)
{
    return &share->crossings[(size_t)flow * share->stride];
}

/* Has a pool's level found anew. */
static inline void lag_share_mark(struct lag_share *share, uint32_t pool)
{
    if (share->pools[pool].marked)
        return;
    share->pools[pool].marked = true;
    share->marked[(share->first_marked + share->n_marked++) & share->ring] = pool;
}

/* Has a pool's next end found anew. */
static inline void lag_share_touch(struct lag_share *share, uint32_t pool)
{
    if (share->pools[pool].touched)
        return;
    share->pools[pool].touched = true;
    share->touched[share->n_touched++] = pool;
}

/* Brings a pool's virtual time up to share->now: before its level changes, before a flow joins. */
static inline void lag_pool_advance(struct lag_share *share, uint32_t index)
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

/* Sets a level, and lowers the guards of those whose flows cross the pool. */
void lag_pool_lower_level(struct lag_share *share, uint32_t pool, lag_rate level);
static inline void lag_pool_set_level(struct lag_share *share, uint32_t pool, lag_rate level)
{
    if (level < share->level[pool])
        lag_pool_lower_level(share, pool, level);
    else
        share->level[pool] = level;
}

void lag_pool_flip_hot(struct lag_share *share, uint32_t pool);
static inline void lag_pool_set_hot(struct lag_share *share, uint32_t pool, bool hot)
{
    if (share->pools[pool].hot != hot)
        lag_pool_flip_hot(share, pool);
}

/* Sets `virtual` back to 0: now and then, so that its last digits count. */
void lag_pool_rebase(struct lag_pool *pool);

/* More room for lists. */
void lag_pool_grow_own(struct lag_pool *pool);
void lag_pool_grow_others(struct lag_pool *pool);

/* The lists of own flows, a binary heap, and of others; `at` are places in them. */
static inline void lag_pool_place_own(struct lag_share *share, struct lag_pool *pool, uint32_t at,
                                      struct lag_own own)
{
    pool->own[at] = own;
    lag_crossings_of(share, own.flow)[own.crossing].at = at;
}

static inline void lag_pool_sift_up(struct lag_share *share, struct lag_pool *pool, uint32_t i,
                                    struct lag_own own)
{
    for (uint32_t parent; i > 0 && own.tag < pool->own[parent = (i - 1) / 2].tag; i = parent)
        lag_pool_place_own(share, pool, i, pool->own[parent]);
    lag_pool_place_own(share, pool, i, own);
}

static inline void lag_pool_sift_down(struct lag_share *share, struct lag_pool *pool, uint32_t i,
                                      struct lag_own own)
{
    for (uint32_t child; (child = 2 * i + 1) < pool->n_own; i = child) {
        if (child + 1 < pool->n_own && pool->own[child + 1].tag < pool->own[child].tag)
            child++;
        if (own.tag <= pool->own[child].tag)
            break;
        lag_pool_place_own(share, pool, i, pool->own[child]);
    }
    lag_pool_place_own(share, pool, i, own);
}

static inline void lag_pool_add_own(struct lag_share *share, uint32_t flow, uint32_t crossing,
                                    double tag)
{
    const struct lag_crossing *c = &lag_crossings_of(share, flow)[crossing];
    struct lag_pool *pool = &share->pools[c->pool];
    struct lag_own own = {tag, flow, (uint16_t)crossing, (uint16_t)c->times};

    if (pool->n_own == pool->room_own)
        lag_pool_grow_own(pool);
    if (pool->n_own == 0)
        pool->guard = INFINITY;
    pool->own_weight += own.times;
    pool->n_joined++;
    lag_pool_sift_up(share, pool, pool->n_own++, own);
}

static inline void lag_pool_remove_own(struct lag_share *share, struct lag_pool *pool, uint32_t at)
{
    pool->own_weight -= pool->own[at].times;
    pool->n_own--;
    if (at == pool->n_own)
        return;
    struct lag_own last = pool->own[pool->n_own];
    if (at > 0 && last.tag < pool->own[(at - 1) / 2].tag)
        lag_pool_sift_up(share, pool, at, last);
    else
        lag_pool_sift_down(share, pool, at, last);
}

static inline void lag_pool_add_other(struct lag_share *share, uint32_t flow, uint32_t crossing)
{
    struct lag_crossing *c = &lag_crossings_of(share, flow)[crossing];
    struct lag_pool *pool = &share->pools[c->pool];

    if (pool->n_others == pool->room_others)
        lag_pool_grow_others(pool);
    c->at = pool->n_others;
    pool->others[pool->n_others++] = (struct lag_other){flow, share->flows[flow].bottleneck,
                                                        (uint16_t)crossing, (uint16_t)c->times};
}

static inline void lag_pool_remove_other(struct lag_share *share, struct lag_pool *pool,
                                         uint32_t at)
{
    struct lag_other last = pool->others[--pool->n_others];

    if (at == pool->n_others)
        return;
    pool->others[at] = last;
    lag_crossings_of(share, last.flow)[last.crossing].at = at;
}

/* Put a flow that is on no list on its shared crossings' lists, as an own flow of one of them,
 * which is hot and up to date; take it off; give it to another of its pools, both up to date. */
/* What its other pools mean to a flow's bottleneck. */
static inline void lag_share_bind(struct lag_share *share, uint32_t flow)
{
    const struct lag_share_flow *f = &share->flows[flow];
    const struct lag_crossing *crossings = lag_crossings_of(share, flow);
    struct lag_pool *bottleneck = &share->pools[f->bottleneck];

    bottleneck->guard = MIN(bottleneck->guard, f->cap);
    for (uint32_t i = 0; i < f->n_shared; i++) {
        uint32_t pool = crossings[i].pool;
        if (i == f->own)
            continue;
        bottleneck->n_hot += share->pools[pool].hot;
        bottleneck->guard = MIN(bottleneck->guard, share->level[pool]);
    }
}

static inline void lag_share_unbind(struct lag_share *share, uint32_t flow)
{
    const struct lag_share_flow *f = &share->flows[flow];
    const struct lag_crossing *crossings = lag_crossings_of(share, flow);
    struct lag_pool *bottleneck = &share->pools[f->bottleneck];

    for (uint32_t i = 0; i < f->n_shared; i++)
        if (i != f->own)
            bottleneck->n_hot -= share->pools[crossings[i].pool].hot;
}

static inline void lag_share_attach(struct lag_share *share, uint32_t flow, uint32_t to,
                                    double bytes)
{
    struct lag_share_flow *f = &share->flows[flow];

    f->own = to;
    f->bottleneck = lag_crossings_of(share, flow)[to].pool;
    for (uint32_t i = 0; i < f->n_shared; i++)
        if (i != to)
            lag_pool_add_other(share, flow, i);
    lag_pool_add_own(share, flow, to, share->pools[f->bottleneck].virtual + bytes);
    lag_share_bind(share, flow);
    lag_share_touch(share, f->bottleneck);
}

static inline void lag_share_detach(struct lag_share *share, uint32_t flow)
{
    const struct lag_share_flow *f = &share->flows[flow];

    lag_share_unbind(share, flow);
    for (uint32_t i = 0; i < f->n_shared; i++) {
        const struct lag_crossing *c = &lag_crossings_of(share, flow)[i];
        if (i == f->own)
            lag_pool_remove_own(share, &share->pools[c->pool], c->at);
        else
            lag_pool_remove_other(share, &share->pools[c->pool], c->at);
    }
    lag_share_touch(share, f->bottleneck);
}

void lag_share_move(struct lag_share *share, uint32_t flow, uint32_t to);

/* Makes one of a flow's private crossings, or all of them, shared. The first moves the crossing to
 * the end of the shared ones; the caller finds the cap of a flow that is not settled. */
void lag_share_publish(struct lag_share *share, uint32_t flow, uint32_t crossing);
void lag_share_publish_all(struct lag_share *share, uint32_t flow);
void lag_share_find_cap(struct lag_share *share, uint32_t flow);

#endif
