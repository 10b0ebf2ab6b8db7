/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/router.h"

/* A known route: (src, dst), its row and how many links it has. */
struct place {
    uint64_t pair;
    uint32_t row, n;
};

struct lag_router {
    const lag_topology *topology;
    GHashTable *places; /* of struct place, keys within; only looked up, never walked */
    GPtrArray *rows;    /* of uint32_t arrays: a route never moves */
    GArray *scratch;    /* of uint32_t */
};

lag_router *lag_router_new(void)
{
    lag_router *router = g_new0(lag_router, 1);

    router->places = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    router->rows = g_ptr_array_new_with_free_func(g_free);
    router->scratch = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    return router;
}

void lag_router_free(lag_router *router)
{
    if (router == NULL)
        return;
    g_hash_table_unref(router->places);
    g_ptr_array_unref(router->rows);
    g_array_unref(router->scratch);
    g_free(router);
}

void lag_router_reset(lag_router *router, const lag_topology *topology)
{
    g_hash_table_remove_all(router->places);
    g_ptr_array_set_size(router->rows, 0);
    router->topology = topology;
}

struct lag_route lag_router_find(lag_router *router, uint32_t src, uint32_t dst)
{
    struct place key = {.pair = (uint64_t)src << 32 | dst};
    struct place *place = g_hash_table_lookup(router->places, &key.pair);

    if (place == NULL) {
        g_array_set_size(router->scratch, 0);
        lag_topology_route(router->topology, src, dst, router->scratch);
        place = g_new(struct place, 1);
        *place = (struct place){key.pair, router->rows->len, router->scratch->len};
        g_ptr_array_add(router->rows,
                        g_memdup2(router->scratch->data, place->n * sizeof(uint32_t)));
        g_hash_table_insert(router->places, &place->pair, place);
    }
    return (struct lag_route){place->n, g_ptr_array_index(router->rows, place->row)};
}
