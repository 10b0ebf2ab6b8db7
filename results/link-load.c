/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/link-load.h"

#include "sim/demand.h"
#include "sim/volume.h"

/* Bytes on each link, as they are added up. */
struct load {
    double *bytes;      /* [n_links] */
    GArray *way;        /* of uint32_t: scratch */
    uint64_t *as_named; /* [pairs] runs in which both ends have their own names */
};

/* Runs in which a position has another one's name. */
struct renaming {
    struct lag_names names;
    uint64_t n_runs;
    uint32_t position, seen; /* LAGGARD_NONE: none */
};

static uint32_t in_cluster(const struct lag_subject *subject, uint32_t rank)
{
    return subject->ranks != NULL ? subject->ranks[rank] : rank;
}

static uint64_t sum_of(const uint64_t *counts, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += counts[i];
    return sum;
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

/* A pair's way with the names that it has, so many times. */
static void add_route(const struct lag_subject *subject, const struct lag_pair *pair,
                      struct lag_names names, uint64_t n_runs, struct load *load)
{
    uint32_t src = in_cluster(subject, lag_name(names, pair->src));
    uint32_t dst = in_cluster(subject, lag_name(names, pair->dst));

    if (n_runs == 0)
        return;
    g_array_set_size(load->way, 0);
    lag_topology_route(subject->topology, src, dst, load->way);
    for (guint i = 0; i < load->way->len; i++)
        load->bytes[g_array_index(load->way, uint32_t, i)] += (double)n_runs * (double)pair->bytes;
}

/* The pairs of one of two positions that have swapped names: all that it sends, and what it gets
 * from others than `seen`, whose pairs were added before. */
static void add_renamed(const struct lag_subject *subject, const struct lag_demand *demand,
                        struct renaming swap, struct load *load)
{
    for (uint32_t i = demand->first_out[swap.position]; i < demand->first_out[swap.position + 1];
         i++) {
        const struct lag_pair *pair = lag_pair_at(demand, i);
        if (pair->dst == swap.seen)
            continue;
        load->as_named[i] -= swap.n_runs;
        add_route(subject, pair, swap.names, swap.n_runs, load);
    }
    for (uint32_t k = demand->first_in[swap.position]; k < demand->first_in[swap.position + 1];
         k++) {
        uint32_t i = demand->in[k];
        const struct lag_pair *pair = lag_pair_at(demand, i);
        if (pair->src == swap.seen)
            continue;
        load->as_named[i] -= swap.n_runs;
        add_route(subject, pair, swap.names, swap.n_runs, load);
    }
}

/* Who is late swaps the names of two positions: only their pairs go other ways than without it. */
static void add_ways(const struct lag_subject *subject, const uint64_t *taken_as_late,
                     double *bytes)
{
    const struct laggard_plan *plan = subject->plan;
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    struct lag_demand demand;
    uint64_t n_runs = sum_of(taken_as_late, plan->n_ranks);

    lag_demand_init(&demand, plan, subject->chunks);
    g_autofree uint64_t *as_named = g_new(uint64_t, demand.pairs->len);
    struct load load = {.bytes = bytes, .way = way, .as_named = as_named};
    for (guint i = 0; i < demand.pairs->len; i++)
        as_named[i] = n_runs;
    for (uint32_t late = 0; late < plan->n_ranks; late++) {
        struct lag_names names = lag_plan_bind(plan, late);
        struct renaming swap = {names, taken_as_late[late], names.a, LAGGARD_NONE};
        if (names.a == names.b || swap.n_runs == 0)
            continue;
        add_renamed(subject, &demand, swap, &load);
        swap.position = names.b;
        swap.seen = names.a;
        add_renamed(subject, &demand, swap, &load);
    }
    for (guint i = 0; i < demand.pairs->len; i++)
        add_route(subject, lag_pair_at(&demand, i), (struct lag_names){0, 0}, as_named[i], &load);
    lag_demand_clear(&demand);
}

void lag_link_bytes(const struct lag_subject *subject, const uint64_t *taken_as_late, double *bytes)
{
    uint64_t n_runs = sum_of(taken_as_late, subject->plan->n_ranks);

    for (uint32_t link = 0; link < subject->topology->n_links; link++)
        bytes[link] = 0;
    (subject->topology->is_switch ? add_ports : add_ways)(subject, taken_as_late, bytes);
    for (uint32_t link = 0; n_runs > 0 && link < subject->topology->n_links; link++)
        bytes[link] /= (double)n_runs;
}
