/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/gradient/tree-down.h"

/* A parcel's cookie: the child's number, and the end of the round's. */
#define ROUND_SHIFT 24

static uint32_t cookie_of(const lag_tree_rounds *rounds, uint32_t v)
{
    return rounds->round << ROUND_SHIFT | v;
}

static void send(lag_tree_rounds *rounds, uint32_t v)
{
    struct lag_parcel parcel = {
        .src = rounds->host[lag_tree_parent(rounds, v)],
        .dst = rounds->host[v],
        .bytes = lag_gradient_bytes(rounds->run->gradient),
    };

    lag_traffic_send(rounds->traffic, rounds->down_user, cookie_of(rounds, v), &parcel);
}

/* A parent has the parameters, and begins to pass them on. */
static void pass_on(lag_tree_rounds *rounds, uint32_t v)
{
    uint32_t first = lag_tree_first_child(rounds, v), n = rounds->setup->tree.degree;

    if (v >= rounds->first_leaf)
        return;
    if (rounds->run->gradient->down == LAG_DOWN_SEQUENTIAL)
        n = 1;
    for (uint32_t i = 0; i < n; i++)
        send(rounds, first + i);
}

static void handle_params(void *self, uint32_t v, uint32_t round)
{
    lag_tree_rounds *rounds = self;

    if (round != rounds->round)
        return;
    if (rounds->traffic != NULL)
        pass_on(rounds, v);
    rounds->has_params(rounds, v);
}

/* Data have left a parent for child v: the next child's turn. */
static void handle_sent(void *self, uint32_t v, uint32_t round)
{
    lag_tree_rounds *rounds = self;

    if (round == rounds->round && v % rounds->setup->tree.degree != 0)
        send(rounds, v + 1);
}

static bool is_current(const lag_tree_rounds *rounds, uint32_t cookie)
{
    return cookie >> ROUND_SHIFT == rounds->round << ROUND_SHIFT >> ROUND_SHIFT;
}

static void note_left(void *self, uint32_t cookie, const struct lag_passage *passage)
{
    lag_tree_rounds *rounds = self;

    if (is_current(rounds, cookie) && rounds->run->gradient->down == LAG_DOWN_SEQUENTIAL)
        lag_engine_post(rounds->engine, passage->to, LAG_COMPUTE_DONE, cookie & (LAG_MAX_RANKS - 1),
                        rounds->on_sent, rounds->round);
}

static void note_there(void *self, uint32_t cookie, const struct lag_passage *passage)
{
    lag_tree_rounds *rounds = self;

    if (is_current(rounds, cookie))
        lag_engine_post(rounds->engine, passage->to, LAG_MESSAGE_AT_WORKER,
                        cookie & (LAG_MAX_RANKS - 1), rounds->on_params, rounds->round);
}

void lag_tree_down_begin(lag_tree_rounds *rounds)
{
    struct lag_traffic_user user = {.self = rounds, .left = note_left, .there = note_there};

    rounds->on_params = lag_engine_handler(rounds->engine, handle_params, rounds);
    rounds->on_sent = lag_engine_handler(rounds->engine, handle_sent, rounds);
    if (rounds->traffic != NULL)
        rounds->down_user = lag_traffic_add_user(rounds->traffic, &user);
}

/* Given times: child i has them i + 1 messages after its parent, or all have one message after. */
static void foresee(lag_tree_rounds *rounds)
{
    const struct lag_gradient *gradient = rounds->run->gradient;
    uint32_t n = rounds->setup->tree.degree;

    rounds->down_at[0] = rounds->begin;
    for (uint32_t v = 1; v < rounds->n_nodes; v++) {
        uint32_t turn = gradient->down == LAG_DOWN_SEQUENTIAL ? (v - 1) % n : 0;
        rounds->down_at[v] =
            rounds->down_at[lag_tree_parent(rounds, v)] + (turn + 1) * gradient->message_time;
        lag_engine_post(rounds->engine, rounds->down_at[v], LAG_MESSAGE_AT_WORKER, v,
                        rounds->on_params, rounds->round);
    }
}

void lag_tree_down(lag_tree_rounds *rounds)
{
    if (rounds->run->gradient->down == LAG_DOWN_NONE)
        for (uint32_t v = 1; v < rounds->n_nodes; v++)
            rounds->has_params(rounds, v);
    else if (rounds->traffic != NULL)
        pass_on(rounds, 0);
    else
        foresee(rounds);
}
