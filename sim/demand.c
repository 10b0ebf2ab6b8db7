/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/demand.h"

#define MOST_MOVES 256 /* beyond it rounds are read transfer by transfer */

/* All rounds that are the same pattern but for their chunks. */
struct move {
    struct laggard_pattern pattern;
    lag_bytes each;   /* that every sender of it sends */
    lag_bytes *extra; /* [count + 1] and what some send beside, as differences; NULL: nothing */
};

struct sum {
    const struct laggard_plan *plan;
    const struct lag_chunks *chunks;
    GArray *moves;   /* of struct move */
    GArray *rounds;  /* of uint64_t: lane and round of those that are no move */
    lag_bytes *row;  /* [n_positions] what one sender sends to each */
    GArray *touched; /* of uint32_t: receivers in the row */
    struct laggard_step step;
};

static struct move *move_of(struct sum *sum, const struct laggard_pattern *p)
{
    for (guint i = 0; i < sum->moves->len; i++) {
        struct move *move = &g_array_index(sum->moves, struct move, i);
        const struct laggard_pattern *q = &move->pattern;
        if (p->shape == q->shape && p->first == q->first && p->count == q->count &&
            p->hop == q->hop)
            return move;
    }
    if (sum->moves->len == MOST_MOVES)
        return NULL;
    struct move move = {.pattern = *p};
    g_array_append_val(sum->moves, move);
    return &g_array_index(sum->moves, struct move, sum->moves->len - 1);
}

/* Those of a shift who send one of the longer chunks send an element more: `longer` positions going
 * round, from the one that sends chunk 0 on. */
static void add_longer(const struct sum *sum, struct move *move, const struct laggard_pattern *p)
{
    uint32_t begin = (p->count - p->offset % p->count) % p->count;
    uint32_t tail = MIN(sum->chunks->longer, p->count - begin);
    lag_bytes bytes = sum->chunks->element_bytes;

    if (move->extra == NULL)
        move->extra = g_new0(lag_bytes, p->count + 1);
    move->extra[begin] += bytes;
    move->extra[begin + tail] -= bytes;
    move->extra[0] += bytes;
    move->extra[sum->chunks->longer - tail] -= bytes;
}

/* Adds a round as a move; false where only its transfers tell. */
static bool add_pattern(struct sum *sum, uint32_t lane, uint32_t round)
{
    const struct laggard_plan *plan = sum->plan;
    struct laggard_pattern p;

    if (plan->ops->pattern == NULL || !plan->ops->pattern(plan, lane, round, &p))
        return false;
    bool uneven = sum->chunks->longer > 0;
    if (uneven && (p.shape != LAGGARD_SHIFT || p.n_chunks != 1 || p.count != plan->n_chunks))
        return false;
    struct move *move = move_of(sum, &p);
    if (move == NULL)
        return false;
    move->each += p.n_chunks * sum->chunks->elements * sum->chunks->element_bytes;
    if (uneven)
        add_longer(sum, move, &p);
    return true;
}

static void sort_rounds(struct sum *sum)
{
    for (uint32_t lane = 0; lane < sum->plan->n_lanes; lane++)
        for (uint32_t round = 0; round < sum->plan->n_rounds; round++) {
            uint64_t both = (uint64_t)lane << 32 | round;
            if (!add_pattern(sum, lane, round))
                g_array_append_val(sum->rounds, both);
        }
    /* From differences to sums; they wrap below zero and back as unsigned numbers do. */
    for (guint i = 0; i < sum->moves->len; i++) {
        struct move *move = &g_array_index(sum->moves, struct move, i);
        for (uint32_t p = 1; move->extra != NULL && p < move->pattern.count; p++)
            move->extra[p] += move->extra[p - 1];
    }
}

static void add_to_row(struct sum *sum, uint32_t dst, lag_bytes bytes)
{
    if (bytes == 0)
        return;
    if (sum->row[dst] == 0)
        g_array_append_val(sum->touched, dst);
    sum->row[dst] += bytes;
}

static void add_moves(struct sum *sum, uint32_t src)
{
    for (guint i = 0; i < sum->moves->len; i++) {
        const struct move *move = &g_array_index(sum->moves, struct move, i);
        const struct laggard_pattern *p = &move->pattern;
        uint32_t at = src - p->first;
        if (src < p->first || at >= p->count)
            continue;
        uint32_t to = p->shape == LAGGARD_SHIFT ? (uint32_t)(((uint64_t)at + p->hop) % p->count)
                                                : at ^ p->hop;
        add_to_row(sum, p->first + to, move->each + (move->extra == NULL ? 0 : move->extra[at]));
    }
}

static void add_rounds(struct sum *sum, uint32_t src)
{
    for (guint i = 0; i < sum->rounds->len; i++) {
        uint64_t both = g_array_index(sum->rounds, uint64_t, i);
        lag_plan_step(sum->plan, (struct lag_names){0, 0}, (uint32_t)(both >> 32), src,
                      (uint32_t)both, &sum->step);
        for (uint32_t k = 0; k < sum->step.n_sends; k++) {
            const struct laggard_transfer *t = &sum->step.sends[k];
            add_to_row(sum, t->dst, lag_chunks_bytes(sum->chunks, t->first_chunk, t->n_chunks));
        }
    }
}

static gint by_number(gconstpointer left, gconstpointer right)
{
    const uint32_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Empties the row into the demand. */
static void flush_row(struct sum *sum, uint32_t src, GArray *pairs)
{
    g_array_sort(sum->touched, by_number);
    for (guint i = 0; i < sum->touched->len; i++) {
        uint32_t dst = g_array_index(sum->touched, uint32_t, i);
        struct lag_pair pair = {src, dst, sum->row[dst]};
        g_array_append_val(pairs, pair);
        sum->row[dst] = 0;
    }
    g_array_set_size(sum->touched, 0);
}

/* Lists each receiver's pairs. */
static void invert(struct lag_demand *demand)
{
    uint32_t n = demand->n_positions;

    demand->first_in = g_new0(uint32_t, n + 1);
    demand->in = g_new(uint32_t, demand->pairs->len);
    for (guint i = 0; i < demand->pairs->len; i++)
        demand->first_in[lag_pair_at(demand, i)->dst + 1]++;
    for (uint32_t p = 0; p < n; p++)
        demand->first_in[p + 1] += demand->first_in[p];
    g_autofree uint32_t *next = g_memdup2(demand->first_in, n * sizeof *next);
    for (guint i = 0; i < demand->pairs->len; i++)
        demand->in[next[lag_pair_at(demand, i)->dst]++] = i;
}

static void clear_sum(struct sum *sum)
{
    for (guint i = 0; i < sum->moves->len; i++)
        g_free(g_array_index(sum->moves, struct move, i).extra);
    g_array_unref(sum->moves);
    g_array_unref(sum->rounds);
    g_array_unref(sum->touched);
    g_free(sum->row);
    lag_step_clear(&sum->step);
}

void lag_demand_init(struct lag_demand *demand, const struct laggard_plan *plan,
                     const struct lag_chunks *chunks)
{
    uint32_t n = lag_plan_n_positions(plan);
    struct sum sum = {
        .plan = plan,
        .chunks = chunks,
        .moves = g_array_new(FALSE, FALSE, sizeof(struct move)),
        .rounds = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
        .row = g_new0(lag_bytes, n),
        .touched = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .step = lag_step_new(plan),
    };

    *demand = (struct lag_demand){
        .n_positions = n,
        .pairs = g_array_new(FALSE, FALSE, sizeof(struct lag_pair)),
        .first_out = g_new(uint32_t, n + 1),
    };
    sort_rounds(&sum);
    for (uint32_t src = 0; src < n; src++) {
        demand->first_out[src] = demand->pairs->len;
        add_moves(&sum, src);
        add_rounds(&sum, src);
        flush_row(&sum, src, demand->pairs);
    }
    demand->first_out[n] = demand->pairs->len;
    invert(demand);
    clear_sum(&sum);
}

void lag_demand_clear(struct lag_demand *demand)
{
    if (demand == NULL)
        return;
    g_clear_pointer(&demand->pairs, g_array_unref);
    g_clear_pointer(&demand->first_out, g_free);
    g_clear_pointer(&demand->first_in, g_free);
    g_clear_pointer(&demand->in, g_free);
}
