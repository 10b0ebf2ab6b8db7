/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Augmenting paths as in Kuhn's algorithm, breadth first over classes. An edge from class a to
 * class b is a receiver of a that b may have; which one is looked up only for the path that is
 * taken. */
#include "algorithms/class-match.h"

#include <assert.h>

#define NONE UINT32_MAX

/* A search over classes: where each was reached from; NONE: it is a start. */
struct walk {
    uint32_t reached; /* bit c: class c was */
    uint32_t parent[LAGGARD_MAX_CLASSES];
    uint32_t queue[LAGGARD_MAX_CLASSES], head, tail;
};

static void reach(struct walk *walk, uint32_t class, uint32_t parent)
{
    if (walk->reached & 1u << class)
        return;
    walk->reached |= 1u << class;
    walk->parent[class] = parent;
    walk->queue[walk->tail++] = class;
}

static void count_moves(struct laggard_match *match, uint32_t class, uint32_t mask, bool add)
{
    for (; mask != 0; mask &= mask - 1)
        match->moves[class][__builtin_ctz(mask)] += add ? 1 : UINT32_MAX;
}

void laggard_match_set(struct laggard_match *match, uint32_t receiver, uint32_t class)
{
    assert(match->of[receiver] == LAGGARD_NO_CLASS && match->used[class] < match->capacity[class]);
    match->of[receiver] = (uint8_t) class;
    match->used[class]++;
    count_moves(match, class, match->mask[receiver], true);
}

static void unset(struct laggard_match *match, uint32_t receiver)
{
    uint32_t class = match->of[receiver];

    count_moves(match, class, match->mask[receiver], false);
    match->used[class]--;
    match->of[receiver] = LAGGARD_NO_CLASS;
}

void laggard_match_allow(struct laggard_match *match, uint32_t receiver, uint32_t mask)
{
    uint32_t more = mask & ~match->mask[receiver];

    match->mask[receiver] |= more;
    if (match->of[receiver] != LAGGARD_NO_CLASS)
        count_moves(match, match->of[receiver], more, true);
}

/* The lowest receiver of class `from` that class `to` may have; there is one. */
static uint32_t find_movable(const struct laggard_match *match, uint32_t from, uint32_t to)
{
    uint32_t receiver = 0;

    while (match->of[receiver] != from || !(match->mask[receiver] & 1u << to)) {
        receiver++;
        assert(receiver < match->n_receivers);
    }
    return receiver;
}

/* The lowest class with room that may have the receiver gets it. */
static bool match_directly(struct laggard_match *match, uint32_t receiver)
{
    for (uint32_t mask = match->mask[receiver]; mask != 0; mask &= mask - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(mask);
        if (match->used[class] < match->capacity[class]) {
            laggard_match_set(match, receiver, class);
            return true;
        }
    }
    return false;
}

bool laggard_match_receiver(struct laggard_match *match, uint32_t receiver)
{
    struct walk walk;

    if (match_directly(match, receiver))
        return true;
    walk.reached = walk.head = walk.tail = 0;
    for (uint32_t mask = match->mask[receiver]; mask != 0; mask &= mask - 1)
        reach(&walk, (uint32_t)__builtin_ctz(mask), NONE);
    while (walk.head < walk.tail) {
        uint32_t class = walk.queue[walk.head++];
        if (match->used[class] == match->capacity[class]) {
            for (uint32_t to = 0; to < match->n_classes; to++)
                if (match->moves[class][to] > 0)
                    reach(&walk, to, class);
            continue;
        }
        for (uint32_t from; (from = walk.parent[class]) != NONE; class = from) {
            uint32_t moved = find_movable(match, from, class);
            unset(match, moved);
            laggard_match_set(match, moved, class);
        }
        laggard_match_set(match, receiver, class);
        return true;
    }
    return false;
}

/* The next unmatched receiver in the order that the class may have, or NONE. */
static uint32_t next_unmatched(const struct laggard_match *match, uint32_t class,
                               struct laggard_match_order *order)
{
    for (; order->cursor[class] < order->n; order->cursor[class]++) {
        uint32_t receiver = order->order[order->cursor[class]];
        if (match->of[receiver] == LAGGARD_NO_CLASS && match->mask[receiver] & 1u << class)
            return receiver;
    }
    return NONE;
}

bool laggard_match_sender(struct laggard_match *match, uint32_t class,
                          struct laggard_match_order *order)
{
    struct walk walk;

    walk.reached = walk.head = walk.tail = 0;
    reach(&walk, class, NONE);
    while (walk.head < walk.tail) {
        class = walk.queue[walk.head++];
        uint32_t receiver = next_unmatched(match, class, order);
        if (receiver == NONE) {
            for (uint32_t from = 0; from < match->n_classes; from++)
                if (match->moves[from][class] > 0)
                    reach(&walk, from, class);
            continue;
        }
        /* The class at the end of the path takes it, and leaves one of its own to the one before. */
        for (uint32_t to; (to = walk.parent[class]) != NONE; class = to) {
            uint32_t given = find_movable(match, class, to);
            unset(match, given);
            laggard_match_set(match, receiver, class);
            receiver = given;
        }
        laggard_match_set(match, receiver, class);
        return true;
    }
    return false;
}
