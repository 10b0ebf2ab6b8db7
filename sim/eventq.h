/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The future event set: a 4-ary heap of 128-bit keys, fed from one rung of buckets.
 *
 * Workload: a simulation holds one pending event a rank (10^1 .. 10^6) and does push and pop in
 * turn, so what counts is the cost of one such pair. The key packs (time, order) into one integer:
 * the bits of a non-negative double order like an integer. Four children share a cache line, the
 * least of them is found without branches, and a pop leaves a hole at the root that the next push
 * fills.
 *
 * The heap holds only what is due soon. The rest waits, unsorted, in buckets of equal width; what
 * is due after the last bucket waits on one list, which becomes the next rung when the buckets are
 * empty. There are more buckets than events, so the heap stays small: a pair costs the
 * same at any size. Whatever the times are, it never costs more than a heap of all events and
 * three moves of each. tests/bench/bench-eventq compares it with the alternatives. */
#ifndef LAGGARD_SIM_EVENTQ_H
#define LAGGARD_SIM_EVENTQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/units.h"

__extension__ typedef unsigned __int128 lag_key;

struct lag_eventq {
    /* What is due soon. */
    lag_key *keys;  /* heap: root at index 3, children of i at 4i - 8 .. 4i - 5; line-aligned */
    uint64_t *data; /* beside the keys */
    size_t end;     /* one behind the last element; 3 where empty */
    size_t capacity;
    bool hole; /* the root was popped and not yet replaced */
    /* What is due later: an event is in bucket (time - start) * scale, if that is under
     * n_buckets; those under `next` are in the heap. */
    struct lag_waiting {
        lag_key key;
        uint64_t data;
        uint32_t next; /* in its bucket or on its list; 0 ends it */
    } * waiting;       /* number 0 is unused */
    uint32_t n_waiting, room_waiting, free_waiting;
    uint32_t *buckets; /* first event of each */
    uint32_t n_buckets, room_buckets, next;
    double start, scale;
    uint32_t last_list, n_last_list; /* behind the last bucket */
    lag_seconds last_min, last_max;  /* its times */
};

void lag_eventq_init(struct lag_eventq *queue);
void lag_eventq_clear(struct lag_eventq *queue);

/* Forgets all events, keeps the memory. */
void lag_eventq_reset(struct lag_eventq *queue);

/* Adds an event. Of two with the same time (>= 0, finite), that with the lower order leaves
 * first; no two events may have both equal. */
void lag_eventq_push(struct lag_eventq *queue, lag_seconds time, uint64_t order, uint64_t data);

/* Takes the earliest event out; false where there is none. */
bool lag_eventq_pop(struct lag_eventq *queue, lag_seconds *ret_time, uint64_t *ret_order,
                    uint64_t *ret_data);

#endif
