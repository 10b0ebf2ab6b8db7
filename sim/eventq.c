/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/eventq.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#define ROOT       3 /* so that the children of every element start at a multiple of 4 */
#define CACHE_LINE 64
#define LAST       (~(lag_key)0) /* orders behind every event; fills the last, unfinished group */

static lag_key *new_keys(size_t capacity)
{
    lag_key *keys = aligned_alloc(CACHE_LINE, capacity * sizeof *keys);

    if (keys == NULL)
        g_error("out of memory: %zu pending events", capacity);
    return keys;
}

static size_t first_child(size_t i)
{
    return 4 * i - 8;
}

static size_t parent(size_t i)
{
    return i / 4 + 2;
}

void lag_eventq_init(struct lag_eventq *queue)
{
    *queue = (struct lag_eventq){.capacity = 64};
    queue->keys = new_keys(queue->capacity);
    queue->data = g_new(uint64_t, queue->capacity);
    lag_eventq_reset(queue);
}

void lag_eventq_clear(struct lag_eventq *queue)
{
    if (queue == NULL)
        return;
    free(queue->keys);
    g_free(queue->data);
    *queue = (struct lag_eventq){0};
}

void lag_eventq_reset(struct lag_eventq *queue)
{
    queue->end = ROOT;
    queue->hole = false;
    for (size_t i = 0; i < queue->capacity; i++)
        queue->keys[i] = LAST;
}

static void grow(struct lag_eventq *queue)
{
    size_t capacity = 2 * queue->capacity;
    lag_key *keys = new_keys(capacity);

    memcpy(keys, queue->keys, queue->capacity * sizeof *keys);
    for (size_t i = queue->capacity; i < capacity; i++)
        keys[i] = LAST;
    free(queue->keys);
    queue->keys = keys;
    queue->data = g_renew(uint64_t, queue->data, capacity);
    queue->capacity = capacity;
}

static void place(struct lag_eventq *queue, size_t i, lag_key key, uint64_t data)
{
    queue->keys[i] = key;
    queue->data[i] = data;
}

/* Moves the gap at i up to where key belongs, and puts it there. */
static void sift_up(struct lag_eventq *queue, size_t i, lag_key key, uint64_t data)
{
    while (i > ROOT && key < queue->keys[parent(i)]) {
        place(queue, i, queue->keys[parent(i)], queue->data[parent(i)]);
        i = parent(i);
    }
    place(queue, i, key, data);
}

/* The least of the four elements from `group` on, without branches. */
static size_t least_of_four(const lag_key *keys, size_t group)
{
    size_t a = group + (keys[group + 1] < keys[group]);
    size_t b = group + 2 + (keys[group + 3] < keys[group + 2]);

    return keys[b] < keys[a] ? b : a;
}

/* Fills the gap at the root with key. */
static void sift_down(struct lag_eventq *queue, lag_key key, uint64_t data)
{
    size_t i = ROOT;

    while (first_child(i) < queue->end) {
        size_t child = least_of_four(queue->keys, first_child(i));
        if (key <= queue->keys[child])
            break;
        place(queue, i, queue->keys[child], queue->data[child]);
        i = child;
    }
    place(queue, i, key, data);
}

/* Gives the popped root's place to the last element. */
static void fill_hole(struct lag_eventq *queue)
{
    queue->hole = false;
    queue->end--;
    lag_key key = queue->keys[queue->end];
    uint64_t data = queue->data[queue->end];
    queue->keys[queue->end] = LAST;
    if (queue->end > ROOT)
        sift_down(queue, key, data);
}

static lag_key make_key(lag_seconds time, uint64_t order)
{
    uint64_t bits;

    assert(time >= 0);
    time += 0.0; /* -0.0 would order behind everything */
    memcpy(&bits, &time, sizeof bits);
    return (lag_key)bits << 64 | order;
}

void lag_eventq_push(struct lag_eventq *queue, lag_seconds time, uint64_t order, uint64_t data)
{
    lag_key key = make_key(time, order);

    if (queue->hole) {
        queue->hole = false;
        sift_down(queue, key, data);
        return;
    }
    /* A whole group of four must fit behind the last element. */
    if (queue->end + 4 >= queue->capacity)
        grow(queue);
    sift_up(queue, queue->end++, key, data);
}

bool lag_eventq_pop(struct lag_eventq *queue, lag_seconds *ret_time, uint64_t *ret_order,
                    uint64_t *ret_data)
{
    if (queue->hole)
        fill_hole(queue);
    if (queue->end == ROOT)
        return false;
    uint64_t bits = (uint64_t)(queue->keys[ROOT] >> 64);
    memcpy(ret_time, &bits, sizeof bits);
    *ret_order = (uint64_t)queue->keys[ROOT];
    *ret_data = queue->data[ROOT];
    queue->hole = true;
    return true;
}
