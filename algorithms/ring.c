/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ring: the buffer in n chunks; in n - 1 rounds each chunk is summed on its way round the ring
 * (reduce-scatter), in n - 1 more it is carried round again (all-gather). Either half alone is
 * the collective of that name. Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for
 * clusters of workstations, JPDC 2009. Over several lanes, each goes round in its own order, as
 * NCCL's channels do. */
#include "algorithms/ring.h"

#include "algorithms/orbit.h"

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    (void)lane;
    laggard_ring_step(ret, rank, plan->n_ranks, laggard_ring_shift(plan), round,
                      laggard_ring_kind(plan, round));
}

static bool pattern(const struct laggard_plan *plan, uint32_t lane, uint32_t round,
                    struct laggard_pattern *ret)
{
    (void)lane;
    *ret = laggard_ring_pattern(plan->n_ranks, laggard_ring_shift(plan), round);
    return true;
}

/* A ring in another order than by rank: its ranks, and where each is. */
struct tour {
    uint32_t *order, *place;
};

static void free_tour(void *data)
{
    struct tour *tour = data;

    g_free(tour->order);
    g_free(tour->place);
    g_free(tour);
}

/* As by rank, with names: the i-th of the ring and chunk i both go by order[i]. */
static void step_of_tour(const struct laggard_plan *plan, uint32_t lane, uint32_t rank,
                         uint32_t round, struct laggard_step *ret)
{
    const struct tour *tour = plan->schedule;
    uint32_t n = plan->n_ranks, shift = laggard_ring_shift(plan), i = tour->place[rank];
    uint32_t next = i + 1 < n ? i + 1 : 0, previous = i > 0 ? i - 1 : n - 1;
    uint32_t out = tour->order[laggard_ring_chunk(i, n, shift, round)];
    uint32_t in = tour->order[laggard_ring_chunk(previous, n, shift, round)];
    enum laggard_kind kind = laggard_ring_kind(plan, round);

    (void)lane;
    laggard_send(ret, rank, tour->order[next], out, 1, kind);
    laggard_receive(ret, tour->order[previous], rank, in, 1, kind);
}

enum {
    LANES,
    ORDER
};
enum order {
    GIVEN,
    BEST
};
static const struct laggard_parameter parameters[] = {
    [LANES] = {.name = "lanes",
               .help = "rings that share the buffer: in nodes, each enters and leaves them at "
                       "another rank; else each hops by another stride. With one port for each GPU "
                       "they share it and are no faster", .type = LAGGARD_INTEGER,
               .default_text = "1",
               .min = 1,
               .max = 256},
    [ORDER] = {.name = "order",
               .help = "of the ranks round the ring: as numbered, or best for the network",
               .type = LAGGARD_CHOICE,
               .default_text = "given",
               .choices = "given|best"},
    {.name = NULL                },
};

static void describe_lanes(const struct laggard_request *request, uint32_t n_lanes,
                           struct laggard_plan *plan)
{
    struct laggard_orbit *orbits = g_new(struct laggard_orbit, n_lanes);

    for (uint32_t lane = 0; lane < n_lanes; lane++)
        orbits[lane] = laggard_orbit_of_lane(request->n_ranks, request->ranks_per_node, lane);
    laggard_orbit_describe(request, orbits, n_lanes, plan);
}

static bool describe_tour(const struct laggard_request *request, struct laggard_plan *plan,
                          GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step_of_tour};
    uint32_t n = request->n_ranks;

    if (request->values[LANES] > 1 || request->order == NULL) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s",
                    request->order == NULL
                        ? "order: best needs a network to be best on; this is a plan without one"
                        : "order: best is of one ring; lanes have orders of their own");
        return false;
    }
    struct tour *tour = g_new(struct tour, 1);
    tour->order = g_memdup2(request->order, n * sizeof *tour->order);
    tour->place = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        tour->place[tour->order[i]] = i;
    plan->ops = &ops;
    plan->order = tour->order;
    plan->schedule = tour;
    plan->free_schedule = free_tour;
    return true;
}

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step, .pattern = pattern};
    uint32_t n = request->n_ranks, n_lanes = (uint32_t)request->values[LANES];

    plan->ops = &ops;
    plan->n_chunks = n;
    plan->n_rounds = laggard_ring_rounds(request->collective, n);
    if (request->values[ORDER] == BEST)
        return describe_tour(request, plan, error);
    if (n_lanes > 1)
        describe_lanes(request, n_lanes, plan);
    return true;
}

const struct laggard_algorithm laggard_ring = {
    .name = "ring",
    .summary = "chunks travel round a ring of all ranks; least bytes, many rounds",
    .formula = "2 (n - 1) (latency + S / (n B)); half of it for reduce-scatter and all-gather",
    .source = "Patarasuk, Yuan, JPDC 2009; NCCL's ring",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE) | LAGGARD_BIT(LAGGARD_REDUCE_SCATTER) |
                   LAGGARD_BIT(LAGGARD_ALL_GATHER),
    .parameters = parameters,
    .describe = describe,
};
