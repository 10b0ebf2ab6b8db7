/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/eventq.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#define ROOT       3 /* so that the children of every element start at a multiple of 4 */
#define CACHE_LINE 64
#define LAST       (~(lag_key)0) /* orders behind every event; fills the last, unfinished group */

/* With so few events, sorting them is no work. */
#define FEW 16

/* Buckets are so narrow that most hold one event at most, and reach beyond the events that they
 * are made for, so that most later ones find theirs at once. */
#define BUCKETS_PER_EVENT 2
#define SPANS             4

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
    for (size_t i = 0; i < queue->capacity; i++)
        queue->keys[i] = LAST;
    queue->end = ROOT;
    lag_eventq_reset(queue);
}

void lag_eventq_clear(struct lag_eventq *queue)
{
    if (queue == NULL)
        return;
    free(queue->keys);
    g_free(queue->data);
    g_free(queue->waiting);
    g_free(queue->buckets);
    *queue = (struct lag_eventq){0};
}

/* No buckets: what is due until `bound` goes to the heap, the rest to the last list. */
static void no_rung(struct lag_eventq *queue, lag_seconds bound)
{
    queue->n_buckets = queue->next = 0;
    queue->start = nextafter(bound, INFINITY);
    queue->scale = 1;
}

void lag_eventq_reset(struct lag_eventq *queue)
{
    for (size_t i = ROOT; i < queue->end; i++)
        queue->keys[i] = LAST;
    queue->end = ROOT;
    queue->hole = false;
    queue->n_waiting = 1;
    queue->free_waiting = 0;
    queue->last_list = queue->n_last_list = 0;
    no_rung(queue, 0);
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

static lag_seconds time_of(lag_key key)
{
    uint64_t bits = (uint64_t)(key >> 64);
    lag_seconds time;

    memcpy(&time, &bits, sizeof time);
    return time;
}

static lag_key make_key(lag_seconds time, uint64_t order)
{
    uint64_t bits;

    assert(time >= 0 && time < INFINITY);
    time += 0.0; /* -0.0 would order behind everything */
    memcpy(&bits, &time, sizeof bits);
    return (lag_key)bits << 64 | order;
}

static void heap_push(struct lag_eventq *queue, lag_key key, uint64_t data)
{
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

static uint32_t new_waiting(struct lag_eventq *queue)
{
    uint32_t i = queue->free_waiting;

    if (i != 0) {
        queue->free_waiting = queue->waiting[i].next;
        return i;
    }
    if (queue->n_waiting >= queue->room_waiting) {
        queue->room_waiting = MAX(64, 2 * queue->room_waiting);
        queue->waiting = g_renew(struct lag_waiting, queue->waiting, queue->room_waiting);
    }
    return queue->n_waiting++;
}

/* Puts an event in front of a bucket, or of the last list. */
static void wait_in(struct lag_eventq *queue, uint32_t *list, lag_key key, uint64_t data)
{
    uint32_t i = new_waiting(queue);

    queue->waiting[i] = (struct lag_waiting){key, data, *list};
    *list = i;
}

void lag_eventq_push(struct lag_eventq *queue, lag_seconds time, uint64_t order, uint64_t data)
{
    lag_key key = make_key(time, order);
    double bucket = (time - queue->start) * queue->scale;

    if (bucket < queue->next) {
        heap_push(queue, key, data);
    } else if (bucket < queue->n_buckets) {
        wait_in(queue, &queue->buckets[(uint32_t)bucket], key, data);
    } else {
        queue->last_min = queue->n_last_list == 0 ? time : MIN(queue->last_min, time);
        queue->last_max = queue->n_last_list == 0 ? time : MAX(queue->last_max, time);
        queue->n_last_list++;
        wait_in(queue, &queue->last_list, key, data);
    }
}

/* Takes the first event off a list. It stays readable until the next push. */
static const struct lag_waiting *take_waiting(struct lag_eventq *queue, uint32_t *list)
{
    uint32_t i = *list;
    struct lag_waiting *event = &queue->waiting[i];

    *list = event->next;
    event->next = queue->free_waiting;
    queue->free_waiting = i;
    return event;
}

/* Moves a list of waiting events into the heap. */
static void release(struct lag_eventq *queue, uint32_t *list)
{
    while (*list != 0) {
        const struct lag_waiting *event = take_waiting(queue, list);
        heap_push(queue, event->key, event->data);
    }
}

/* Spreads the last list over new buckets, or moves it to the heap where that isn't worth it. */
static void new_rung(struct lag_eventq *queue)
{
    lag_seconds span = queue->last_max - queue->last_min;
    uint32_t n = queue->n_last_list, i = queue->last_list;
    double scale = BUCKETS_PER_EVENT * n / span;

    queue->n_last_list = 0;
    if (n < FEW || !isfinite(scale)) {
        no_rung(queue, queue->last_max);
        release(queue, &queue->last_list);
        return;
    }
    n *= BUCKETS_PER_EVENT * SPANS;
    if (n > queue->room_buckets) {
        queue->room_buckets = n;
        queue->buckets = g_renew(uint32_t, queue->buckets, n);
    }
    memset(queue->buckets, 0, n * sizeof *queue->buckets);
    queue->n_buckets = n;
    queue->next = 0;
    queue->start = queue->last_min;
    queue->scale = scale;
    queue->last_list = 0;
    while (i != 0) {
        struct lag_waiting *event = &queue->waiting[i];
        uint32_t next = event->next;
        uint32_t *bucket =
            &queue->buckets[(uint32_t)((time_of(event->key) - queue->start) * scale)];
        event->next = *bucket;
        *bucket = i;
        i = next;
    }
}

/* Brings what is due next into the empty heap, and returns NULL; but a bucket's only event is
 * spared the way through the heap, and returned. */
static const struct lag_waiting *refill(struct lag_eventq *queue)
{
    while (queue->end == ROOT) {
        while (queue->next < queue->n_buckets && queue->buckets[queue->next] == 0)
            queue->next++;
        if (queue->next < queue->n_buckets) {
            uint32_t *bucket = &queue->buckets[queue->next++];
            if (queue->waiting[*bucket].next == 0)
                return take_waiting(queue, bucket);
            release(queue, bucket);
        } else if (queue->n_last_list > 0) {
            new_rung(queue);
        } else {
            return NULL;
        }
    }
    return NULL;
}

bool lag_eventq_pop(struct lag_eventq *queue, lag_seconds *ret_time, uint64_t *ret_order,
                    uint64_t *ret_data)
{
    const struct lag_waiting *only = NULL;

    if (queue->hole)
        fill_hole(queue);
    if (queue->end == ROOT)
        only = refill(queue);
    if (only == NULL && queue->end == ROOT)
        return false;
    lag_key key = only != NULL ? only->key : queue->keys[ROOT];
    *ret_time = time_of(key);
    *ret_order = (uint64_t)key;
    *ret_data = only != NULL ? only->data : queue->data[ROOT];
    queue->hole = only == NULL;
    return true;
}
