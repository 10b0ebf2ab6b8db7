/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/backtrack.h"

#include <string.h>

#include "sim/path.h"

struct backtrack {
    struct lag_maxplus *system;
    struct lag_backtrack *walks;
    size_t budget; /* for the rounds of a stretch, and for the checkpoints of each level [B] */
};

void lag_checkpoints_clear(struct lag_checkpoints *checkpoints)
{
    if (checkpoints == NULL)
        return;
    g_clear_pointer(&checkpoints->rows, g_free);
    checkpoints->room = 0;
}

/* Vectors of n doubles that fit the budget. */
static uint32_t rows_of(size_t budget, size_t n)
{
    return (uint32_t)CLAMP(budget / (n * sizeof(double)), 2, UINT32_MAX);
}

/* Rounds between two of at most n_rows checkpoints. */
static uint32_t length_of(uint32_t n_rounds, uint32_t n_rows)
{
    return MAX(1, (n_rounds + n_rows - 1) / n_rows);
}

void lag_checkpoints_prepare(struct lag_checkpoints *checkpoints, const struct lag_maxplus *system)
{
    uint32_t n_rounds = system->plan->n_rounds;

    checkpoints->length = length_of(n_rounds, rows_of(checkpoints->budget, system->n));
    size_t room = system->n * MAX(1, (n_rounds + checkpoints->length - 1) / checkpoints->length);
    if (room > checkpoints->room) {
        g_free(checkpoints->rows);
        checkpoints->rows = g_new(double, room);
        checkpoints->room = room;
    }
}

void lag_checkpoints_note(struct lag_checkpoints *checkpoints, const struct lag_maxplus *system,
                          uint32_t round)
{
    if (round % checkpoints->length == 0)
        memcpy(checkpoints->rows + system->n * (round / checkpoints->length), system->now,
               system->n * sizeof(double));
}

/* One of a step's transfers as a candidate for what ended last. */
struct candidate {
    const struct laggard_transfer *transfer;
    bool by_send;
    double end;
    uint32_t starter; /* the position whose entering started it */
};

static void consider(const struct lag_maxplus *system, const double *x, uint32_t run,
                     const struct laggard_transfer *t, bool by_send, struct candidate *best)
{
    lag_bytes bytes = lag_chunks_bytes(&system->chunks, t->first_chunk, t->n_chunks);
    struct lag_edge edge = lag_maxplus_edge(system, t->src, t->dst, run, bytes);
    double x_src = x[(size_t)t->src * system->width + run];
    double x_dst = x[(size_t)t->dst * system->width + run];
    bool dst_starts = !system->network->eager && x_dst > x_src;
    double end = (dst_starts ? x_dst : x_src) + (by_send ? edge.d : edge.c);

    if (end > best->end)
        *best = (struct candidate){t, by_send, end, dst_starts ? t->dst : t->src};
}

/* Takes one walk from the end of a round, whose beginning was at x, to its beginning. */
static void step_back(struct lag_maxplus *system, const double *x, uint32_t round, uint32_t run,
                      struct lag_backtrack *walk)
{
    struct laggard_step *step = &system->step;
    struct candidate best = {.end = x[(size_t)walk->position * system->width + run]};

    lag_plan_step(system->plan, (struct lag_names){0, 0}, 0, walk->position, round, step);
    for (uint32_t i = 0; i < step->n_sends; i++)
        consider(system, x, run, &step->sends[i], true, &best);
    for (uint32_t i = 0; i < step->n_recvs; i++)
        consider(system, x, run, &step->recvs[i], false, &best);
    if (best.transfer == NULL)
        return;
    struct laggard_transfer named = *best.transfer;
    named.src = lag_name(system->names[run], named.src);
    named.dst = lag_name(system->names[run], named.dst);
    struct lag_hop hop = lag_path_hop(system->network, &system->chunks, &named, best.by_send);
    hop.round = round;
    g_array_append_val(walk->path->hops, hop);
    walk->position = best.starter;
}

/* Restricts the system to the positions from which the walks can have come in these rounds, if
 * that can be told and is fewer than all. */
static void set_window(const struct backtrack *b, uint32_t begin, uint32_t end)
{
    struct lag_maxplus *system = b->system;
    uint32_t n = system->plan->n_ranks, low = n - 1, high = 0;
    uint64_t reach = 0;

    system->window_first = system->window_count = 0;
    for (uint32_t run = 0; run < system->width; run++) {
        low = MIN(low, b->walks[run].position);
        high = MAX(high, b->walks[run].position);
    }
    for (uint32_t round = begin; round < end; round++) {
        uint32_t hop;
        if (!lag_maxplus_is_shift(system, round, &hop))
            return;
        reach += hop;
    }
    /* With each round the window is wrong in one hop more, and a path that goes back to it can
     * be one hop less away from where it ends. */
    uint64_t count = high - low + 1 + 2 * reach;
    if (count >= n)
        return;
    system->window_first = (uint32_t)((low + n - reach % n) % n);
    system->window_count = (uint32_t)count;
}

/* Positions in a row of the window, and the row's place for a position. */
static uint32_t row_length(const struct lag_maxplus *system)
{
    return system->window_count > 0 ? system->window_count : system->plan->n_ranks;
}

/* Copies the window out of a vector, or back into it. */
static void copy_row(const struct lag_maxplus *system, double *vector, double *row, bool back)
{
    size_t width = system->width, first = system->window_first * width;
    size_t n = row_length(system) * width, tail = MIN(n, system->n - first);

    if (back) {
        memcpy(vector + first, row, tail * sizeof *row);
        memcpy(vector, row + tail, (n - tail) * sizeof *row);
    } else {
        memcpy(row, vector + first, tail * sizeof *row);
        memcpy(row + tail, vector, (n - tail) * sizeof *row);
    }
}

/* Runs rounds begin .. end - 1 once more, keeping them all, and walks back through them. */
static void walk_stretch(const struct backtrack *b, uint32_t begin, uint32_t end)
{
    struct lag_maxplus *system = b->system;
    size_t n = (size_t)row_length(system) * system->width;
    g_autofree double *rows = g_new(double, n *(end - begin));

    for (uint32_t round = begin; round < end; round++) {
        copy_row(system, system->now, rows + n * (round - begin), false);
        if (round + 1 < end)
            lag_maxplus_advance(system, round);
    }
    for (uint32_t round = end; round-- > begin;) {
        copy_row(system, system->now, rows + n * (round - begin), true);
        for (uint32_t run = 0; run < system->width; run++)
            step_back(system, system->now, round, run, &b->walks[run]);
    }
}

/* Walks back from the end of round end - 1 to round `begin`, at which the system stands. */
static void walk(const struct backtrack *b, uint32_t begin, uint32_t end)
{
    struct lag_maxplus *system = b->system;
    uint32_t first = system->window_first, count = system->window_count;

    size_t n = (size_t)row_length(system) * system->width;
    uint32_t length = length_of(end - begin, rows_of(b->budget, n));
    if (length == 1) {
        walk_stretch(b, begin, end);
        return;
    }
    uint32_t n_pieces = (end - begin + length - 1) / length;
    g_autofree double *checkpoints = g_new(double, n *n_pieces);
    for (uint32_t piece = 0; piece < n_pieces; piece++) {
        copy_row(system, system->now, checkpoints + n * piece, false);
        for (uint32_t i = 0; piece + 1 < n_pieces && i < length; i++)
            lag_maxplus_advance(system, begin + piece * length + i);
    }
    for (uint32_t piece = n_pieces; piece-- > 0;) {
        uint32_t from = begin + piece * length, to = MIN(from + length, end);
        system->window_first = first;
        system->window_count = count;
        copy_row(system, system->now, checkpoints + n * piece, true);
        if (count == 0)
            set_window(b, from, to);
        walk(b, from, to);
    }
}

void lag_backtrack(struct lag_maxplus *system, const struct lag_checkpoints *checkpoints,
                   struct lag_backtrack *walks)
{
    const struct backtrack b = {system, walks, checkpoints->budget};
    uint32_t n_rounds = system->plan->n_rounds, length = checkpoints->length;

    system->busy = NULL; /* counted in the run itself */
    for (uint32_t piece = (n_rounds + length - 1) / length; piece-- > 0;) {
        uint32_t begin = piece * length, end = MIN(begin + length, n_rounds);
        memcpy(system->now, checkpoints->rows + system->n * piece, system->n * sizeof(double));
        set_window(&b, begin, end);
        walk(&b, begin, end);
    }
    system->window_first = system->window_count = 0;
}
