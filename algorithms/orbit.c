/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/orbit.h"

#include "algorithms/ring.h"

static uint32_t common_factor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint32_t times(const struct laggard_orbit *orbit, uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b % orbit->n);
}

struct laggard_orbit laggard_orbit_by_stride(uint32_t n, uint32_t stride)
{
    struct laggard_orbit orbit = {.n = n, .stride = stride, .inverse = 1};

    while (times(&orbit, stride, orbit.inverse) != 1 % n)
        orbit.inverse++;
    return orbit;
}

/* The lane-th number that shares no factor with n, again from 1 when there is none left. */
static uint32_t nth_stride(uint32_t n, uint32_t lane)
{
    for (uint32_t left = lane;;)
        for (uint32_t stride = 1; stride == 1 || stride < n; stride++)
            if (common_factor(stride, n) == 1 && left-- == 0)
                return stride;
}

struct laggard_orbit laggard_orbit_of_lane(uint32_t n, uint32_t ranks_per_node, uint32_t lane)
{
    if (ranks_per_node > 1 && ranks_per_node < n)
        return (struct laggard_orbit){.n = n, .node_size = ranks_per_node, .turn = lane};
    return laggard_orbit_by_stride(n, nth_stride(n, lane));
}

/* Moves a rank by so many within its node, the last of which may be smaller. */
static uint32_t turned(const struct laggard_orbit *orbit, uint32_t rank, bool back)
{
    uint32_t first = rank - rank % orbit->node_size;
    uint32_t size = MIN(orbit->node_size, orbit->n - first), by = orbit->turn % size;

    return first + (rank - first + (back ? size - by : by)) % size;
}

uint32_t laggard_orbit_rank(const struct laggard_orbit *orbit, uint32_t i)
{
    return orbit->node_size > 0 ? turned(orbit, i, false) : times(orbit, i, orbit->stride);
}

uint32_t laggard_orbit_index(const struct laggard_orbit *orbit, uint32_t rank)
{
    return orbit->node_size > 0 ? turned(orbit, rank, true) : times(orbit, rank, orbit->inverse);
}

/* From the ring's members and chunks to the plan's. */
static void rename(const struct laggard_plan *plan, uint32_t lane, struct laggard_transfer *t)
{
    const struct laggard_orbit *orbit = (const struct laggard_orbit *)plan->schedule + lane;

    t->src = laggard_orbit_rank(orbit, t->src);
    t->dst = laggard_orbit_rank(orbit, t->dst);
    t->first_chunk = laggard_orbit_rank(orbit, t->first_chunk) * plan->n_lanes + lane;
}

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    const struct laggard_orbit *orbit = (const struct laggard_orbit *)plan->schedule + lane;

    laggard_ring_step(ret, laggard_orbit_index(orbit, rank), plan->n_ranks,
                      laggard_ring_shift(plan), round, laggard_ring_kind(plan, round));
    rename(plan, lane, &ret->sends[0]);
    rename(plan, lane, &ret->recvs[0]);
}

void laggard_orbit_describe(const struct laggard_request *request, struct laggard_orbit *orbits,
                            uint32_t n_lanes, struct laggard_plan *plan)
{
    static const struct laggard_plan_ops ops = {.step = step};
    uint32_t n = request->n_ranks;

    plan->ops = &ops;
    plan->schedule = orbits;
    plan->free_schedule = g_free;
    plan->n_lanes = n_lanes;
    plan->n_chunks = n_lanes * n;
    plan->n_rounds = laggard_ring_rounds(request->collective, n);
}
