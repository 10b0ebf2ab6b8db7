/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This project's generalisation of StragglAR, with a proof by checking only (tests/test-verify.c).
 *
 * n ranks, S = n - 1 the late one, m = n - 1 others, C = K m chunks, L = ceil(log2 n). In round
 * r < C the position r mod m swaps partial chunk r with S; then chunk r must be everywhere L
 * rounds later, so that round r is the last one for chunk o = r - L. As in StragglAR a position's
 * tag is the newest finished chunk that it has, and chunks newer than o spread: a carrier sends
 * its tag. But sends are directed, not swaps, and so n need not be 2^L. With sigma = 2^L - n, a
 * round must make up for sigma places that a full tree would have:
 *   - those whose tag is o or older ("idle carriers") serve a chunk <= o to whoever lacks one;
 *   - a carrier of o + 1 may get a newer chunk, a carrier of a newer one only o + 1, so that each
 *     class of carriers doubles no faster than it may;
 *   - a position that meets S in round q only accepts chunks <= q - L while its tag is <= o + 1,
 *     or it would not be free to meet S then.
 * All senders with one tag are alike, so the partners are found by matching receivers to classes
 * of senders (class-match.h): class 0 are the idle carriers, class i has tag o + i, the last one
 * is S once it has nothing left to swap. At the end, or where too few were reached, whatever is
 * missing is sent by anybody who has it. */
#include "algorithms/any-search.h"

#include <string.h>

#include "algorithms/any-state.h"
#include "algorithms/powers.h"

static bool is_idle_carrier(const struct laggard_any *s, uint32_t g)
{
    return s->tag[g] <= s->oldest;
}

/* Where nobody is idle, who meets S next would miss its old chunk: a carrier of the class behind
 * serves it instead of spreading. */
static void hold_for_next(struct laggard_any *s)
{
    struct laggard_match *match = &s->match;

    if (s->last || s->next == LAGGARD_ANY_NONE || is_idle_carrier(s, s->next) ||
        match->capacity[1] == 0 || match->capacity[0] > 0 ||
        s->first_old[s->next] == LAGGARD_ANY_NONE)
        return;
    match->mask[s->next] = 1u << 1;
    laggard_match_set(match, s->next, 1);
}

/* The idle carriers, those who meet S soonest first; a tag for each. Returns how many they are;
 * the order is left in s->order. */
static uint32_t match_idle(struct laggard_any *s)
{
    uint32_t n = 0, here = s->round % s->m;

    for (uint32_t k = 0; k < s->m; k++) {
        uint32_t g = (here + 1 + k) % s->m;
        if (g == s->busy || !is_idle_carrier(s, g))
            continue;
        s->order[n++] = g;
        laggard_match_receiver(&s->match, g);
    }
    return n;
}

/* Then every carrier spreads its tag, the newest first, if need be to those who have a newer one:
 * those last who meet S soonest. */
static void match_carriers(struct laggard_any *s, uint32_t n)
{
    struct laggard_match_order order = {.order = s->order};
    uint32_t here = s->round % s->m;

    for (uint32_t k = s->m; k-- > 0;) {
        uint32_t g = (here + 1 + k) % s->m;
        if (g != s->busy && !is_idle_carrier(s, g))
            s->order[n++] = g;
    }
    order.n = n;
    for (uint32_t class = s->match.n_classes; class -- > 1;)
        while (s->match.used[class] < s->match.capacity[class] &&
               laggard_match_sender(&s->match, class, &order))
            continue;
}

/* An old chunk from whoever has nothing better to do. */
static void match_old(struct laggard_any *s, uint32_t g)
{
    struct laggard_match *match = &s->match;

    if (g == s->busy || match->of[g] != LAGGARD_NO_CLASS || s->first_old[g] == LAGGARD_ANY_NONE)
        return;
    for (uint32_t class = 0; class < match->n_classes; class ++)
        if (match->used[class] < match->capacity[class]) {
            match->mask[g] |= 1u << class;
            laggard_match_set(match, g, class);
            return;
        }
}

/* Last, whoever still gets nothing: the others move together to make room. Old chunks may then
 * also come from the class behind the idle carriers, and from S. */
static void match_rest(struct laggard_any *s)
{
    struct laggard_match *match = &s->match;
    uint32_t serving = 1u | (s->last ? 0 : 2u);

    if (s->s_class != LAGGARD_NO_CLASS)
        serving |= 1u << s->s_class;
    for (uint32_t g = 0; g < s->m; g++)
        if (g != s->busy && s->first_old[g] != LAGGARD_ANY_NONE)
            laggard_match_allow(match, g, serving);
    for (uint32_t g = 0; g < s->m; g++)
        if (g != s->busy && match->of[g] == LAGGARD_NO_CLASS && match->mask[g] != 0)
            laggard_match_receiver(match, g);
}

static void transfer(struct laggard_any *s, uint32_t src, uint32_t dst, uint32_t chunk)
{
    s->cells[src].to = dst;
    s->cells[src].chunk_sent = chunk;
    s->cells[dst].from = src;
    s->cells[dst].chunk_received = chunk;
}

/* Finds one of the class's senders for an old chunk that g lacks, moving other such receivers where
 * it must (Kuhn): s->place[i] is the receiver of the i-th. */
static bool place_by_moving(struct laggard_any *s, uint32_t g, uint32_t n_senders)
{
    for (uint32_t i = 0; i < n_senders; i++) {
        if (s->seen[i] || laggard_any_chunk_between(s, s->senders[i], g) == LAGGARD_ANY_NONE)
            continue;
        s->seen[i] = true;
        if (s->place[i] == LAGGARD_ANY_NONE || place_by_moving(s, s->place[i], n_senders)) {
            s->place[i] = g;
            return true;
        }
    }
    return false;
}

/* The same, the first that is free if there is one; none before *first is. */
static void place_old(struct laggard_any *s, uint32_t g, uint32_t n_senders, uint32_t *first)
{
    while (*first < n_senders && s->place[*first] != LAGGARD_ANY_NONE)
        ++*first;
    for (uint32_t i = *first; i < n_senders; i++)
        if (s->place[i] == LAGGARD_ANY_NONE &&
            laggard_any_chunk_between(s, s->senders[i], g) != LAGGARD_ANY_NONE) {
            s->place[i] = g;
            return;
        }
    memset(s->seen, 0, n_senders * sizeof *s->seen);
    place_by_moving(s, g, n_senders);
}

/* Who of a class's receivers gets what from which of its senders. */
static void send_class(struct laggard_any *s, uint32_t class)
{
    uint32_t n_senders = 0, first = 0, sender = 0;

    for (uint32_t g = s->first_sender[class]; g != LAGGARD_ANY_NONE; g = s->next_sender[g]) {
        s->place[n_senders] = LAGGARD_ANY_NONE;
        s->senders[n_senders++] = g;
    }
    for (uint32_t g = s->first_receiver[class]; g != LAGGARD_ANY_NONE; g = s->next_receiver[g])
        if (!(s->tag_mask[g] >> class & 1))
            place_old(s, g, n_senders, &first);
    for (uint32_t i = 0; i < n_senders; i++)
        if (s->place[i] != LAGGARD_ANY_NONE)
            transfer(s, s->senders[i], s->place[i],
                     laggard_any_chunk_between(s, s->senders[i], s->place[i]));
    for (uint32_t g = s->first_receiver[class]; g != LAGGARD_ANY_NONE; g = s->next_receiver[g]) {
        if (!(s->tag_mask[g] >> class & 1))
            continue;
        while (s->place[sender] != LAGGARD_ANY_NONE)
            sender++;
        uint32_t src = s->senders[sender++];
        transfer(s, src, g, src == s->m ? s->n_chunks - 1 : (uint32_t)s->tag[src]);
    }
}

/* Lists of each class's senders and receivers, in ascending order. */
static void list_classes(struct laggard_any *s)
{
    for (uint32_t class = 0; class < s->match.n_classes; class ++)
        s->first_sender[class] = s->first_receiver[class] = LAGGARD_ANY_NONE;
    for (uint32_t g = s->n; g-- > 0;) {
        if (s->class[g] != LAGGARD_NO_CLASS) {
            s->next_sender[g] = s->first_sender[s->class[g]];
            s->first_sender[s->class[g]] = g;
        }
        if (g < s->m && s->match.of[g] != LAGGARD_NO_CLASS) {
            s->next_receiver[g] = s->first_receiver[s->match.of[g]];
            s->first_receiver[s->match.of[g]] = g;
        }
    }
}

static void end_round(struct laggard_any *s)
{
    list_classes(s);
    for (uint32_t class = 0; class < s->match.n_classes; class ++)
        if (s->match.used[class] > 0)
            send_class(s, class);
    if (s->busy != LAGGARD_ANY_NONE) {
        transfer(s, s->m, s->busy, s->round);
        transfer(s, s->busy, s->m, s->round);
    }
    for (uint32_t g = 0; g < s->m; g++)
        if (s->cells[g].from != LAGGARD_NONE)
            laggard_any_receive(s, g, s->cells[g].chunk_received);
}

static void search_round(struct laggard_any *s, uint32_t round, bool last)
{
    laggard_any_begin_round(s, round, last);
    hold_for_next(s);
    match_carriers(s, match_idle(s));
    if (s->next != LAGGARD_ANY_NONE)
        match_old(s, s->next);
    for (uint32_t g = 0; g < s->m; g++)
        if (s->first_old[g] != LAGGARD_ANY_NONE &&
            laggard_any_next_lacking(s, g, s->first_old[g] + 1) != LAGGARD_ANY_NONE)
            match_old(s, g);
    for (uint32_t g = 0; g < s->m; g++)
        match_old(s, g);
    if (round + 1 >= s->log_n)
        match_rest(s);
    end_round(s);
}

/* From the order of the swaps to the plan's numbers: late-cells.h. */
static void number_chunks(const struct laggard_any *s, struct laggard_cell *cells, size_t n_cells)
{
    for (size_t i = 0; i < n_cells; i++) {
        cells[i].chunk_sent = cells[i].chunk_sent % s->m * s->passes + cells[i].chunk_sent / s->m;
        cells[i].chunk_received =
            cells[i].chunk_received % s->m * s->passes + cells[i].chunk_received / s->m;
    }
}

uint64_t laggard_any_fewest(uint32_t n, uint32_t passes)
{
    return (uint64_t)passes * (n - 1) + laggard_ceil_log2(n) - 1;
}

struct laggard_cell *laggard_any_search(uint32_t n, uint32_t passes, uint32_t *ret_rounds)
{
    uint32_t fewest = (uint32_t)laggard_any_fewest(n, passes), round = 0;
    struct laggard_cell *cells = g_new(struct laggard_cell, (size_t)n * fewest);
    struct laggard_any s;

    laggard_any_init(&s, n, passes);
    /* Each round behind the fewest brings at least one chunk, as S has them all: it ends. */
    for (; round < fewest || !laggard_any_is_done(&s); round++) {
        if (round >= fewest)
            cells = g_renew(struct laggard_cell, cells, (size_t)n * (round + 1));
        s.cells = cells + (size_t)round * n;
        search_round(&s, round, round + 1 >= fewest);
    }
    number_chunks(&s, cells, (size_t)n * round);
    laggard_any_clear(&s);
    *ret_rounds = round;
    return cells;
}
