/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/busy.h"

#define MAX_MARKS (1u << 23)

struct mark {
    uint32_t rank;
    struct lag_interval interval;
};

void lag_busy_init(struct lag_busy *busy)
{
    busy->marks = g_array_new(FALSE, FALSE, sizeof(struct mark));
}

void lag_busy_clear(struct lag_busy *busy)
{
    if (busy != NULL)
        g_clear_pointer(&busy->marks, g_array_unref);
}

void lag_busy_reset(struct lag_busy *busy)
{
    g_array_set_size(busy->marks, 0);
}

void lag_busy_add(struct lag_busy *busy, uint32_t rank, struct lag_interval interval)
{
    struct mark mark = {rank, interval};

    if (busy->marks->len <= MAX_MARKS)
        g_array_append_val(busy->marks, mark);
}

static gint compare_marks(gconstpointer left, gconstpointer right)
{
    const struct mark *a = left, *b = right;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->interval.from > b->interval.from) - (a->interval.from < b->interval.from);
}

bool lag_busy_sum(struct lag_busy *busy, lag_seconds *total)
{
    lag_seconds covered = 0; /* all before it is counted */
    uint32_t rank = UINT32_MAX;

    if (busy->marks->len > MAX_MARKS)
        return false;
    g_array_sort(busy->marks, compare_marks);
    for (guint i = 0; i < busy->marks->len; i++) {
        const struct mark *mark = &g_array_index(busy->marks, struct mark, i);
        if (mark->rank != rank)
            covered = mark->interval.from;
        rank = mark->rank;
        if (mark->interval.to <= covered)
            continue;
        total[rank] += mark->interval.to - MAX(covered, mark->interval.from);
        covered = mark->interval.to;
    }
    return true;
}
