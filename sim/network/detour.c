/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/detour.h"

#include <string.h>

#include "sim/network/fragment.h"

#define FAR UINT32_MAX

/* A way, kept once however often it is found. */
struct row {
    uint32_t n_links;
    uint32_t links[];
};

struct lag_detour {
    const lag_topology *topology;
    GHashTable *rows;           /* set of struct row, owned; only looked up */
    GHashTable *current;        /* rows by &pair, while the same links are dead */
    uint32_t *distance, *queue; /* [n_nodes] scratch: links to the end of a way */
    GArray *scratch;            /* a struct row in the making, as uint32_t */
};

static guint hash_row(gconstpointer data)
{
    const struct row *row = data;
    uint64_t hash = row->n_links;

    for (uint32_t i = 0; i < row->n_links; i++)
        hash = lag_hash(hash ^ row->links[i]);
    return (guint)hash;
}

static gboolean equal_rows(gconstpointer x, gconstpointer y)
{
    const struct row *a = x, *b = y;

    return a->n_links == b->n_links &&
           memcmp(a->links, b->links, a->n_links * sizeof(uint32_t)) == 0;
}

lag_detour *lag_detour_new(const lag_topology *topology)
{
    lag_detour *detour = g_new(lag_detour, 1);

    *detour = (lag_detour){
        .topology = topology,
        .rows = g_hash_table_new_full(hash_row, equal_rows, g_free, NULL),
        .current = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
        .distance = g_new(uint32_t, topology->n_nodes),
        .queue = g_new(uint32_t, topology->n_nodes),
        .scratch = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
    };
    return detour;
}

void lag_detour_free(lag_detour *detour)
{
    if (detour == NULL)
        return;
    g_hash_table_unref(detour->current);
    g_hash_table_unref(detour->rows);
    g_array_unref(detour->scratch);
    g_free(detour->distance);
    g_free(detour->queue);
    g_free(detour);
}

void lag_detour_forget(lag_detour *detour)
{
    g_hash_table_remove_all(detour->current);
}

/* Breadth first from the end of a way back to its start: the distance of all nodes that are as
 * near as that. */
static void measure(lag_detour *detour, const bool *dead, uint32_t src, uint32_t dst)
{
    const lag_topology *topology = detour->topology;
    uint32_t n = 0;

    for (uint32_t node = 0; node < topology->n_nodes; node++)
        detour->distance[node] = FAR;
    detour->distance[dst] = 0;
    detour->queue[n++] = dst;
    for (uint32_t head = 0; head < n && detour->distance[src] == FAR; head++) {
        uint32_t node = detour->queue[head];
        struct lag_ports ports = lag_topology_ports(topology, node);
        for (uint32_t i = 0; i < ports.n_in; i++) {
            uint32_t from = topology->links[ports.in[i]].from;
            if (dead[ports.in[i]] || detour->distance[from] != FAR)
                continue;
            detour->distance[from] = detour->distance[node] + 1;
            detour->queue[n++] = from;
        }
    }
}

static bool leads_nearer(const lag_detour *detour, const bool *dead, uint32_t link)
{
    const struct lag_link *ends = &detour->topology->links[link];

    return !dead[link] && detour->distance[ends->to] != FAR &&
           detour->distance[ends->to] + 1 == detour->distance[ends->from];
}

/* One of the links out of a node that lead nearer. */
static uint32_t next_link(const lag_detour *detour, const bool *dead, uint32_t node,
                          struct lag_way *way)
{
    struct lag_ports ports = lag_topology_ports(detour->topology, node);
    uint32_t n_good = 0, i = 0;

    for (uint32_t k = 0; k < ports.n_out; k++)
        n_good += leads_nearer(detour, dead, ports.out[k]);
    uint32_t chosen = lag_way_choose(way, n_good);
    for (;; i++)
        if (leads_nearer(detour, dead, ports.out[i]) && chosen-- == 0)
            return ports.out[i];
}

static struct row *find_row(lag_detour *detour, const bool *dead, uint32_t src, uint32_t dst)
{
    uint64_t pair = (uint64_t)src << 32 | dst;
    struct lag_way way = {.src = src, .dst = dst, .hash = pair, .links = detour->scratch};
    uint32_t n_links = 0;

    g_array_set_size(detour->scratch, 0);
    g_array_append_val(detour->scratch, n_links);
    measure(detour, dead, src, dst);
    for (uint32_t at = src; detour->distance[src] != FAR && at != dst;) {
        uint32_t link = next_link(detour, dead, at, &way);
        lag_way_add(&way, link);
        at = detour->topology->links[link].to;
    }
    struct row *made = (struct row *)(void *)detour->scratch->data;
    made->n_links = detour->scratch->len - 1;
    struct row *row = g_hash_table_lookup(detour->rows, made);
    if (row == NULL) {
        row = g_memdup2(made, detour->scratch->len * sizeof(uint32_t));
        g_hash_table_add(detour->rows, row);
    }
    return row;
}

struct lag_route lag_detour_find(lag_detour *detour, const bool *dead, uint32_t src, uint32_t dst)
{
    uint64_t pair = (uint64_t)src << 32 | dst;
    struct row *row = g_hash_table_lookup(detour->current, &pair);

    if (row == NULL) {
        row = find_row(detour, dead, src, dst);
        g_hash_table_insert(detour->current, g_memdup2(&pair, sizeof pair), row);
    }
    return (struct lag_route){row->n_links, row->links};
}
