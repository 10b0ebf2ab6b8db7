/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/plan.h"

#include <assert.h>

lag_plan *lag_plan_new(const struct laggard_algorithm *algorithm,
                       const struct laggard_request *request, GError **error)
{
    g_autoptr(lag_plan) plan = g_new(lag_plan, 1);

    *plan = (lag_plan){
        .collective = request->collective,
        .n_ranks = request->n_ranks,
        .root = request->root,
        .n_lanes = 1,
        .degree = 1,
        .late_position = LAGGARD_NONE,
        .late_rank = LAGGARD_NONE,
    };
    if (!algorithm->describe(request, plan, error))
        return NULL;
    assert(plan->ops != NULL && plan->n_chunks > 0 && plan->n_rounds_before <= plan->n_rounds);
    assert(plan->late_rank == LAGGARD_NONE || plan->late_rank < plan->n_ranks);
    assert(plan->n_servers < plan->n_ranks);
    return g_steal_pointer(&plan);
}

void lag_plan_free(lag_plan *plan)
{
    if (plan == NULL)
        return;
    if (plan->free_schedule != NULL)
        plan->free_schedule(plan->schedule);
    g_free(plan);
}

struct lag_names lag_plan_bind(const struct laggard_plan *plan, uint32_t late)
{
    if (plan->late_position == LAGGARD_NONE)
        return (struct lag_names){0, 0};
    return (struct lag_names){plan->late_position,
                              plan->late_rank == LAGGARD_NONE ? late : plan->late_rank};
}

static void rename_all(struct laggard_transfer *transfers, uint32_t n, struct lag_names names)
{
    for (uint32_t i = 0; i < n; i++) {
        transfers[i].src = lag_name(names, transfers[i].src);
        transfers[i].dst = lag_name(names, transfers[i].dst);
    }
}

void lag_step_rename(struct laggard_step *step, struct lag_names names)
{
    rename_all(step->sends, step->n_sends, names);
    rename_all(step->recvs, step->n_recvs, names);
}

struct laggard_step lag_step_new(const struct laggard_plan *plan)
{
    return (struct laggard_step){
        .sends = g_new(struct laggard_transfer, lag_plan_step_room(plan)),
        .recvs = g_new(struct laggard_transfer, lag_plan_step_room(plan)),
    };
}

void lag_step_clear(struct laggard_step *step)
{
    if (step == NULL)
        return;
    g_clear_pointer(&step->sends, g_free);
    g_clear_pointer(&step->recvs, g_free);
}

void lag_plan_round(const struct laggard_plan *plan, struct lag_names names, uint32_t lane,
                    uint32_t round, GArray *list)
{
    struct laggard_step step = lag_step_new(plan);

    for (uint32_t rank = 0; rank < lag_plan_n_positions(plan); rank++) {
        lag_plan_step(plan, names, lane, rank, round, &step);
        g_array_append_vals(list, step.sends, step.n_sends);
    }
    lag_step_clear(&step);
}

struct lag_chunks lag_chunks_of(lag_bytes size, uint32_t element_bytes, uint32_t n_chunks)
{
    uint64_t elements = size / element_bytes;

    assert(size % element_bytes == 0 && n_chunks > 0);
    return (struct lag_chunks){
        .elements = elements / n_chunks,
        .longer = (uint32_t)(elements % n_chunks),
        .element_bytes = element_bytes,
    };
}

struct lag_chunks lag_plan_chunks(const struct laggard_plan *plan, lag_bytes size,
                                  uint32_t element_bytes)
{
    lag_bytes chunk;

    if (plan->padding == 0 || size == 0)
        return lag_chunks_of(size, element_bytes, plan->n_chunks);
    chunk = (size / plan->n_chunks / plan->padding + 1) * plan->padding;
    return lag_chunks_of(chunk * plan->n_chunks, element_bytes, plan->n_chunks);
}
