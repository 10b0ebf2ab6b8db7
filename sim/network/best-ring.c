/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/best-ring.h"

#include <math.h>

/* Up to so many ranks the best order is found: 16 x 2^15 partial rings. */
#define MOST_EXACT 16
/* Rounds of 2-opt; each looks at all pairs of edges. */
#define MOST_ROUNDS 40

/* What edges between ranks cost: rate[src x n + dst] of the way's slowest link; cost[] its links,
 * and for its latency a part of 1 / (2 n). */
struct table {
    uint32_t n;
    lag_rate *rate;
    double *cost;
};

static void free_edges(struct table *edges)
{
    g_free(edges->rate);
    g_free(edges->cost);
    g_free(edges);
}
typedef struct table table;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(table, free_edges)

void lag_ring_clear(struct lag_ring *ring)
{
    if (ring != NULL)
        g_clear_pointer(&ring->order, g_free);
}

/* The links from one member's GPU to another's. */
static void find_way(const struct lag_ring_members *members, uint32_t src, uint32_t dst,
                     GArray *way)
{
    const uint32_t *ranks = members->ranks;

    g_array_set_size(way, 0);
    lag_topology_route(members->topology, ranks != NULL ? ranks[src] : src,
                       ranks != NULL ? ranks[dst] : dst, way);
}

static struct table *measure_edges(const struct lag_ring_members *members)
{
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    const struct lag_link *links = members->topology->links;
    uint32_t n = members->n;
    struct table *edges = g_new(struct table, 1);
    g_autofree lag_seconds *latency = g_new0(lag_seconds, (size_t)n * n);
    lag_seconds most = 0;

    *edges = (struct table){n, g_new(lag_rate, (size_t)n * n), g_new(double, (size_t)n *n)};
    for (uint32_t i = 0; i < n * n; i++) {
        find_way(members, i / n, i % n, way);
        edges->rate[i] = INFINITY;
        edges->cost[i] = way->len;
        for (uint32_t k = 0; k < way->len; k++) {
            const struct lag_link *link = &links[g_array_index(way, uint32_t, k)];
            edges->rate[i] = MIN(edges->rate[i], link->rate);
            latency[i] += link->latency;
        }
        most = MAX(most, latency[i]);
    }
    for (uint32_t i = 0; most > 0 && i < n * n; i++)
        edges->cost[i] += latency[i] / (most * 2 * n);
    return edges;
}

/* The cheapest ring from rank 0 over edges of at least a rate; false where there is none. Sets are
 * of ranks 1 .. n - 1, as bits; best[set x n + last]: the cheapest path from 0 over the set to its
 * last member, which came from from[]. Of equals the one with higher ranks last is taken, so that
 * the order of ranks stands where none is better. */
static bool find_cheapest(const struct table *edges, lag_rate least, double *best, uint8_t *from,
                          uint32_t *order)
{
    uint32_t n = edges->n, all = (1u << (n - 1)) - 1, end = 0;
    double cheapest = INFINITY;

    for (size_t i = 0; i < (size_t)(all + 1) * n; i++)
        best[i] = INFINITY;
    best[0] = 0;
    for (uint32_t set = 0; set <= all; set++)
        for (uint32_t last = 0; last < n; last++) {
            double here = best[(size_t)set * n + last];
            for (uint32_t to = 1; here < INFINITY && to < n; to++) {
                uint32_t i = last * n + to, bit = 1u << (to - 1);
                size_t k = (size_t)(set | bit) * n + to;
                if (set & bit || edges->rate[i] < least || here + edges->cost[i] > best[k])
                    continue;
                best[k] = here + edges->cost[i];
                from[k] = (uint8_t)last;
            }
        }
    for (uint32_t last = 1; last < n; last++) {
        double sum = best[(size_t)all * n + last] + edges->cost[last * n];
        if (edges->rate[last * n] < least || sum > cheapest)
            continue;
        cheapest = sum;
        end = last;
    }
    for (uint32_t i = n - 1, set = all; cheapest < INFINITY && i > 0; i--) {
        order[i] = end;
        end = from[(size_t)set * n + end];
        set &= ~(1u << (order[i] - 1));
    }
    return cheapest < INFINITY;
}

static int compare_rates(const void *a, const void *b)
{
    lag_rate x = *(const lag_rate *)a, y = *(const lag_rate *)b;

    return (x > y) - (x < y);
}

/* The rates of all edges, each once, least first; their number in *ret_n. */
static lag_rate *sort_rates(const struct table *edges, uint32_t *ret_n)
{
    uint32_t n = edges->n, n_pairs = n * n, n_rates = 0;
    lag_rate *rates = g_memdup2(edges->rate, n_pairs * sizeof *rates);

    qsort(rates, n_pairs, sizeof *rates, compare_rates);
    for (uint32_t i = 0; i < n_pairs; i++)
        if (isfinite(rates[i]) && (n_rates == 0 || rates[n_rates - 1] != rates[i]))
            rates[n_rates++] = rates[i];
    *ret_n = n_rates;
    return rates;
}

/* With the largest least rate: there is a ring at the least rate of all. */
static void find_exact(const struct table *edges, uint32_t *order)
{
    size_t n_states = ((size_t)1 << (edges->n - 1)) * edges->n;
    g_autofree double *best = g_new(double, n_states);
    g_autofree uint8_t *from = g_new(uint8_t, n_states);
    uint32_t low = 0, high;
    g_autofree lag_rate *rates = sort_rates(edges, &high);

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (find_cheapest(edges, rates[middle], best, from, order))
            low = middle;
        else
            high = middle;
    }
    find_cheapest(edges, rates[low], best, from, order);
}

/* Slower edges cost more than any number of links. */
static void charge_slow(struct table *edges)
{
    uint32_t n = edges->n, n_rates;
    g_autofree lag_rate *rates = sort_rates(edges, &n_rates);
    double most = 0;

    for (uint32_t i = 0; i < n * n; i++)
        most = MAX(most, edges->cost[i]);
    for (uint32_t i = 0; i < n * n; i++) {
        const lag_rate *at = bsearch(&edges->rate[i], rates, n_rates, sizeof *rates, compare_rates);
        if (at != NULL)
            edges->cost[i] += 2 * n * most * (double)(rates + n_rates - 1 - at);
    }
}

static void go_to_nearest(const struct table *edges, uint32_t *order)
{
    uint32_t n = edges->n;
    g_autofree bool *taken = g_new0(bool, n);

    taken[0] = true;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t nearest = 0;
        for (uint32_t to = 1; to < n; to++) {
            const double *cost = &edges->cost[order[i - 1] * n];
            if (!taken[to] && (nearest == 0 || cost[to] < cost[nearest]))
                nearest = to;
        }
        order[i] = nearest;
        taken[nearest] = true;
    }
}

static double cost_of(const struct table *edges, uint32_t from, uint32_t to)
{
    return edges->cost[from * edges->n + to];
}

/* up[i]: the cost from order[0] to order[i]; down[i]: of the same path walked back. */
static void add_up(const struct table *edges, const uint32_t *order, double *up, double *down)
{
    up[0] = down[0] = 0;
    for (uint32_t i = 1; i < edges->n; i++) {
        up[i] = up[i - 1] + cost_of(edges, order[i - 1], order[i]);
        down[i] = down[i - 1] + cost_of(edges, order[i], order[i - 1]);
    }
}

/* Turns order[i] .. order[j] round where that is cheaper. */
static bool turn_round(const struct table *edges, uint32_t *order, uint32_t i, uint32_t j,
                       const double *up, const double *down)
{
    uint32_t before = order[i - 1], after = order[j + 1 < edges->n ? j + 1 : 0];
    double now = cost_of(edges, before, order[i]) + up[j] - up[i] + cost_of(edges, order[j], after);
    double then =
        cost_of(edges, before, order[j]) + down[j] - down[i] + cost_of(edges, order[i], after);

    if (then >= now * (1 - 1e-12))
        return false;
    for (; i < j; i++, j--) {
        uint32_t swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
    return true;
}

static void improve(const struct table *edges, uint32_t *order)
{
    g_autofree double *up = g_new(double, edges->n), *down = g_new(double, edges->n);
    bool better = true;

    for (uint32_t round = 0; better && round < MOST_ROUNDS; round++) {
        better = false;
        add_up(edges, order, up, down);
        for (uint32_t i = 1; i < edges->n; i++)
            for (uint32_t j = i + 1; j < edges->n; j++)
                if (turn_round(edges, order, i, j, up, down)) {
                    better = true;
                    add_up(edges, order, up, down);
                }
    }
}

static void measure_ring(const struct lag_ring_members *members, struct lag_ring *ring)
{
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autofree uint32_t *used = g_new0(uint32_t, members->topology->n_links);
    const struct lag_link *links = members->topology->links;
    uint32_t n = members->n;

    ring->rate = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        find_way(members, ring->order[i], ring->order[i + 1 < n ? i + 1 : 0], way);
        ring->n_links += way->len;
        for (uint32_t k = 0; k < way->len; k++) {
            const struct lag_link *link = &links[g_array_index(way, uint32_t, k)];
            ring->rate = MIN(ring->rate, link->rate);
            used[link->pool]++;
            ring->most_edges = MAX(ring->most_edges, used[link->pool]);
        }
    }
}

void lag_ring_measure(const struct lag_ring_members *members, const uint32_t *order,
                      struct lag_ring *ret_ring)
{
    *ret_ring = (struct lag_ring){.order = g_memdup2(order, members->n * sizeof *order)};
    measure_ring(members, ret_ring);
}

void lag_best_ring_find(const struct lag_ring_members *members, struct lag_ring *ret_ring)
{
    uint32_t n = members->n;
    g_autoptr(table) edges = measure_edges(members);

    *ret_ring = (struct lag_ring){.order = g_new(uint32_t, n), .exact = n <= MOST_EXACT};
    for (uint32_t i = 0; i < n; i++)
        ret_ring->order[i] = i;
    if (n > MOST_EXACT) {
        charge_slow(edges);
        go_to_nearest(edges, ret_ring->order);
        improve(edges, ret_ring->order);
    } else if (n > 2) {
        find_exact(edges, ret_ring->order);
    }
    measure_ring(members, ret_ring);
}
