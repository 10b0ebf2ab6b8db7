/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fabric's rates, which are kept right change by change, against max-min fair rates found from
 * scratch, on random links, routes and changes. */
#include "sim/network/fabric.h"
#include "sim/network/flow.h"
#include "tests/helpers.h"

#define MAX_LINKS 40
#define MAX_FLOWS 60
#define MAX_ROUTE 8
#define EQUAL     1e-9

/* A flow in flight, and what its rates so far have sent. */
struct flow {
    uint32_t handle, n_links, links[MAX_ROUTE];
    bool there;
    double bytes, sent;
};

struct world {
    gsl_rng *rng;
    lag_topology topology;
    struct lag_link links[MAX_LINKS];
    lag_rate capacity[MAX_LINKS]; /* by pool */
    struct flow flows[MAX_FLOWS]; /* by cookie */
    lag_fabric *fabric;
    lag_flow_solver *solver;
    lag_seconds now, next;
    bool ties; /* capacities of a few values only, so that many levels are equal */
};

static lag_rate random_rate(struct world *world)
{
    return world->ties ? 1 + below(world->rng, 3) : 0.1 + 10 * gsl_rng_uniform(world->rng);
}

static void world_init(struct world *world, unsigned long seed)
{
    *world = (struct world){.rng = test_rng(seed), .solver = lag_flow_solver_new()};
    world->ties = below(world->rng, 2);
    world->topology.n_links = 1 + below(world->rng, MAX_LINKS);
    world->topology.links = world->links;
    for (uint32_t i = 0; i < world->topology.n_links; i++) {
        /* One in eight draws on its neighbour's capacity: half duplex. */
        bool half = i > 0 && below(world->rng, 8) == 0;
        world->links[i] = (struct lag_link){.rate = random_rate(world),
                                            .pool = half ? world->links[i - 1].pool : i};
        world->capacity[i] = world->links[i].rate;
    }
    world->fabric = lag_fabric_new();
    lag_fabric_reset(world->fabric, &world->topology);
    world->next = INFINITY;
}

static void world_clear(struct world *world)
{
    lag_fabric_free(world->fabric);
    lag_flow_solver_free(world->solver);
    gsl_rng_free(world->rng);
}

static void start(struct world *world)
{
    uint32_t cookie = below(world->rng, MAX_FLOWS);
    struct flow *flow = &world->flows[cookie];

    if (flow->there)
        return;
    flow->n_links = 1 + below(world->rng, MAX_ROUTE);
    for (uint32_t i = 0; i < flow->n_links; i++) /* a link twice, now and then */
        flow->links[i] = below(world->rng, world->topology.n_links);
    flow->there = true;
    flow->sent = 0;
    flow->bytes = below(world->rng, world->ties ? 4 : 1000);
    flow->handle = lag_fabric_start(world->fabric, (struct lag_route){flow->n_links, flow->links},
                                    flow->bytes, cookie);
}

static void cancel(struct world *world)
{
    struct flow *flow = &world->flows[below(world->rng, MAX_FLOWS)];

    if (!flow->there)
        return;
    double left = lag_fabric_cancel(world->fabric, flow->handle, world->now);
    g_assert_cmpfloat(fabs(flow->sent + left - flow->bytes), <=, EQUAL * (1 + flow->bytes));
    flow->there = false;
}

static void change_link(struct world *world)
{
    uint32_t link = below(world->rng, world->topology.n_links);
    lag_rate rate = below(world->rng, 3) == 0 ? 0 : random_rate(world);

    lag_fabric_set_rate(world->fabric, link, rate, world->now);
    world->capacity[world->links[link].pool] = rate;
}

/* Moves the clock to the next end, or to some moment before it. */
static void pass_time(struct world *world)
{
    lag_seconds before = world->now;
    bool to_end = isfinite(world->next) && below(world->rng, 2) == 0;

    if (to_end)
        world->now = world->next;
    else
        world->now = fmin(world->next, world->now + gsl_rng_uniform(world->rng));
    for (uint32_t i = 0; i < MAX_FLOWS; i++)
        if (world->flows[i].there)
            world->flows[i].sent +=
                lag_fabric_rate(world->fabric, world->flows[i].handle) * (world->now - before);
}

static void take_all(struct world *world)
{
    uint32_t cookie;

    while (lag_fabric_take(world->fabric, world->now, &cookie)) {
        struct flow *flow = &world->flows[cookie];
        g_assert_true(flow->there);
        g_assert_cmpfloat(fabs(flow->sent - flow->bytes), <=, EQUAL * (1 + flow->bytes));
        flow->there = false;
    }
}

/* Rates as from scratch; no link carries more than its capacity. */
static void check(struct world *world)
{
    uint32_t first[MAX_FLOWS + 1], pools[MAX_FLOWS * MAX_ROUTE], n = 0;
    lag_rate rate[MAX_FLOWS], sum[MAX_LINKS] = {0};
    lag_seconds next = INFINITY;

    for (uint32_t i = 0; i < MAX_FLOWS; i++) {
        const struct flow *flow = &world->flows[i];
        first[i] = n;
        for (uint32_t k = 0; k < (flow->there ? flow->n_links : 0); k++)
            pools[n++] = world->links[flow->links[k]].pool;
    }
    first[MAX_FLOWS] = n;
    lag_flow_solve(world->solver, world->topology.n_links, world->capacity,
                   &(struct lag_routes){MAX_FLOWS, first, pools}, rate);
    for (uint32_t i = 0; i < MAX_FLOWS; i++) {
        const struct flow *flow = &world->flows[i];
        if (!flow->there)
            continue;
        lag_rate ours = lag_fabric_rate(world->fabric, flow->handle);
        assert_near(ours, rate[i], EQUAL);
        for (uint32_t k = first[i]; k < first[i + 1]; k++)
            sum[pools[k]] += ours;
        if (ours > 0)
            next = fmin(next, world->now + fmax(0, flow->bytes - flow->sent) / ours);
    }
    for (uint32_t i = 0; i < world->topology.n_links; i++)
        g_assert_cmpfloat(sum[i], <=, world->capacity[i] * (1 + 1e-12));
    g_assert_true(next == world->next || fabs(next - world->next) <= EQUAL * (1 + next));
}

/* Some changes at one moment, then the check. */
static void step(struct world *world)
{
    uint32_t n = below(world->rng, 4) == 0 ? below(world->rng, 30) : 1;

    pass_time(world);
    take_all(world);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t what = below(world->rng, 16);
        if (what < 12)
            start(world);
        else if (what < 14)
            cancel(world);
        else
            change_link(world);
    }
    world->next = lag_fabric_settle(world->fabric, world->now);
    check(world);
}

static void as_from_scratch(void)
{
    uint32_t n_worlds = g_test_slow() ? 1000 : 40;

    for (uint32_t seed = 0; seed < n_worlds; seed++) {
        struct world world;
        world_init(&world, seed);
        for (uint32_t i = 0; i < 100; i++)
            step(&world);
        world_clear(&world);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/share/as-from-scratch", as_from_scratch);
    return g_test_run();
}
