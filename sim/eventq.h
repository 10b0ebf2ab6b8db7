/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The future event set: a 4-ary heap of 128-bit keys.
 *
 * Workload: a simulation holds one pending event a rank (10^1 .. 10^6) and does push and pop in
 * turn, so what counts is the cost of one such pair. The key packs (time, order) into one integer:
 * the bits of a non-negative double order like an integer. Four children share a cache line, the
 * least of them is found without branches, and a pop leaves a hole at the root that the next push
 * fills, since almost every event schedules one successor. tests/bench/bench-eventq compares it
 * with the obvious alternatives. */
#ifndef LAGGARD_SIM_EVENTQ_H
#define LAGGARD_SIM_EVENTQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/units.h"

__extension__ typedef unsigned __int128 lag_key;

struct lag_eventq {
    lag_key *keys;  /* heap: root at index 3, children of i at 4i - 8 .. 4i - 5; line-aligned */
    uint64_t *data; /* beside the keys */
    size_t end;     /* one behind the last element; 3 where empty */
    size_t capacity;
    bool hole; /* the root was popped and not yet replaced */
};

void lag_eventq_init(struct lag_eventq *queue);
void lag_eventq_clear(struct lag_eventq *queue);

/* Forgets all events, keeps the memory. */
void lag_eventq_reset(struct lag_eventq *queue);

/* Adds an event. Of two with the same time (>= 0, not NaN), that with the lower order leaves
 * first; no two events may have both equal. */
void lag_eventq_push(struct lag_eventq *queue, lag_seconds time, uint64_t order, uint64_t data);

/* Takes the earliest event out; false where there is none. */
bool lag_eventq_pop(struct lag_eventq *queue, lag_seconds *ret_time, uint64_t *ret_order,
                    uint64_t *ret_data);

#endif
