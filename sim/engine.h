/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clock and dispatch. Events leave by (time, class, rank, insertion number), so nothing depends
 * on addresses or hashes. */
#ifndef LAGGARD_SIM_ENGINE_H
#define LAGGARD_SIM_ENGINE_H

#include <assert.h>

#include "sim/eventq.h"

/* At equal times, in this order. */
enum lag_class {
    LAG_COLLECTIVE_FINISHED,
    LAG_MESSAGE_AT_SERVER,
    LAG_MESSAGE_AT_WORKER,
    LAG_COMPUTE_DONE,
    LAG_ARRIVAL,
    LAG_FAULT,
    LAG_NETWORK_SETTLES, /* after all else that happens at a time */
};

/* Called when an event is due; `rank` and `data` are those it was posted with. */
typedef void (*lag_handler)(void *self, uint32_t rank, uint32_t data);

#define LAG_MAX_HANDLERS (1u << 12)
#define LAG_MAX_RANKS    (1u << 24)

typedef struct lag_engine {
    struct lag_eventq queue;
    lag_seconds now;
    uint64_t n_posted, n_handled;
    bool stopped;
    uint32_t n_handlers, room_handlers;
    struct lag_handler_entry {
        lag_handler call;
        void *self;
    } * handlers;
    struct lag_timer_slot {
        uint32_t generation; /* how many timers have used the slot */
        bool cancelled;
        uint32_t next_free;
    } * slots; /* slot 0 is never used */
    uint32_t n_slots, free_slot;
} lag_engine;

/* A timer that may be cancelled; never 0. */
typedef uint64_t lag_timer;

void lag_engine_init(lag_engine *engine);
void lag_engine_clear(lag_engine *engine);

/* Back to time 0 with no events, timers or handlers. */
void lag_engine_reset(lag_engine *engine);

/* Registers who handles a kind of event; the number goes to post. */
uint32_t lag_engine_handler(lag_engine *engine, lag_handler call, void *self);

/* An event's order: class, rank and insertion number. */
#define LAG_SEQUENCE_BITS 37
#define LAG_RANK_BITS     24

/* An event's data word: handler, timer slot (0: can't be cancelled), the poster's data. */
#define LAG_SLOT_BITS 20
#define LAG_DATA_BITS 32

static inline uint64_t lag_engine_word(uint32_t handler, uint32_t slot, uint32_t data)
{
    return (uint64_t)handler << (LAG_SLOT_BITS + LAG_DATA_BITS) | (uint64_t)slot << LAG_DATA_BITS |
           data;
}

static inline void lag_engine_post_word(lag_engine *engine, lag_seconds time, enum lag_class what,
                                        uint32_t rank, uint64_t word)
{
    uint64_t order = ((uint64_t)what << LAG_RANK_BITS | rank) << LAG_SEQUENCE_BITS;

    assert(time >= engine->now);
    assert(engine->n_posted < (uint64_t)1 << LAG_SEQUENCE_BITS);
    lag_eventq_push(&engine->queue, time, order | engine->n_posted++, word);
}

/* Schedules an event at `time` >= now. A run has at most 2^37 events. */
static inline void lag_engine_post(lag_engine *engine, lag_seconds time, enum lag_class what,
                                   uint32_t rank, uint32_t handler, uint32_t data)
{
    lag_engine_post_word(engine, time, what, rank, lag_engine_word(handler, 0, data));
}

/* The same for an event that may be cancelled. */
lag_timer lag_engine_start_timer(lag_engine *engine, lag_seconds time, enum lag_class what,
                                 uint32_t rank, uint32_t handler, uint32_t data);

/* True where the timer was pending: its handler won't be called. */
bool lag_engine_cancel(lag_engine *engine, lag_timer timer);

/* Handles events until there are none. */
void lag_engine_run(lag_engine *engine);

/* From a handler: lag_engine_run returns after it, whatever is pending. Only a reset may follow. */
static inline void lag_engine_stop(lag_engine *engine)
{
    engine->stopped = true;
}

#endif
