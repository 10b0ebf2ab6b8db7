/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/router.h"

#include <string.h>

#include "sim/network/detour.h"
#include "sim/network/fragment.h"

/* Links of routes are kept in blocks, so that they never move. */
#define BLOCK_LINKS 65536
/* Blocks that outlive a reset: 64 MiB. */
#define MOST_BLOCKS 256
/* No pair of ranks. */
#define EMPTY UINT64_MAX

/* A known route: (src, dst), and where its links are. */
struct place {
    uint64_t pair;
    uint32_t n;
    uint32_t *links;
};

struct lag_router {
    const lag_topology *topology;
    struct place *places; /* open addressing, 2^k of them, at most half of them taken */
    size_t n_places, n_taken;
    GPtrArray *blocks;   /* of uint32_t[BLOCK_LINKS], or one long route */
    uint32_t n_in_block; /* taken of the last block */
    GArray *scratch;     /* of uint32_t */
    bool *dead;          /* [n_links]; NULL while none has died */
    uint32_t n_dead;
    lag_detour *detour;
    uint64_t shape; /* of the topology whose routes are kept */
};

lag_router *lag_router_new(void)
{
    lag_router *router = g_new0(lag_router, 1);

    router->blocks = g_ptr_array_new_with_free_func(g_free);
    router->scratch = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    return router;
}

void lag_router_free(lag_router *router)
{
    if (router == NULL)
        return;
    g_ptr_array_unref(router->blocks);
    g_array_unref(router->scratch);
    g_free(router->places);
    g_free(router->dead);
    lag_detour_free(router->detour);
    g_free(router);
}

static void forget(lag_router *router)
{
    g_ptr_array_set_size(router->blocks, 0);
    g_clear_pointer(&router->places, g_free);
    router->n_places = router->n_taken = 0;
}

void lag_router_reset(lag_router *router, const lag_topology *topology)
{
    if (router->shape != topology->shape || router->blocks->len > MOST_BLOCKS)
        forget(router);
    router->topology = topology;
    router->shape = topology->shape;
    router->n_dead = 0;
    g_clear_pointer(&router->dead, g_free);
    g_clear_pointer(&router->detour, lag_detour_free);
}

void lag_router_set_dead(lag_router *router, uint32_t link, bool dead)
{
    if (router->dead == NULL) {
        router->dead = g_new0(bool, router->topology->n_links);
        router->detour = lag_detour_new(router->topology);
    }
    if (router->dead[link] == dead)
        return;
    router->dead[link] = dead;
    router->n_dead = dead ? router->n_dead + 1 : router->n_dead - 1;
    lag_detour_forget(router->detour);
}

/* Memory for a route's links. */
static uint32_t *keep(lag_router *router, const uint32_t *links, uint32_t n)
{
    bool fits = router->blocks->len > 0 && router->n_in_block + n <= BLOCK_LINKS;

    if (!fits) {
        g_ptr_array_add(router->blocks, g_new(uint32_t, MAX(n, BLOCK_LINKS)));
        router->n_in_block = 0;
    }
    uint32_t *block = g_ptr_array_index(router->blocks, router->blocks->len - 1);
    uint32_t *kept = block + router->n_in_block;
    if (n > 0)
        memcpy(kept, links, n * sizeof *links);
    router->n_in_block += n;
    return kept;
}

/* Where a pair is, or belongs. */
static struct place *look_up(const lag_router *router, uint64_t pair)
{
    size_t i = lag_hash(pair) & (router->n_places - 1);

    while (router->places[i].pair != pair && router->places[i].pair != EMPTY)
        i = (i + 1) & (router->n_places - 1);
    return &router->places[i];
}

static void grow(lag_router *router)
{
    struct place *old = router->places;
    size_t n_old = router->n_places;

    router->n_places = n_old == 0 ? 64 : 2 * n_old;
    router->places = g_new(struct place, router->n_places);
    for (size_t i = 0; i < router->n_places; i++)
        router->places[i].pair = EMPTY;
    for (size_t i = 0; i < n_old; i++)
        if (old[i].pair != EMPTY)
            *look_up(router, old[i].pair) = old[i];
    g_free(old);
}

static const struct place *find_normal(lag_router *router, uint64_t pair)
{
    if (2 * router->n_taken >= router->n_places)
        grow(router);
    struct place *place = look_up(router, pair);
    if (place->pair == pair)
        return place;
    g_array_set_size(router->scratch, 0);
    lag_topology_route(router->topology, (uint32_t)(pair >> 32), (uint32_t)pair, router->scratch);
    const uint32_t *links = (const uint32_t *)(const void *)router->scratch->data;
    *place = (struct place){pair, router->scratch->len, NULL};
    place->links = keep(router, links, place->n);
    router->n_taken++;
    return place;
}

struct lag_route lag_router_find(lag_router *router, uint32_t src, uint32_t dst)
{
    const struct place *place = find_normal(router, (uint64_t)src << 32 | dst);

    for (uint32_t i = 0; router->n_dead > 0 && i < place->n; i++)
        if (router->dead[place->links[i]])
            return lag_detour_find(router->detour, router->dead, src, dst);
    return (struct lag_route){place->n, place->links};
}
