/* SPDX-License-Identifier: GPL-3.0-or-later */
/* StragglAR: while one rank is late, the n - 1 others reduce-scatter among themselves; when it
 * comes, it swaps one partial chunk a round with each of them, and the finished chunks spread
 * among the others at the same time, doubling their holders. Devraj et al., arXiv 2505.23523 and
 * the authors' schedule synthesizer; n = 2^k ranks, n - 1 chunks, n + log2 n - 2 rounds after the
 * arrival.
 *
 * Each position but the late one, S = n - 1, has a tag: the newest finished chunk it carries that
 * is still spreading. Chunk c is born in round c at S and position c, and is everywhere L = log2 n
 * rounds later, so in round r the chunk o = r - L must reach the last of them. Three kinds of
 * round after the arrival:
 *   fill-up (r < L)           new chunks are planted where they will be needed;
 *   steady (L <= r <= n - 2)  everybody carries one spreading chunk; those with o swap with those
 *                             with a newer one; the next positions to meet S come first, since
 *                             they may not carry a chunk newer than their own turn allows;
 *   drain (r > n - 2)         S helps to spread its last chunk.
 * Ties are broken by the lowest position, which gives the authors' schedules round for round. */
#include <assert.h>
#include <string.h>

#include "algorithms/late-cells.h"
#include "algorithms/late.h"
#include "algorithms/powers.h"

struct search {
    uint32_t n, log_n, late;    /* ranks, log2 of them, position of the late one */
    uint32_t *tag, *new_tag;    /* [n - 1] chunk or LAGGARD_NONE, before and after the round */
    uint32_t *members;          /* [n - 1] positions by (class, position); class = tag - oldest */
    uint32_t *class_end;        /* [log_n + 2] one behind each class's last member */
    bool *used;                 /* [n - 1] has its partner for this round */
    struct laggard_cell *cells; /* the round's row of the schedule */
};

static void transfer(struct search *s, uint32_t src, uint32_t dst, uint32_t chunk)
{
    s->cells[src].to = dst;
    s->cells[src].chunk_sent = chunk;
    s->cells[dst].from = src;
    s->cells[dst].chunk_received = chunk;
}

/* A finished chunk that its receiver will spread from then on. */
static void plant(struct search *s, uint32_t src, uint32_t dst, uint32_t chunk)
{
    transfer(s, src, dst, chunk);
    s->new_tag[dst] = chunk;
}

/* p has the oldest chunk and q a newer one: each gives it to the other. */
static void pair(struct search *s, uint32_t p, uint32_t q, uint32_t oldest)
{
    plant(s, q, p, q == s->late ? s->n - 2 : s->tag[q]);
    if (q != s->late)
        transfer(s, p, q, oldest);
}

static void fill_up(struct search *s, uint32_t round)
{
    if (round == 0)
        return;
    plant(s, round - 1, round - 1 + s->log_n, round - 1);
    uint32_t blank = 2 * s->log_n - 1; /* lower ones stay blank until they meet S */
    for (uint32_t donor = 0; donor < s->n - 1; donor++) {
        if (s->tag[donor] == LAGGARD_NONE || donor == round - 1)
            continue;
        while (blank < s->n - 1 && s->tag[blank] != LAGGARD_NONE)
            blank++;
        if (blank >= s->n - 1)
            return;
        plant(s, donor, blank++, s->tag[donor]);
    }
}

/* Sorts the positions by tag and number, without the one that is busy with S. */
static void sort_classes(struct search *s, uint32_t busy, uint32_t oldest)
{
    uint32_t *end = s->class_end;

    memset(end, 0, (s->log_n + 2) * sizeof *end);
    for (uint32_t g = 0; g < s->n - 1; g++)
        if (g != busy)
            end[s->tag[g] - oldest + 1]++;
    for (uint32_t c = 0; c <= s->log_n; c++)
        end[c + 1] += end[c];
    /* end[c] is now where class c starts, and after the next loop where it ends. */
    for (uint32_t g = 0; g < s->n - 1; g++)
        if (g != busy)
            s->members[end[s->tag[g] - oldest]++] = g;
}

/* The first unused member from *cursor on that is not in the window. */
static uint32_t take_outside(struct search *s, uint32_t *cursor, uint32_t first, uint32_t last)
{
    while (s->used[s->members[*cursor]] ||
           (s->members[*cursor] >= first && s->members[*cursor] <= last))
        ++*cursor;
    return s->members[(*cursor)++];
}

/* The positions that meet S next must get the oldest chunk now, or the one after it. */
static void pair_window(struct search *s, uint32_t round, uint32_t oldest)
{
    uint32_t first = round + 1, last = MIN(round + s->log_n - 1, s->n - 2);
    uint32_t with_oldest = 0, with_next = s->class_end[0];

    for (uint32_t i = first; i <= last; i++) {
        bool has_oldest = s->tag[i] == oldest;
        uint32_t j = take_outside(s, has_oldest ? &with_next : &with_oldest, first, last);
        pair(s, has_oldest ? i : j, has_oldest ? j : i, oldest);
        s->used[i] = s->used[j] = true;
    }
}

/* Everybody left over: the i-th with the oldest chunk and the i-th with a newer one. */
static void pair_rest(struct search *s, uint32_t n_members, uint32_t oldest, bool late_helps)
{
    uint32_t p = 0, q = s->class_end[0];

    for (; p < s->class_end[0]; p++) {
        if (s->used[s->members[p]])
            continue;
        while (q < n_members && s->used[s->members[q]])
            q++;
        assert(q < n_members || late_helps);
        pair(s, s->members[p], q < n_members ? s->members[q] : s->late, oldest);
        q++;
    }
}

static void spread(struct search *s, uint32_t round)
{
    bool drains = round > s->n - 2;
    uint32_t oldest = round - s->log_n;
    uint32_t n_members = drains ? s->n - 1 : s->n - 2;

    memset(s->used, 0, (s->n - 1) * sizeof *s->used);
    sort_classes(s, drains ? LAGGARD_NONE : round, oldest);
    if (!drains) {
        assert(s->tag[round] == oldest);
        pair_window(s, round, oldest);
    }
    pair_rest(s, n_members, oldest, drains);
}

static void search_round(struct search *s, uint32_t round)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->cells[i] = (struct laggard_cell){LAGGARD_NONE, 0, LAGGARD_NONE, 0};
    memcpy(s->new_tag, s->tag, (s->n - 1) * sizeof *s->tag);
    if (round <= s->n - 2) {
        transfer(s, s->late, round, round);
        transfer(s, round, s->late, round);
    }
    if (round < s->log_n)
        fill_up(s, round);
    else
        spread(s, round);
    if (round <= s->n - 2)
        s->new_tag[round] = round;
    memcpy(s->tag, s->new_tag, (s->n - 1) * sizeof *s->tag);
}

/* The schedule after the arrival, [round][position]. */
static struct laggard_cell *search_schedule(uint32_t n, uint32_t log_n, uint32_t n_rounds)
{
    struct laggard_cell *schedule = g_new(struct laggard_cell, (size_t)n * n_rounds);
    struct search s = {
        .n = n,
        .log_n = log_n,
        .late = n - 1,
        .tag = g_new(uint32_t, n),
        .new_tag = g_new(uint32_t, n),
        .members = g_new(uint32_t, n),
        .class_end = g_new(uint32_t, log_n + 2),
        .used = g_new(bool, n),
    };

    for (uint32_t g = 0; g < n; g++)
        s.tag[g] = LAGGARD_NONE;
    for (uint32_t round = 0; round < n_rounds; round++) {
        s.cells = schedule + (size_t)round * n;
        search_round(&s, round);
    }
    g_free(s.tag);
    g_free(s.new_tag);
    g_free(s.members);
    g_free(s.class_end);
    g_free(s.used);
    return schedule;
}

static const struct laggard_parameter parameters[] = {
    [LAGGARD_LATE_STRAGGLER] = LAGGARD_STRAGGLER_PARAMETER,
    [LAGGARD_LATE_HIT_RATE] = LAGGARD_HIT_RATE_PARAMETER,
    [LAGGARD_LATE_PADDING] = LAGGARD_PADDING_PARAMETER,
    {.name = NULL},
};

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    uint32_t n = request->n_ranks, log_n = laggard_ceil_log2(n), n_after = n + log_n - 2;

    laggard_late_cells_begin(plan, 1);
    if (!laggard_late_read(request->values, plan, error))
        return false;
    if (n == 1)
        return true;
    if (!laggard_late_cells_fit("stragglar", n, n_after, error))
        return false;
    laggard_late_cells_end(plan, search_schedule(n, log_n, n_after), n_after);
    return true;
}

const struct laggard_algorithm laggard_stragglar = {
    .name = "stragglar",
    .summary = "hides most of the work behind the delay of one late rank",
    .formula = "max(0, R - D) + (n + log2 n - 2) (latency + S / ((n - 1) B)), where R = (n - 2) "
               "(latency + S / ((n - 1) B)) and D is the delay behind the last but one",
    .source = "Devraj et al., arXiv 2505.23523; the schedule of the authors' synthesizer",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .needs = LAGGARD_POWER_OF_TWO,
    .parameters = parameters,
    .describe = describe,
};
