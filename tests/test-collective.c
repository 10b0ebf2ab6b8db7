/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds on every network: random topologies of all kinds, random algorithms, arrivals and
 * settings. */
#include <string.h>

#include "sim/demand.h"
#include "tests/helpers.h"
#include "tests/topology-samples.h"

/* A random topology of a kind, with an allreduce over it, arrivals and settings at random. */
static void draw(test_bed *bed, const struct lag_topology_kind *kind, gsl_rng *rng)
{
    const struct laggard_algorithm *algorithm;
    struct sample sample;
    unsigned n_algorithms = 0;

    while (lag_algorithms[n_algorithms] != NULL)
        n_algorithms++;
    sample_draw(&sample, kind);
    do
        algorithm = lag_algorithms[below(rng, n_algorithms)];
    while (!lag_algorithm_accepts(algorithm, LAGGARD_ALLREDUCE, sample.n_ranks, NULL));
    lag_plan *plan = algorithm_plan(algorithm, LAGGARD_ALLREDUCE, sample.n_ranks, 0);
    bed_init(bed, plan, 4 * (lag_bytes)below(rng, 400), 1, 0);
    lag_topology *topology = sample_build(&sample);
    if (lag_replay_objection(plan, &(struct lag_network){.topology = topology}) == NULL)
        bed_move(bed, topology);
    else
        lag_topology_free(topology);
    sample_clear(&sample);
    for (uint32_t link = 0; link < bed->topology->n_links; link++)
        if (bed->topology->links[link].pool == link)
            bed->topology->links[link].rate *= 1 + 3 * gsl_rng_uniform(rng);
    for (uint32_t link = 0; link < bed->topology->n_links; link++)
        bed->topology->links[link].rate =
            bed->topology->links[bed->topology->links[link].pool].rate;
    for (uint32_t rank = 0; rank < plan->n_ranks; rank++)
        bed->arrival[rank] = below(rng, 3) == 0 ? 0 : 100 * gsl_rng_uniform(rng);
    bed->network.overhead = below(rng, 2) == 0 ? 0 : gsl_rng_uniform(rng);
    bed->network.eager = below(rng, 2) == 0;
    bed->network.store_and_forward = below(rng, 3) == 0;
    bed->network.fluid = true;
}

static void scale(test_bed *bed, double k)
{
    for (uint32_t link = 0; link < bed->topology->n_links; link++) {
        bed->topology->links[link].rate *= k;
        bed->topology->links[link].latency /= k;
    }
    for (uint32_t rank = 0; rank < bed->plan->n_ranks; rank++)
        bed->arrival[rank] /= k;
    bed->network.overhead /= k;
}

/* Twice the same is the same, to the last bit. k times the rates and 1 / k of all delays and latencies
 * make 1 / k of all times: for k = 2 to the last bit. For k = 3 rounding comes in, which grows from
 * round to round where links are shared: one part in 10^15 on one arrival can do as much. So for that
 * the links aren't shared. */
static void check_scaling(test_bed *bed)
{
    uint32_t n = bed->plan->n_ranks;
    g_autofree lag_seconds *done = g_new(lag_seconds, n);

    bed_run(bed);
    memcpy(done, bed->outcome.done, n * sizeof *done);
    bed_run(bed);
    for (uint32_t rank = 0; rank < n; rank++)
        g_assert_cmpfloat(bed->outcome.done[rank], ==, done[rank]);
    scale(bed, 2);
    bed_run(bed);
    for (uint32_t rank = 0; rank < n; rank++)
        g_assert_cmpfloat(bed->outcome.done[rank] * 2, ==, done[rank]);
    bed->network.fluid = false;
    bed_run(bed);
    memcpy(done, bed->outcome.done, n * sizeof *done);
    scale(bed, 3);
    bed_run(bed);
    for (uint32_t rank = 0; rank < n; rank++)
        assert_near(bed->outcome.done[rank] * 3, done[rank], 1e-12);
}

/* The way between two positions. A switch that takes part has only the other end's link. */
static struct lag_route way_of(lag_router *router, const test_bed *bed, const struct lag_pair *pair,
                               uint32_t *scratch)
{
    struct lag_names names = lag_plan_bind(bed->plan, bed->outcome.last_to_arrive);
    uint32_t n = bed->plan->n_ranks;

    if (pair->src < n && pair->dst < n)
        return lag_router_find(router, lag_name(names, pair->src), lag_name(names, pair->dst));
    *scratch = pair->dst == n ? lag_topology_egress(bed->topology, pair->src)
                              : lag_topology_ingress(bed->topology, pair->dst);
    return (struct lag_route){1, scratch};
}

/* What the plan puts on each link, pair by pair. */
static void add_demand(const test_bed *bed, double *bytes)
{
    g_autoptr(lag_router) router = lag_router_new();
    struct lag_demand demand;
    uint32_t scratch;

    lag_router_reset(router, bed->topology);
    lag_demand_init(&demand, bed->plan, &bed->chunks);
    for (guint i = 0; i < demand.pairs->len; i++) {
        const struct lag_pair *pair = lag_pair_at(&demand, i);
        struct lag_route route = way_of(router, bed, pair, &scratch);
        for (uint32_t k = 0; k < route.n_links; k++)
            bytes[route.links[k]] += (double)pair->bytes;
    }
    lag_demand_clear(&demand);
}

/* What crossed each link is what the plan and the routes say, and no more than the link could carry
 * from the first arrival on: no link is over its capacity, and no end is before the bound. The
 * critical path's parts sum to the end. An event that changes nothing has the bytes recorded. */
static void check_bytes(test_bed *bed)
{
    const struct lag_link_event nothing = {0, 0, bed->topology->links[0].rate};
    const struct lag_shares *s = &bed->outcome.path.shares;
    uint32_t n_links = bed->topology->n_links;
    g_autofree double *bytes = g_new0(double, n_links);

    bed->network.events = &nothing;
    bed->network.n_events = 1;
    bed_run(bed);
    bed->network.n_events = 0;
    add_demand(bed, bytes);
    g_assert_true(bed->outcome.links_recorded);
    for (uint32_t link = 0; link < n_links; link++) {
        assert_near(bed->outcome.link_bytes[link], bytes[link], 1e-9);
        g_assert_cmpfloat(bytes[link], <=, bed->outcome.link_capacity[link] * (1 + 1e-12));
    }
    assert_near(s->wait + s->overhead + s->bandwidth + s->latency + s->contention,
                bed->outcome.completion, 1e-12);
}

static void all_kinds(void)
{
    g_autoptr(gsl_rng) rng = test_rng(3);

    for (size_t k = 0; lag_topologies[k] != NULL; k++)
        for (int i = 0; i < 12; i++) {
            g_auto(test_bed) bed;
            draw(&bed, lag_topologies[k], rng);
            if (bed.topology->n_links == 0)
                continue; /* of a single GPU */
            check_bytes(&bed);
            check_scaling(&bed);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/collective/all-kinds", all_kinds);
    return g_test_run();
}
