/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/link-load.h"

#include "sim/volume.h"

#define MANY_PAIRS (1u << 16) /* before equal ones are added up for the first time */

/* All that one position sends to another. */
struct pair {
    uint32_t src, dst;
    lag_bytes bytes;
};

static uint32_t in_cluster(const struct lag_subject *subject, uint32_t rank)
{
    return subject->ranks != NULL ? subject->ranks[rank] : rank;
}

/* On a switch the ports say it all: one pass over patterns does. */
static void add_ports(const struct lag_subject *subject, const uint64_t *taken_as_late,
                      double *bytes)
{
    uint32_t n = subject->plan->n_ranks;
    g_autofree lag_bytes *sent = g_new(lag_bytes, n);
    g_autofree lag_bytes *received = g_new(lag_bytes, n);
    struct lag_volume volume = {.sent = sent, .received = received};

    lag_volume_of(subject->plan, subject->chunks, &volume);
    for (uint32_t late = 0; late < n; late++) {
        double runs = (double)taken_as_late[late];
        struct lag_names names = lag_plan_bind(subject->plan, late);
        for (uint32_t position = 0; taken_as_late[late] > 0 && position < n; position++) {
            uint32_t rank = in_cluster(subject, lag_name(names, position));
            bytes[lag_topology_egress(subject->topology, rank)] += runs * (double)sent[position];
            bytes[lag_topology_ingress(subject->topology, rank)] +=
                runs * (double)received[position];
        }
    }
}

static int by_ends(gconstpointer left, gconstpointer right)
{
    const struct pair *a = left, *b = right;

    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    return (a->dst > b->dst) - (a->dst < b->dst);
}

static void merge(GArray *pairs)
{
    struct pair *list = (struct pair *)(void *)pairs->data;
    guint n = 0;

    g_array_sort(pairs, by_ends);
    for (guint i = 0; i < pairs->len; i++) {
        if (n > 0 && by_ends(&list[n - 1], &list[i]) == 0)
            list[n - 1].bytes += list[i].bytes;
        else
            list[n++] = list[i];
    }
    g_array_set_size(pairs, n);
}

/* All pairs of positions between which a plan moves something. */
static GArray *pairs_of(const struct lag_subject *subject)
{
    const struct laggard_plan *plan = subject->plan;
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer));
    GArray *pairs = g_array_new(FALSE, FALSE, sizeof(struct pair));
    guint limit = MANY_PAIRS;

    for (uint32_t lane = 0; lane < plan->n_lanes; lane++) {
        for (uint32_t round = 0; round < plan->n_rounds; round++) {
            g_array_set_size(list, 0);
            lag_plan_round(plan, (struct lag_names){0, 0}, lane, round, list);
            for (guint i = 0; i < list->len; i++) {
                const struct laggard_transfer *t = &g_array_index(list, struct laggard_transfer, i);
                struct pair pair = {t->src, t->dst,
                                    lag_chunks_bytes(subject->chunks, t->first_chunk, t->n_chunks)};
                g_array_append_val(pairs, pair);
            }
            if (pairs->len < limit)
                continue;
            merge(pairs);
            limit = MAX(MANY_PAIRS, 2 * pairs->len);
        }
    }
    merge(pairs);
    return pairs;
}

/* The pairs' ways with the names that they have where `late` is late. */
static void add_routes(const struct lag_subject *subject, const GArray *pairs, uint32_t late,
                       double runs, double *bytes)
{
    struct lag_names names = lag_plan_bind(subject->plan, late);
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (guint i = 0; i < pairs->len; i++) {
        const struct pair *pair = &g_array_index(pairs, struct pair, i);
        uint32_t src = in_cluster(subject, lag_name(names, pair->src));
        uint32_t dst = in_cluster(subject, lag_name(names, pair->dst));
        g_array_set_size(links, 0);
        lag_topology_route(subject->topology, src, dst, links);
        for (guint j = 0; j < links->len; j++)
            bytes[g_array_index(links, uint32_t, j)] += runs * (double)pair->bytes;
    }
}

static void add_ways(const struct lag_subject *subject, const uint64_t *taken_as_late,
                     double *bytes)
{
    g_autoptr(GArray) pairs = pairs_of(subject);
    bool varies =
        subject->plan->late_position != LAGGARD_NONE && subject->plan->late_rank == LAGGARD_NONE;
    double runs = 0;

    for (uint32_t late = 0; late < subject->plan->n_ranks; late++) {
        runs += (double)taken_as_late[late];
        if (varies && taken_as_late[late] > 0)
            add_routes(subject, pairs, late, (double)taken_as_late[late], bytes);
    }
    if (!varies)
        add_routes(subject, pairs, 0, runs, bytes);
}

void lag_link_bytes(const struct lag_subject *subject, const uint64_t *taken_as_late, double *bytes)
{
    uint64_t n_runs = 0;

    for (uint32_t late = 0; late < subject->plan->n_ranks; late++)
        n_runs += taken_as_late[late];
    for (uint32_t link = 0; link < subject->topology->n_links; link++)
        bytes[link] = 0;
    (subject->topology->is_switch ? add_ports : add_ways)(subject, taken_as_late, bytes);
    for (uint32_t link = 0; n_runs > 0 && link < subject->topology->n_links; link++)
        bytes[link] /= (double)n_runs;
}
