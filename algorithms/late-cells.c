/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/late-cells.h"

#include "algorithms/late.h"

#define MAX_BYTES ((uint64_t)5 << 30)

/* The ring moves shares of K chunks. */
static void step_before(const struct laggard_plan *plan, uint32_t position, uint32_t round,
                        struct laggard_step *ret)
{
    uint32_t share = plan->n_chunks / (plan->n_ranks - 1);

    if (position == plan->late_position)
        return;
    laggard_ring_step(ret, position, plan->n_ranks - 1, 1, round, LAGGARD_REDUCE);
    ret->sends[0].first_chunk *= share;
    ret->recvs[0].first_chunk *= share;
    ret->sends[0].n_chunks = ret->recvs[0].n_chunks = share;
}

static void step_after(const struct laggard_plan *plan, uint32_t position, uint32_t round,
                       struct laggard_step *ret)
{
    uint32_t n = plan->n_ranks, late = plan->late_position;
    const struct laggard_cell *cells = plan->schedule;
    const struct laggard_cell *cell = &cells[(size_t)round * n + position];
    bool swaps = round < plan->n_chunks && (position == late || position == round % (n - 1));
    enum laggard_kind kind = swaps ? LAGGARD_REDUCE : LAGGARD_STORE;

    if (cell->to != LAGGARD_NONE)
        laggard_send(ret, position, cell->to, cell->chunk_sent, 1, kind);
    if (cell->from != LAGGARD_NONE)
        laggard_receive(ret, cell->from, position, cell->chunk_received, 1, kind);
}

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t position, uint32_t round,
                 struct laggard_step *ret)
{
    (void)lane;
    if (round < plan->n_rounds_before)
        step_before(plan, position, round, ret);
    else
        step_after(plan, position, round - plan->n_rounds_before, ret);
}

static bool pattern(const struct laggard_plan *plan, uint32_t lane, uint32_t round,
                    struct laggard_pattern *ret)
{
    (void)lane;
    return plan->n_chunks == plan->n_ranks - 1 && laggard_late_pattern(plan, 1, round, ret);
}

void laggard_late_cells_begin(struct laggard_plan *plan, uint32_t share)
{
    static const struct laggard_plan_ops ops = {.step = step, .pattern = pattern};

    plan->ops = &ops;
    plan->n_chunks = MAX(share * (plan->n_ranks - 1), 1);
    plan->late_position = plan->n_ranks - 1;
}

void laggard_late_cells_end(struct laggard_plan *plan, struct laggard_cell *cells, uint32_t n_after)
{
    plan->schedule = cells;
    plan->free_schedule = g_free;
    plan->n_rounds_before = plan->n_ranks - 2;
    plan->n_rounds = plan->n_rounds_before + n_after;
}

bool laggard_late_cells_fit(const char *algorithm, uint32_t n_ranks, uint64_t n_after,
                            GError **error)
{
    uint64_t bytes = n_ranks * n_after * sizeof(struct laggard_cell);

    if (n_after <= UINT32_MAX / 2 && bytes <= MAX_BYTES)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "%s's schedule for %u ranks would take %" G_GUINT64_FORMAT
                " GiB; at most %" G_GUINT64_FORMAT " are kept",
                algorithm, n_ranks, bytes >> 30, MAX_BYTES >> 30);
    return false;
}
