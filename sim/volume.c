/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/volume.h"

/* Bytes at each position, as differences: interval sums are added at their two ends. They wrap
 * below zero and back as unsigned numbers do. */
struct differences {
    uint32_t n;    /* positions that are asked for: the ranks */
    lag_bytes *by; /* [n + 1], and one more for a switch */
};

static void add_interval(struct differences *d, uint32_t begin, uint32_t end, lag_bytes bytes)
{
    if (d->by == NULL)
        return;
    d->by[begin] += bytes;
    d->by[end] -= bytes;
}

/* The `length` positions from `begin` on, going round those of a pattern. */
static void add_cyclic(struct differences *d, const struct laggard_pattern *pattern, uint32_t begin,
                       uint32_t length, lag_bytes bytes)
{
    uint32_t tail = MIN(length, pattern->count - begin);

    add_interval(d, pattern->first + begin, pattern->first + begin + tail, bytes);
    add_interval(d, pattern->first, pattern->first + length - tail, bytes);
}

static void add_transfer(struct differences *sent, struct differences *received,
                         const struct laggard_transfer *t, lag_bytes bytes)
{
    add_interval(sent, t->src, t->src + 1, bytes);
    add_interval(received, t->dst, t->dst + 1, bytes);
}

struct sum {
    struct lag_volume *volume;
    const struct lag_chunks *chunks;
    struct differences sent, received;
};

/* Adds a round by its pattern; false where only its transfers tell. */
static bool add_pattern(struct sum *sum, const struct laggard_plan *plan, uint32_t lane,
                        uint32_t round)
{
    const struct lag_chunks *chunks = sum->chunks;
    struct laggard_pattern p;

    if (plan->ops->pattern == NULL || !plan->ops->pattern(plan, lane, round, &p))
        return false;
    lag_bytes each = p.n_chunks * chunks->elements * chunks->element_bytes;
    if (chunks->longer > 0) {
        if (p.shape != LAGGARD_SHIFT || p.n_chunks != 1 || p.count != plan->n_chunks)
            return false;
        uint32_t begin = (p.count - p.offset) % p.count; /* who sends chunk 0 */
        add_cyclic(&sum->sent, &p, begin, chunks->longer, chunks->element_bytes);
        add_cyclic(&sum->received, &p, (begin + p.hop) % p.count, chunks->longer,
                   chunks->element_bytes);
        sum->volume->bytes += (lag_bytes)chunks->longer * chunks->element_bytes;
    }
    add_interval(&sum->sent, p.first, p.first + p.count, each);
    add_interval(&sum->received, p.first, p.first + p.count, each);
    sum->volume->n_messages += p.count;
    sum->volume->bytes += p.count * each;
    return true;
}

static void add_list(struct sum *sum, const GArray *list)
{
    for (guint i = 0; i < list->len; i++) {
        const struct laggard_transfer *t = &g_array_index(list, struct laggard_transfer, i);
        lag_bytes bytes = lag_chunks_bytes(sum->chunks, t->first_chunk, t->n_chunks);
        add_transfer(&sum->sent, &sum->received, t, bytes);
        sum->volume->bytes += bytes;
    }
    sum->volume->n_messages += list->len;
}

static void finish(struct differences *d, lag_bytes *ret)
{
    lag_bytes running = 0;

    for (uint32_t p = 0; ret != NULL && p < d->n; p++)
        ret[p] = running += d->by[p];
    g_free(d->by);
}

void lag_volume_of(const struct laggard_plan *plan, const struct lag_chunks *chunks,
                   struct lag_volume *volume)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer));
    uint32_t n = lag_plan_n_positions(plan);
    struct sum sum = {
        .volume = volume,
        .chunks = chunks,
        .sent = {plan->n_ranks, volume->sent == NULL ? NULL : g_new0(lag_bytes,     n + 1)},
        .received = {plan->n_ranks, volume->received == NULL ? NULL : g_new0(lag_bytes, n + 1)},
    };

    volume->n_messages = volume->bytes = 0;
    for (uint32_t lane = 0; lane < plan->n_lanes; lane++)
        for (uint32_t round = 0; round < plan->n_rounds; round++) {
            if (add_pattern(&sum, plan, lane, round))
                continue;
            g_array_set_size(list, 0);
            lag_plan_round(plan, (struct lag_names){0, 0}, lane, round, list);
            add_list(&sum, list);
        }
    finish(&sum.sent, volume->sent);
    finish(&sum.received, volume->received);
}
