/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/any-state.h"

#include <string.h>

#include "algorithms/powers.h"

#define BLANK INT32_MIN /* tag of a position that has no finished chunk */

static bool has(const struct laggard_any *s, uint32_t g, uint32_t chunk)
{
    return g == s->m || (s->have[(size_t)g * s->n_words + chunk / 64] >> chunk % 64 & 1);
}

uint32_t laggard_any_next_lacking(const struct laggard_any *s, uint32_t g, uint32_t from)
{
    const uint64_t *row = s->have + (size_t)g * s->n_words;

    if (s->lacks == LAGGARD_ANY_NONE || from > s->lacks)
        return LAGGARD_ANY_NONE;
    for (uint32_t word = from / 64; word <= s->lacks / 64; word++) {
        uint64_t absent =
            ~row[word] & (word == from / 64 ? ~UINT64_C(0) << from % 64 : ~UINT64_C(0));
        if (absent != 0) {
            uint32_t chunk = word * 64 + (uint32_t)__builtin_ctzll(absent);
            return chunk <= s->lacks ? chunk : LAGGARD_ANY_NONE;
        }
    }
    return LAGGARD_ANY_NONE;
}

static uint32_t find_first_lacking(struct laggard_any *s, uint32_t g)
{
    while (s->low[g] < s->n_chunks && has(s, g, s->low[g]))
        s->low[g]++;
    return laggard_any_next_lacking(s, g, s->low[g]);
}

/* In how many rounds g meets S next; LAGGARD_ANY_NONE: never again. */
static uint32_t rounds_to_swap(const struct laggard_any *s, uint32_t g)
{
    uint32_t here = s->round % s->m;
    uint32_t wait = g > here ? g - here : g + s->m - here;

    return s->round + wait < s->n_chunks ? wait : LAGGARD_ANY_NONE;
}

/* Bit i: g lacks chunk oldest + i, which somebody spreads, 1 <= i < L. */
static uint32_t lacking_tags(const struct laggard_any *s, uint32_t g)
{
    const uint64_t *row = s->have + (size_t)g * s->n_words;
    int64_t first = (int64_t)s->oldest + 1;
    uint32_t skipped = first < 0 ? (uint32_t)-first : 0;
    uint32_t from = (uint32_t)(first + skipped);

    if (skipped + 1 >= s->log_n || from >= s->n_chunks)
        return 0;
    uint64_t bits = row[from / 64] >> from % 64;
    if (from % 64 != 0 && from / 64 + 1 < s->n_words)
        bits |= row[from / 64 + 1] << (64 - from % 64);
    uint32_t n = MIN(s->log_n - 1 - skipped, s->n_chunks - from);
    return ((uint32_t)~bits & ((1u << n) - 1)) << (skipped + 1);
}

/* The classes whose tag g may get, by the rules above. */
static uint32_t tag_mask(const struct laggard_any *s, uint32_t g)
{
    uint32_t mask, wait = rounds_to_swap(s, g);

    if (s->last || (g == s->next && s->tag[g] > s->oldest))
        return 0;
    mask = lacking_tags(s, g);
    if (s->tag[g] <= s->oldest + 1 && wait < s->log_n)
        mask &= (2u << wait) - 1; /* chunk <= round + wait - L */
    if (s->tag[g] == s->oldest + 1)
        mask &= ~2u;
    else if (s->tag[g] > s->oldest + 1)
        mask &= 2u;
    /* S gives the last chunk. */
    uint32_t last = (uint32_t)((int32_t)s->n_chunks - 1 - s->oldest);
    if (s->s_class != LAGGARD_NO_CLASS && mask >> last & 1)
        mask |= 1u << s->s_class;
    return mask;
}

static uint8_t class_of(const struct laggard_any *s, uint32_t g)
{
    if (g == s->busy || (!s->last && s->tag[g] == BLANK))
        return LAGGARD_NO_CLASS;
    return s->last || s->tag[g] <= s->oldest ? 0 : (uint8_t)(s->tag[g] - s->oldest);
}

void laggard_any_begin_round(struct laggard_any *s, uint32_t round, bool last)
{
    struct laggard_match *match = &s->match;
    bool swaps = round < s->n_chunks;

    s->round = round;
    s->last = last;
    s->busy = swaps ? round % s->m : LAGGARD_ANY_NONE;
    s->next = round + 1 < s->n_chunks ? (round + 1) % s->m : LAGGARD_ANY_NONE;
    s->oldest = (int32_t)round - (int32_t)s->log_n;
    s->lacks = last ? s->n_chunks - 1 : s->oldest < 0 ? LAGGARD_ANY_NONE : (uint32_t)s->oldest;
    s->s_class = swaps ? LAGGARD_NO_CLASS : last ? 0 : (uint8_t)s->log_n;
    memset(match->capacity, 0, sizeof match->capacity);
    memset(match->used, 0, sizeof match->used);
    memset(match->moves, 0, sizeof match->moves);
    for (uint32_t g = 0; g < s->m; g++) {
        s->class[g] = class_of(s, g);
        if (s->class[g] != LAGGARD_NO_CLASS)
            match->capacity[s->class[g]]++;
        match->of[g] = LAGGARD_NO_CLASS;
        s->first_old[g] = find_first_lacking(s, g);
        match->mask[g] = s->tag_mask[g] = g == s->busy ? 0 : tag_mask(s, g);
    }
    s->class[s->m] = s->s_class;
    if (!swaps)
        match->capacity[s->s_class]++;
    for (uint32_t i = 0; i < s->n; i++)
        s->cells[i] = (struct laggard_cell){LAGGARD_NONE, 0, LAGGARD_NONE, 0};
}

uint32_t laggard_any_chunk_between(const struct laggard_any *s, uint32_t src, uint32_t g)
{
    uint32_t chunk = src == g ? LAGGARD_ANY_NONE : s->first_old[g];

    while (chunk != LAGGARD_ANY_NONE && !has(s, src, chunk))
        chunk = laggard_any_next_lacking(s, g, chunk + 1);
    return chunk;
}

void laggard_any_receive(struct laggard_any *s, uint32_t g, uint32_t chunk)
{
    s->have[(size_t)g * s->n_words + chunk / 64] |= UINT64_C(1) << chunk % 64;
    s->tag[g] = MAX(s->tag[g], (int32_t)chunk);
}

bool laggard_any_is_done(struct laggard_any *s)
{
    s->lacks = s->n_chunks - 1;
    for (uint32_t g = 0; g < s->m; g++)
        if (find_first_lacking(s, g) != LAGGARD_ANY_NONE)
            return false;
    return true;
}

void laggard_any_init(struct laggard_any *s, uint32_t n, uint32_t passes)
{
    uint32_t m = n - 1, n_chunks = passes * m, log_n = laggard_ceil_log2(n);

    *s = (struct laggard_any){
        .n = n,
        .m = m,
        .log_n = log_n,
        .n_chunks = n_chunks,
        .passes = passes,
        .n_words = n_chunks / 64 + 1,
        .tag = g_new(int32_t, m),
        .low = g_new0(uint32_t, m),
        .place = g_new(uint32_t, n),
        .first_old = g_new(uint32_t, m),
        .class = g_new(uint8_t, n),
        .tag_mask = g_new(uint32_t, m),
        .order = g_new(uint32_t, m),
        .senders = g_new(uint32_t, n),
        .seen = g_new(bool, n),
        .next_sender = g_new(uint32_t, n),
        .next_receiver = g_new(uint32_t, n),
        .match = {.n_receivers = m, .n_classes = log_n + 1},
    };
    s->have = g_new0(uint64_t, (size_t)m * s->n_words);
    s->match.mask = g_new(uint32_t, m);
    s->match.of = g_new(uint8_t, m);
    for (uint32_t g = 0; g < m; g++)
        s->tag[g] = BLANK;
}

void laggard_any_clear(struct laggard_any *s)
{
    g_free(s->tag);
    g_free(s->have);
    g_free(s->low);
    g_free(s->place);
    g_free(s->first_old);
    g_free(s->class);
    g_free(s->tag_mask);
    g_free(s->order);
    g_free(s->senders);
    g_free(s->seen);
    g_free(s->next_sender);
    g_free(s->next_receiver);
    g_free(s->match.mask);
    g_free(s->match.of);
}
