/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the fabric: which flows cross a pool (a link, or both directions of a half-duplex one),
 * and which of them it holds up. Shared by pool.c, level.c, share.c and fabric.c only.
 *
 * A flow in the fabric belongs to one pool, its bottleneck, and its rate is that pool's level. A
 * pool keeps a virtual time: the bytes that each of its own flows has sent. A flow ends when the
 * virtual time reaches its tag, so a new level touches the pool and none of its flows. */
#ifndef LAGGARD_SIM_NETWORK_POOL_H
#define LAGGARD_SIM_NETWORK_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/units.h"

#define LAG_NO_POOL UINT32_MAX

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
    bool hot;                    /* not idle: its level depends on its flows' rates */
    bool marked, touched;        /* its level is to be found anew; `ends` may have changed */
};

/* A flow's crossing of a pool: the pool, its place in the pool's `own` or `others`, how often. */
struct lag_crossing {
    uint32_t pool, at, times;
};

struct lag_share_flow {
    double bytes;        /* to be sent in all */
    uint32_t bottleneck; /* LAG_NO_POOL before the first settling, or where the slot is free */
    uint32_t cookie;
    uint32_t n_crossings;
    uint32_t own;  /* the bottleneck's number among its crossings */
    uint32_t next; /* free: number + 1 of the next free slot; not settled: place in `fresh` */
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
    uint32_t *marked, *touched; /* pools, [n_pools] each; `marked` is a ring */
    uint32_t first_marked, n_marked, n_touched;
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
    uint32_t at = share->first_marked + share->n_marked++;
    share->marked[at < share->n_pools ? at : at - share->n_pools] = pool;
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
void lag_pool_advance(struct lag_share *share, uint32_t pool);

/* Sets a level, and lowers the guards of those whose flows cross the pool. */
void lag_pool_set_level(struct lag_share *share, uint32_t pool, lag_rate level);
void lag_pool_set_hot(struct lag_share *share, uint32_t pool, bool hot);

/* Sets `virtual` back to 0 where it has grown so far that its last digits would count. */
void lag_pool_rebase(struct lag_pool *pool);

/* Puts a flow that is on no list on its crossings' lists, as an own flow of one of them, which is
 * hot and up to date; takes it off; gives it to another of its pools, both up to date. */
void lag_share_attach(struct lag_share *share, uint32_t flow, uint32_t to, double bytes);
void lag_share_detach(struct lag_share *share, uint32_t flow);
void lag_share_move(struct lag_share *share, uint32_t flow, uint32_t to);

#endif
