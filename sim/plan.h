/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans as their interpreters see them: made from an algorithm, bound to ranks, cut into bytes. */
#ifndef LAGGARD_SIM_PLAN_H
#define LAGGARD_SIM_PLAN_H

#include "sim/laggard.h"

typedef struct laggard_plan lag_plan; /* for g_autoptr */

/* Asks an algorithm for its plan; its needs were checked before. NULL with LAGGARD_ERROR_INPUT. */
lag_plan *lag_plan_new(const struct laggard_algorithm *algorithm,
                       const struct laggard_request *request, GError **error);
void lag_plan_free(lag_plan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_plan, lag_plan_free)

/* A plan's two swapped names: position `a` is played by rank `b` and the other way round.
 * a == b where nothing is swapped. */
struct lag_names {
    uint32_t a, b;
};

/* The names where `late` is the rank that arrives last; a plan that has fixed its late rank, or
 * has none, ignores it. */
struct lag_names lag_plan_bind(const struct laggard_plan *plan, uint32_t late);

static inline uint32_t lag_name(struct lag_names names, uint32_t x)
{
    return x == names.a ? names.b : x == names.b ? names.a : x;
}

/* True where the plan waits until all ranks but one have arrived, and takes that one as late. */
static inline bool lag_plan_is_gated(const struct laggard_plan *plan)
{
    return plan->late_position != LAGGARD_NONE && plan->late_rank == LAGGARD_NONE &&
           !plan->predicts;
}

/* True where a rank never has two sends or two receives at once, and no switch takes part. */
static inline bool lag_plan_is_one_port(const struct laggard_plan *plan)
{
    return plan->n_lanes == 1 && plan->degree == 1 && !plan->has_switch;
}

/* Positions that take part: the ranks, and the switch where there is one, which is the last. */
static inline uint32_t lag_plan_n_positions(const struct laggard_plan *plan)
{
    return plan->n_ranks + (plan->has_switch ? 1 : 0);
}

/* True where a position brings data and needs the result. */
static inline bool lag_plan_contributes(const struct laggard_plan *plan, uint32_t position)
{
    return position < plan->n_ranks - plan->n_servers;
}

/* Room that a step needs for its sends, and for its receives. */
static inline uint32_t lag_plan_step_room(const struct laggard_plan *plan)
{
    return plan->has_switch ? MAX(plan->degree, plan->n_ranks) : plan->degree;
}

/* Gives the transfers of a step the names of ranks instead of positions. */
void lag_step_rename(struct laggard_step *step, struct lag_names names);

/* What `rank` does in a round, in ranks. */
static inline void lag_plan_step(const struct laggard_plan *plan, struct lag_names names,
                                 uint32_t lane, uint32_t rank, uint32_t round,
                                 struct laggard_step *ret)
{
    ret->n_sends = ret->n_recvs = 0;
    plan->ops->step(plan, lane, lag_name(names, rank), round, ret);
    if (names.a != names.b)
        lag_step_rename(ret, names);
}

/* Room for one step of a plan. */
struct laggard_step lag_step_new(const struct laggard_plan *plan);
void lag_step_clear(struct laggard_step *step);

/* Appends a round's transfers (struct laggard_transfer), by sender, to `list`. */
void lag_plan_round(const struct laggard_plan *plan, struct lag_names names, uint32_t lane,
                    uint32_t round, GArray *list);

/* The chunk map: `size` bytes are whole elements in n_chunks chunks whose sizes differ by at most
 * one element; the first `longer` chunks are the longer ones. */
struct lag_chunks {
    uint64_t elements; /* in a shorter chunk */
    uint32_t longer;
    uint32_t element_bytes;
};
struct lag_chunks lag_chunks_of(lag_bytes size, uint32_t element_bytes, uint32_t n_chunks);

/* That of a plan, padded where the plan pads: then all chunks have the same size. */
struct lag_chunks lag_plan_chunks(const struct laggard_plan *plan, lag_bytes size,
                                  uint32_t element_bytes);

static inline lag_bytes lag_chunks_bytes(const struct lag_chunks *map, uint32_t first, uint32_t n)
{
    uint64_t longer = first >= map->longer ? 0 : MIN(n, map->longer - first);
    return (n * map->elements + longer) * map->element_bytes;
}

#endif
