/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recursive halving, then doubling: a group of ranks splits in two, each half of the group
 * reduces one half of the buffer, and so on down to single ranks; then all of it backwards to
 * gather. Rabenseifner 2004; Thakur, Rabenseifner, Gropp, IJHPCA 2005.
 *
 * An odd group loses one rank on the way by a 3-2 elimination (Rabenseifner, Traeff, EuroPVM/MPI
 * 2004): of a, b and c, with halves 0 and 1 of the group's part of the buffer,
 *   first   c gives its half 0 to a, a its half 1 to b;
 *   then    b gives its half 0 to a, c its half 1 to b;
 * so a has the sum of half 0, b that of half 1, c waits for the result. Eliminating only where a
 * group is odd halves the buffer as often as it can before; `elimination: first` does it on the
 * whole buffer, with as many triples as there are ranks over 2^k, which gives the published
 * formula. */
#include "algorithms/powers.h"
#include "sim/laggard.h"

/* A rank's group: members base .. base + size - 1 reduce chunks first .. first + count - 1. */
struct group {
    uint32_t base, size, first, count;
};

/* One rank's part in a level of the reduce phase. */
struct level {
    uint32_t n_rounds; /* 1, or 2 where there is an elimination */
    uint32_t partner;  /* of a pair, or LAGGARD_NONE: not of a pair */
    uint32_t a, b, c;  /* its triple, or a = LAGGARD_NONE */
    bool keeps_upper;
    struct group before, after; /* after.size 0: eliminated */
};

enum {
    ELIMINATION
};
enum {
    WHERE_ODD,
    FIRST
};
static const struct laggard_parameter parameters[] = {
    [ELIMINATION] = {.name = "elimination",
                     .help = "where ranks over 2^k are eliminated: where a group is odd, or first "
                             "of all as in the published formula", .type = LAGGARD_CHOICE,
                     .default_text = "odd",
                     .choices = "odd|first"},
    {.name = NULL},
};

static struct group half_of(struct group group, bool upper, uint32_t base, uint32_t size)
{
    uint32_t count = group.count / 2;

    return (struct group){base, size, group.first + (upper ? count : 0), count};
}

/* Splits a group; of an odd one the last rank is eliminated by the last pair. */
static struct level split(struct group group, uint32_t rank)
{
    uint32_t m = group.size / 2, g = rank - group.base;
    bool odd = group.size % 2 == 1;
    struct level level = {
        .n_rounds = odd ? 2 : 1,
        .partner = LAGGARD_NONE,
        .a = LAGGARD_NONE,
        .keeps_upper = g >= m,
        .before = group,
    };

    if (odd && (g == m - 1 || g >= 2 * m - 1)) {
        level.a = group.base + m - 1;
        level.b = group.base + 2 * m - 1;
        level.c = group.base + 2 * m;
    } else {
        level.partner = group.base + (g < m ? g + m : g - m);
    }
    level.after =
        half_of(group, level.keeps_upper, group.base + (g < m ? 0 : m), g < 2 * m ? m : 0);
    return level;
}

/* `elimination: first`: positions 0 .. core / 2 - 1 keep half 0, the next core / 2 half 1, and
 * surplus rank core + i makes a triple of the i-th pair. */
static struct level eliminate_first(uint32_t core, uint32_t n, struct group group, uint32_t rank)
{
    uint32_t m = core / 2;
    uint32_t pair = rank < core ? rank % m : rank - core;
    struct level level = {
        .n_rounds = 2,
        .partner = LAGGARD_NONE,
        .a = LAGGARD_NONE,
        .keeps_upper = rank >= m,
        .before = group,
    };

    if (pair < n - core) {
        level.a = pair;
        level.b = pair + m;
        level.c = pair + core;
    } else {
        level.partner = rank < m ? rank + m : rank - m;
    }
    level.after = half_of(group, level.keeps_upper, rank < m ? 0 : m, rank < core ? m : 0);
    return level;
}

/* The level that holds a round of the reduce phase; *round becomes the round within it. False
 * where the rank was eliminated before. */
static bool find_level(const struct laggard_plan *plan, uint32_t rank, uint32_t *round,
                       struct level *ret)
{
    uint32_t n = plan->n_ranks, core = laggard_floor_power(n);
    struct group group = {0, n, 0, plan->n_chunks};
    bool first = plan->variant == FIRST && core < n;

    for (;;) {
        *ret = first ? eliminate_first(core, n, group, rank) : split(group, rank);
        if (*round < ret->n_rounds)
            return true;
        *round -= ret->n_rounds;
        first = false;
        group = ret->after;
        if (group.size == 0)
            return false;
    }
}

/* A transfer of the reduce phase, or the one that undoes it in the gather phase. */
static void add(struct laggard_step *ret, uint32_t rank, uint32_t from, uint32_t to,
                struct group chunks, bool gathers)
{
    uint32_t src = gathers ? to : from, dst = gathers ? from : to;
    enum laggard_kind kind = gathers ? LAGGARD_STORE : LAGGARD_REDUCE;

    if (rank == src)
        laggard_send(ret, src, dst, chunks.first, chunks.count, kind);
    else if (rank == dst)
        laggard_receive(ret, src, dst, chunks.first, chunks.count, kind);
}

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    bool gathers = round >= plan->n_rounds / 2;
    uint32_t within = gathers ? plan->n_rounds - 1 - round : round;
    struct level level;

    (void)lane;
    if (!find_level(plan, rank, &within, &level))
        return;
    struct group lower = half_of(level.before, false, 0, 0);
    struct group upper = half_of(level.before, true, 0, 0);
    if (level.partner != LAGGARD_NONE) {
        if (within > 0)
            return;
        add(ret, rank, rank, level.partner, level.keeps_upper ? lower : upper, gathers);
        add(ret, rank, level.partner, rank, level.keeps_upper ? upper : lower, gathers);
    } else if (within == 0) {
        add(ret, rank, level.c, level.a, lower, gathers);
        add(ret, rank, level.a, level.b, upper, gathers);
    } else {
        add(ret, rank, level.b, level.a, lower, gathers);
        add(ret, rank, level.c, level.b, upper, gathers);
    }
}

static bool pattern(const struct laggard_plan *plan, uint32_t lane, uint32_t round,
                    struct laggard_pattern *ret)
{
    uint32_t n = plan->n_ranks, half = plan->n_rounds / 2;
    uint32_t level = round < half ? round : plan->n_rounds - 1 - round;

    (void)lane;
    if ((n & (n - 1)) != 0)
        return false;
    *ret = (struct laggard_pattern){
        .shape = LAGGARD_EXCHANGE,
        .count = n,
        .hop = n >> (level + 1),
        .n_chunks = n >> (level + 1),
    };
    return true;
}

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step, .pattern = pattern};
    uint32_t n = request->n_ranks, core = laggard_floor_power(n);
    bool first = request->values[ELIMINATION] == FIRST;

    if (first && n - core > core / 2) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "halving-doubling with elimination: first needs at most half as many ranks "
                    "over 2^k as 2^k, got %u = %u + %u; leave elimination out",
                    n, core, n - core);
        return false;
    }
    plan->ops = &ops;
    plan->n_chunks = core;
    plan->variant = (int64_t)request->values[ELIMINATION];
    struct level level = {
        .after = {0, n, 0, core}
    };
    bool now_first = first && (core < n);
    for (; level.after.size > 1; now_first = false) {
        level = now_first ? eliminate_first(core, n, level.after, 0) : split(level.after, 0);
        plan->n_rounds += 2 * level.n_rounds;
    }
    return true;
}

const struct laggard_algorithm laggard_halving_doubling = {
    .name = "halving-doubling",
    .summary = "halves of the buffer at halving distances and back; few rounds and least bytes",
    .formula = "2 log2 n latency + 2 (n - 1) / n S / B for n = 2^k; with elimination: first and "
               "other n, 2 ceil(log2 n) latency + 2 (1.5 - 2^-floor(log2 n)) S / B",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005; Rabenseifner, Traeff, EuroPVM/MPI 2004",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .parameters = parameters,
    .describe = describe,
};
