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
        .sole = LAG_NO_FLOW,
    };
}

void lag_share_reset(struct lag_share *share, const lag_topology *topology)
{
    if (share->n_pools != topology->n_links) {
        clear_pools(share);
        share->n_pools = topology->n_links;
        share->pools = g_new0(struct lag_pool, share->n_pools);
        share->level = g_new(lag_rate, share->n_pools);
        share->ring = (1u << g_bit_storage(share->n_pools)) - 1;
        share->marked = g_new(uint32_t, (size_t)share->ring + 1);
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
        .cap = INFINITY,
        .n_private = list_crossings(lag_crossings_of(share, flow), topology, route),
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

    for (uint32_t i = 0; i < share->flows[flow].n_shared; i++) {
        const struct lag_crossing *c = &crossings[i];
        const struct lag_pool *pool = &share->pools[c->pool];
        double level;
        if (pool->n_own > 0)
            level = share->level[c->pool] * pool->own_weight / (pool->own_weight + c->times);
        else if ((level = pool->capacity / pool->weight) < least && pool->n_others > 0)
            level = MAX(level, room_for(share, pool, c->times));
        if (level < least) {
            least = level;
            best = i;
        }
    }
    *ret_level = least;
    return best;
}

/* A flow enters one of its pools, which it has as a private crossing so far. */
static void enter(struct lag_share *share, uint32_t flow, uint32_t crossing)
{
    struct lag_share_flow *f = &share->flows[flow];
    const struct lag_crossing *c = &lag_crossings_of(share, flow)[crossing];
    struct lag_pool *pool = &share->pools[c->pool];
    uint32_t index = c->pool, sole = pool->sole;

    pool->weight += c->times;
    if (pool->weight == c->times && !pool->marked) {
        pool->sole = flow;
        pool->reserve = pool->weight;
        share->level[index] = pool->capacity / pool->weight;
        f->cap = MIN(f->cap, share->level[index]);
        return;
    }
    if (sole != LAG_NO_FLOW) {
        const struct lag_share_flow *s = &share->flows[sole];
        uint32_t k = s->n_shared;
        while (lag_crossings_of(share, sole)[k].pool != index)
            k++;
        lag_share_publish(share, sole, k);
    }
    if (pool->hot || pool->weight > pool->reserve)
        lag_share_mark(share, index);
    lag_share_publish(share, flow, crossing);
}

/* The private crossing that gives least becomes shared, for a flow that nothing else holds up. */
static uint32_t publish_cap(struct lag_share *share, uint32_t flow)
{
    const struct lag_share_flow *f = &share->flows[flow];
    uint32_t k = f->n_shared;

    while (share->level[lag_crossings_of(share, flow)[k].pool] > f->cap)
        k++;
    lag_share_publish(share, flow, k);
    lag_share_find_cap(share, flow);
    return f->n_shared - 1;
}

static void settle_start(struct lag_share *share, uint32_t flow)
{
    struct lag_share_flow *f = &share->flows[flow];
    uint32_t n = f->n_private;
    double level;

    for (uint32_t i = 0; i < n; i++)
        enter(share, flow, i);
    double cap = f->cap;
    uint32_t best = guess_bottleneck(share, flow, &level);
    if (f->n_private > 0 && cap <= level) {
        best = publish_cap(share, flow);
        level = cap;
    }
    uint32_t bottleneck = lag_crossings_of(share, flow)[best].pool;
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
    const struct lag_share_flow *f = &share->flows[flow];
    const struct lag_crossing *crossings = lag_crossings_of(share, flow);

    lag_share_detach(share, flow);
    for (uint32_t i = 0; i < f->n_shared + f->n_private; i++) {
        struct lag_pool *pool = &share->pools[crossings[i].pool];
        pool->sole = LAG_NO_FLOW;
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
    if (share->pools[pool].sole != LAG_NO_FLOW)
        lag_share_publish_all(share, share->pools[pool].sole);
    share->pools[pool].capacity = capacity;
    lag_share_mark(share, pool);
}

static uint32_t take_marked(struct lag_share *share)
{
    uint32_t pool = share->marked[share->first_marked++ & share->ring];

    share->n_marked--;
    share->pools[pool].marked = false;
    return pool;
}

void lag_share_settle(struct lag_share *share, lag_seconds now)
{
    uint64_t patience = (uint64_t)PATIENCE * share->n_pools, left = patience;

    share->now = now;
    for (uint32_t i = 0; i < share->n_fresh; i++)
        settle_start(share, share->fresh[i]);
    share->n_fresh = 0;
    share->tolerance = TOLERANCE;
    while (share->n_marked > 0) {
        lag_level_find(share, take_marked(share));
        if (--left > 0)
            continue;
        left = patience;
        share->tolerance *= 2;
    }
}
