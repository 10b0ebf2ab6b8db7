/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/fabric.h"

#include <assert.h>
#include <math.h>

#include "sim/network/share.h"

/* Flows that end within this part of the time of each other end together, so that rounding does
 * not make two instants of one. */
#define SAME_INSTANT 1e-14

/* Flows that may join before `virtual` is set back, so that it stays within about this many times
 * what one of them sends; more where more share. */
#define JOINED_MIN      64
#define JOINED_PER_FLOW 8

struct lag_fabric {
    const lag_topology *topology;
    struct lag_share share;
    uint32_t *heap; /* pools by when their next flow ends, where one does; 4-ary, root at 0 */
    uint32_t n_heap, room_heap;
    uint32_t *due; /* [room_heap] pools that were found to have a flow that ends at `due_at` */
    uint32_t n_due;
    lag_seconds due_at;
    uint32_t taken_at; /* the bottleneck of the flow that was taken last */
};

lag_fabric *lag_fabric_new(void)
{
    return g_new0(lag_fabric, 1);
}

void lag_fabric_free(lag_fabric *fabric)
{
    if (fabric == NULL)
        return;
    lag_share_clear(&fabric->share);
    g_free(fabric->heap);
    g_free(fabric->due);
    g_free(fabric);
}

void lag_fabric_reset(lag_fabric *fabric, const lag_topology *topology)
{
    fabric->topology = topology;
    lag_share_reset(&fabric->share, topology);
    fabric->n_heap = fabric->n_due = 0;
    fabric->due_at = -1;
    if (topology->n_links > fabric->room_heap) {
        fabric->room_heap = topology->n_links;
        fabric->heap = g_renew(uint32_t, fabric->heap, fabric->room_heap);
        fabric->due = g_renew(uint32_t, fabric->due, fabric->room_heap);
    }
}

static void place(lag_fabric *fabric, uint32_t at, uint32_t pool)
{
    fabric->heap[at] = pool;
    fabric->share.pools[pool].place = at;
}

static lag_seconds ends_at(const lag_fabric *fabric, uint32_t at)
{
    return fabric->share.pools[fabric->heap[at]].ends;
}

static void sift_up(lag_fabric *fabric, uint32_t i, uint32_t pool)
{
    lag_seconds ends = fabric->share.pools[pool].ends;

    for (uint32_t parent; i > 0 && ends < ends_at(fabric, parent = (i - 1) / 4); i = parent)
        place(fabric, i, fabric->heap[parent]);
    place(fabric, i, pool);
}

static void sift_down(lag_fabric *fabric, uint32_t i, uint32_t pool)
{
    lag_seconds ends = fabric->share.pools[pool].ends;

    for (uint32_t first; (first = 4 * i + 1) < fabric->n_heap;) {
        uint32_t least = first, end = MIN(first + 4, fabric->n_heap);
        for (uint32_t child = first + 1; child < end; child++)
            if (ends_at(fabric, child) < ends_at(fabric, least))
                least = child;
        if (ends <= ends_at(fabric, least))
            break;
        place(fabric, i, fabric->heap[least]);
        i = least;
    }
    place(fabric, i, pool);
}

static void take_from_heap(lag_fabric *fabric, uint32_t pool)
{
    uint32_t at = fabric->share.pools[pool].place, last = fabric->heap[--fabric->n_heap];

    fabric->share.pools[pool].place = LAG_NO_POOL;
    if (last == pool)
        return;
    if (at > 0 && fabric->share.pools[last].ends < ends_at(fabric, (at - 1) / 4))
        sift_up(fabric, at, last);
    else
        sift_down(fabric, at, last);
}

/* Puts a pool where its next end belongs. */
static void set_ends(lag_fabric *fabric, uint32_t index, lag_seconds ends)
{
    struct lag_pool *pool = &fabric->share.pools[index];
    lag_seconds before = pool->ends;

    pool->ends = ends;
    if (pool->place == LAG_NO_POOL) {
        if (ends < INFINITY)
            sift_up(fabric, fabric->n_heap++, index);
    } else if (ends == INFINITY) {
        take_from_heap(fabric, index);
    } else if (ends < before) {
        sift_up(fabric, pool->place, index);
    } else {
        sift_down(fabric, pool->place, index);
    }
}

/* When the first of a pool's own flows ends, as things stand. */
static lag_seconds next_end(const lag_fabric *fabric, uint32_t index)
{
    const struct lag_pool *pool = &fabric->share.pools[index];
    lag_rate level = fabric->share.level[index];

    if (pool->n_own == 0 || level <= 0)
        return INFINITY;
    return pool->since + MAX(0, pool->own[0].tag - pool->virtual) / level;
}

uint32_t lag_fabric_start(lag_fabric *fabric, struct lag_route route, double bytes, uint32_t cookie)
{
    return lag_share_start(&fabric->share, fabric->topology, route, bytes, cookie);
}

double lag_fabric_cancel(lag_fabric *fabric, uint32_t flow, lag_seconds now)
{
    uint32_t bottleneck = fabric->share.flows[flow].bottleneck;
    double left = lag_share_remove(&fabric->share, flow, now);

    if (bottleneck != LAG_NO_POOL)
        set_ends(fabric, bottleneck, next_end(fabric, bottleneck));
    return left;
}

void lag_fabric_set_rate(lag_fabric *fabric, uint32_t link, lag_rate rate, lag_seconds now)
{
    assert(rate >= 0 && isfinite(rate));
    assert(now >= fabric->share.now);
    lag_share_set_capacity(&fabric->share, fabric->topology->links[link].pool, rate);
}

/* Lists the pools with flows that end by `limit`: the top of the heap, which settling puts right. */
static void find_due(lag_fabric *fabric, uint32_t at, lag_seconds limit)
{
    if (at >= fabric->n_heap || ends_at(fabric, at) > limit)
        return;
    fabric->due[fabric->n_due++] = fabric->heap[at];
    for (uint32_t child = 4 * at + 1; child <= 4 * at + 4; child++)
        find_due(fabric, child, limit);
}

bool lag_fabric_take(lag_fabric *fabric, lag_seconds now, uint32_t *ret_cookie)
{
    lag_seconds limit = now * (1 + SAME_INSTANT);

    if (fabric->due_at != now) {
        fabric->due_at = now;
        fabric->n_due = 0;
        find_due(fabric, 0, limit);
    }
    for (; fabric->n_due > 0; fabric->n_due--) {
        uint32_t index = fabric->due[fabric->n_due - 1];
        if (next_end(fabric, index) > limit)
            continue;
        uint32_t flow = fabric->share.pools[index].own[0].flow;
        *ret_cookie = fabric->share.flows[flow].cookie;
        fabric->taken_at = index;
        lag_share_remove(&fabric->share, flow, now);
        return true;
    }
    return false;
}

uint32_t lag_fabric_bottleneck(const lag_fabric *fabric)
{
    return fabric->taken_at;
}

lag_seconds lag_fabric_settle(lag_fabric *fabric, lag_seconds now)
{
    struct lag_share *share = &fabric->share;

    lag_share_settle(share, now);
    for (uint32_t i = 0; i < share->n_touched; i++) {
        struct lag_pool *pool = &share->pools[share->touched[i]];
        pool->touched = false;
        if (pool->n_joined > JOINED_MIN + JOINED_PER_FLOW * pool->n_own)
            lag_pool_rebase(pool);
        set_ends(fabric, share->touched[i], next_end(fabric, share->touched[i]));
    }
    share->n_touched = 0;
    fabric->due_at = -1;
    return fabric->n_heap > 0 ? ends_at(fabric, 0) : INFINITY;
}

lag_rate lag_fabric_rate(const lag_fabric *fabric, uint32_t flow)
{
    return lag_share_rate(&fabric->share, flow);
}
