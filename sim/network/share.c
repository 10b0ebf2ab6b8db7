/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/share.h"

#include <assert.h>
#include <math.h>

#include "sim/network/level.h"

/* Levels that differ by this part differ by rounding. */
#define TOLERANCE 1e-14

/* How often a pool in use may be looked at in one settling, on average, before the tolerance
 * doubles: no rounding keeps it going for ever. No test has needed it. */
#define PATIENCE 100

static void clear_pools(struct lag_share *share)
{
    for (uint32_t i = 0; i < share->n_pools; i++) {
        g_free(share->pools[i].own);
        g_free(share->pools[i].others);
    }
    g_free(share->pools);
    g_free(share->level);
    g_free(share->marked);
    g_free(share->touched);
}

void lag_share_clear(struct lag_share *share)
{
    if (share == NULL)
        return;
    clear_pools(share);
    g_free(share->flows);
    g_free(share->crossings);
    g_free(share->fresh);
    g_free(share->candidates);
    *share = (struct lag_share){0};
}

/* Keeps the lists' memory. */
static void reset_pool(struct lag_pool *pool, lag_rate capacity)
{
    *pool = (struct lag_pool){
        .capacity = capacity,
        .ends = INFINITY,
        .guard = INFINITY,
        .own = pool->own,
        .room_own = pool->room_own,
        .others = pool->others,
        .room_others = pool->room_others,
        .place = LAG_NO_POOL,
    };
}

void lag_share_reset(struct lag_share *share, const lag_topology *topology)
{
    if (share->n_pools != topology->n_links) {
        clear_pools(share);
        share->n_pools = topology->n_links;
        share->pools = g_new0(struct lag_pool, share->n_pools);
        share->level = g_new(lag_rate, share->n_pools);
        share->marked = g_new(uint32_t, share->n_pools);
        share->touched = g_new(uint32_t, share->n_pools);
    }
    for (uint32_t i = 0; i < share->n_pools; i++) {
        reset_pool(&share->pools[i], topology->links[i].rate);
        share->level[i] = INFINITY;
    }
    share->n_flows = share->n_fresh = share->first_free = 0;
    share->first_marked = share->n_marked = share->n_touched = 0;
    share->tolerance = TOLERANCE;
    share->now = 0;
}

/* Makes room for flows of n crossings. */
static void widen(struct lag_share *share, uint32_t n)
{
    uint32_t old = share->stride;

    assert(n <= UINT16_MAX);
    if (n <= old)
        return;
    share->stride = n;
    share->crossings =
        g_renew(struct lag_crossing, share->crossings, (size_t)share->room_flows * n);
    for (uint32_t flow = share->n_flows; flow-- > 0;)
        for (uint32_t i = old; i-- > 0;)
            share->crossings[(size_t)flow * n + i] = share->crossings[(size_t)flow * old + i];
}

static uint32_t new_flow(struct lag_share *share)
{
    uint32_t flow = share->first_free;

    if (flow != 0) {
        share->first_free = share->flows[flow - 1].next;
        return flow - 1;
    }
    if (share->n_flows == share->room_flows) {
        share->room_flows = MAX(64, 2 * share->room_flows);
        share->flows = g_renew(struct lag_share_flow, share->flows, share->room_flows);
        share->crossings = g_renew(struct lag_crossing, share->crossings,
                                   (size_t)share->room_flows * share->stride);
    }
    return share->n_flows++;
}

/* Lists the pools of a route, each once; returns how many. */
static uint32_t list_crossings(struct lag_crossing *crossings, const lag_topology *topology,
                               struct lag_route route)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < route.n_links; i++) {
        uint32_t pool = topology->links[route.links[i]].pool, k = 0;
        while (k < n && crossings[k].pool != pool)
            k++;
        if (k == n)
            crossings[n++] = (struct lag_crossing){.pool = pool};
        crossings[k].times++;
    }
    return n;
}

uint32_t lag_share_start(struct lag_share *share, const lag_topology *topology,
                         struct lag_route route, double bytes, uint32_t cookie)
{
    assert(route.n_links > 0);
    widen(share, route.n_links);
    uint32_t flow = new_flow(share);
    if (share->n_fresh == share->room_fresh) {
        share->room_fresh = MAX(64, 2 * share->room_fresh);
        share->fresh = g_renew(uint32_t, share->fresh, share->room_fresh);
    }
    share->flows[flow] = (struct lag_share_flow){
        .bytes = bytes,
        .bottleneck = LAG_NO_POOL,
        .cookie = cookie,
        .n_crossings = list_crossings(lag_crossings_of(share, flow), topology, route),
        .next = share->n_fresh,
    };
    share->fresh[share->n_fresh++] = flow;
    return flow;
}

/* What a pool without own flows could let one more flow have. */
static double room_for(const struct lag_share *share, const struct lag_pool *pool, uint32_t times)
{
    double left = pool->capacity;

    for (uint32_t i = 0; i < pool->n_others; i++)
        left -= pool->others[i].times * share->level[pool->others[i].bottleneck];
    return left / times;
}

/* Guesses which of its pools will hold a flow up, and how much: those with own flows by their
 * level, the others by what is left where that may be less. */
static uint32_t guess_bottleneck(const struct lag_share *share, uint32_t flow, double *ret_level)
{
    const struct lag_crossing *crossings = lag_crossings_of(share, flow);
    uint32_t best = 0;
    double least = INFINITY;

    for (uint32_t i = 0; i < share->flows[flow].n_crossings; i++) {
        const struct lag_crossing *c = &crossings[i];
        const struct lag_pool *pool = &share->pools[c->pool];
        double level = pool->capacity / pool->weight;
        if (pool->n_own > 0)
            level = share->level[c->pool] * pool->own_weight / (pool->own_weight + c->times);
        else if (pool->n_others > 0 && level < least)
            level = MAX(level, room_for(share, pool, c->times));
        if (level < least || i == 0) {
            least = level;
            best = i;
        }
    }
    *ret_level = least;
    return best;
}

static void settle_start(struct lag_share *share, uint32_t flow)
{
    struct lag_share_flow *f = &share->flows[flow];
    const struct lag_crossing *crossings = lag_crossings_of(share, flow);
    double level;

    for (uint32_t i = 0; i < f->n_crossings; i++) {
        struct lag_pool *pool = &share->pools[crossings[i].pool];
        pool->weight += crossings[i].times;
        if (pool->hot || pool->weight > MAX(pool->reserve, crossings[i].times)) {
            lag_share_mark(share, crossings[i].pool);
        } else if (pool->weight == crossings[i].times) {
            pool->reserve = pool->weight;
            share->level[crossings[i].pool] = pool->capacity / pool->weight;
        }
    }
    uint32_t best = guess_bottleneck(share, flow, &level), bottleneck = crossings[best].pool;
    if (share->pools[bottleneck].n_own == 0) {
        lag_pool_set_hot(share, bottleneck, true);
        lag_pool_set_level(share, bottleneck, level);
    }
    lag_share_mark(share, bottleneck);
    lag_pool_advance(share, bottleneck);
    lag_share_attach(share, flow, best, f->bytes);
}

/* Takes one off the list of those who have not been settled. */
static void forget_fresh(struct lag_share *share, uint32_t flow)
{
    uint32_t at = share->flows[flow].next, last = share->fresh[--share->n_fresh];

    share->fresh[at] = last;
    share->flows[last].next = at;
}

static void leave_pools(struct lag_share *share, uint32_t flow)
{
    const struct lag_crossing *crossings = lag_crossings_of(share, flow);

    lag_share_detach(share, flow);
    for (uint32_t i = 0; i < share->flows[flow].n_crossings; i++) {
        struct lag_pool *pool = &share->pools[crossings[i].pool];
        pool->weight -= crossings[i].times;
        if (pool->hot)
            lag_share_mark(share, crossings[i].pool);
        else if (pool->weight == 0)
            share->level[crossings[i].pool] = INFINITY;
    }
}

double lag_share_remove(struct lag_share *share, uint32_t flow, lag_seconds now)
{
    struct lag_share_flow *f = &share->flows[flow];
    double left = f->bytes;

    if (f->bottleneck == LAG_NO_POOL) {
        forget_fresh(share, flow);
    } else {
        const struct lag_pool *pool = &share->pools[f->bottleneck];
        double moved = pool->virtual + share->level[f->bottleneck] * (now - pool->since);
        left = MAX(0, pool->own[lag_crossings_of(share, flow)[f->own].at].tag - moved);
        leave_pools(share, flow);
    }
    f->bottleneck = LAG_NO_POOL;
    f->next = share->first_free;
    share->first_free = flow + 1;
    return left;
}

void lag_share_set_capacity(struct lag_share *share, uint32_t pool, lag_rate capacity)
{
    share->pools[pool].capacity = capacity;
    lag_share_mark(share, pool);
}

static uint32_t take_marked(struct lag_share *share)
{
    uint32_t pool = share->marked[share->first_marked];

    share->first_marked = share->first_marked + 1 < share->n_pools ? share->first_marked + 1 : 0;
    share->n_marked--;
    share->pools[pool].marked = false;
    return pool;
}

void lag_share_settle(struct lag_share *share, lag_seconds now)
{
    uint64_t n_solved = 0;

    share->now = now;
    for (uint32_t i = 0; i < share->n_fresh; i++)
        settle_start(share, share->fresh[i]);
    share->n_fresh = 0;
    share->tolerance = TOLERANCE;
    while (share->n_marked > 0) {
        lag_level_find(share, take_marked(share));
        if (++n_solved % ((uint64_t)PATIENCE * share->n_pools) == 0)
            share->tolerance *= 2;
    }
}
