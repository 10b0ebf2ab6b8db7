/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/path.h"

#include <assert.h>

#define HISTORY_BUDGET ((size_t)384 << 20) /* [B] */

void lag_history_clear(struct lag_history *history)
{
    if (history == NULL)
        return;
    g_clear_pointer(&history->decisions, g_free);
    g_clear_pointer(&history->costs, g_free);
    history->capacity = 0;
}

void lag_history_prepare(struct lag_history *history, const struct laggard_plan *plan,
                         bool with_costs)
{
    size_t n = lag_history_index(plan, plan->n_lanes, 0, 0) + 1; /* never nothing */
    size_t bytes = sizeof *history->decisions + (with_costs ? sizeof *history->costs : 0);

    if (n <= history->capacity && with_costs == (history->costs != NULL))
        return;
    lag_history_clear(history);
    if (n > HISTORY_BUDGET / bytes)
        return;
    history->decisions = g_new(lag_decision, n);
    history->costs = with_costs ? g_new(struct lag_cost, n) : NULL;
    history->capacity = n;
}

/* The transfer of a step between its rank and a peer. */
static const struct laggard_transfer *find_transfer(const struct laggard_step *step, uint32_t peer,
                                                    bool by_send)
{
    const struct laggard_transfer *list = by_send ? step->sends : step->recvs;
    uint32_t n = by_send ? step->n_sends : step->n_recvs;

    for (uint32_t i = 0; i < n; i++)
        if ((by_send ? list[i].dst : list[i].src) == peer)
            return &list[i];
    assert(false && "a decision names a transfer that its step lacks");
    return NULL;
}

/* A transfer that took `cost`. */
static struct lag_hop hop_of(const struct lag_network *network, const struct lag_chunks *chunks,
                             const struct laggard_transfer *transfer, struct lag_cost cost,
                             bool by_send)
{
    return (struct lag_hop){
        .src = transfer->src,
        .dst = transfer->dst,
        .link = cost.link,
        .by_send = by_send,
        .bytes = lag_chunks_bytes(chunks, transfer->first_chunk, transfer->n_chunks),
        .overhead = network->overhead,
        .bandwidth = cost.wire,
        .latency = by_send ? 0 : cost.latency,
        .adding = by_send ? 0 : cost.adding,
        .contention = cost.contention,
    };
}

struct lag_hop lag_path_hop(const struct lag_network *network, const struct lag_chunks *chunks,
                            const struct laggard_transfer *transfer, bool by_send)
{
    lag_bytes bytes = lag_chunks_bytes(chunks, transfer->first_chunk, transfer->n_chunks);

    return hop_of(network, chunks, transfer,
                  lag_network_cost(network, NULL, transfer->src, transfer->dst, bytes), by_send);
}

static void reverse(GArray *hops)
{
    for (guint i = 0, j = hops->len; i + 1 < j; i++) {
        struct lag_hop *a = &g_array_index(hops, struct lag_hop, i);
        struct lag_hop *b = &g_array_index(hops, struct lag_hop, --j);
        struct lag_hop h = *a;
        *a = *b;
        *b = h;
    }
}

static struct lag_shares sum_shares(const GArray *hops, lag_seconds wait)
{
    struct lag_shares sum = {.wait = wait};

    for (guint i = 0; i < hops->len; i++) {
        const struct lag_hop *hop = &g_array_index(hops, struct lag_hop, i);
        sum.overhead += hop->overhead;
        sum.bandwidth += hop->bandwidth;
        sum.latency += hop->latency;
        sum.adding += hop->adding;
        sum.contention += hop->contention;
    }
    return sum;
}

void lag_path_close(struct lag_path *path, uint32_t first_rank, lag_seconds wait)
{
    reverse(path->hops);
    path->recorded = true;
    path->first_rank = first_rank;
    path->shares = sum_shares(path->hops, wait);
}

/* Who starts the path: where it leads to the switch, in whose rounds nothing has taken time, the rank
 * that was there first. */
static uint32_t rank_of_start(const struct lag_walk *walk, uint32_t rank)
{
    uint32_t first = 0;

    if (rank < walk->plan->n_ranks)
        return rank;
    for (uint32_t i = 1; i < walk->plan->n_ranks; i++)
        if (walk->started[i] < walk->started[first])
            first = i;
    return first;
}

void lag_path_walk(const struct lag_walk *walk, struct lag_path *path)
{
    const struct laggard_plan *plan = walk->plan;
    struct laggard_step step = lag_step_new(plan);
    uint32_t rank = walk->last_rank, lane = walk->last_lane;

    g_array_set_size(path->hops, 0);
    path->last_rank = rank;
    for (uint32_t round = plan->n_rounds; round-- > 0;) {
        size_t i = lag_history_index(plan, lane, round, rank);
        lag_decision decision = walk->history->decisions[i];
        if (decision == 0)
            continue;
        uint32_t peer = (decision >> LAG_DECIDED_BITS) - 1;
        lag_plan_step(plan, walk->names, lane, rank, round, &step);
        bool by_send = decision & LAG_BY_SEND;
        const struct laggard_transfer *transfer = find_transfer(&step, peer, by_send);
        struct lag_hop hop =
            walk->history->costs == NULL
                ? lag_path_hop(walk->network, walk->chunks, transfer, by_send)
                : hop_of(walk->network, walk->chunks, transfer, walk->history->costs[i], by_send);
        hop.lane = lane;
        hop.round = round;
        g_array_append_val(path->hops, hop);
        if (decision & LAG_PEER_LATER)
            rank = peer;
    }
    rank = rank_of_start(walk, rank);
    bool gated =
        walk->gate_rank != LAGGARD_NONE && walk->started[walk->gate_rank] >= walk->started[rank];
    lag_path_close(path, gated ? walk->gate_rank : rank, walk->started[rank]);
    lag_step_clear(&step);
}
