/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine.h"

#include <assert.h>

#include <glib.h>

/* An event's order: class, rank and insertion number. */
#define SEQUENCE_BITS 37
#define RANK_BITS     24
static_assert(LAG_MAX_RANKS == 1u << RANK_BITS, "a rank must fit its bits");

/* An event's data word: handler, timer slot (0: can't be cancelled), the poster's data. */
#define SLOT_BITS 24
#define DATA_BITS 32

/* Frees a timer's slot for the next one; true where the timer was cancelled. */
static bool retire_slot(lag_engine *engine, uint32_t slot)
{
    struct lag_timer_slot *s = &engine->slots[slot];
    bool cancelled = s->cancelled;

    s->generation++;
    s->cancelled = false;
    s->next_free = engine->free_slot;
    engine->free_slot = slot;
    return cancelled;
}

void lag_engine_init(lag_engine *engine)
{
    *engine = (lag_engine){0};
    lag_eventq_init(&engine->queue);
    engine->n_slots = 1;
}

void lag_engine_clear(lag_engine *engine)
{
    if (engine == NULL)
        return;
    lag_eventq_clear(&engine->queue);
    g_free(engine->slots);
    *engine = (lag_engine){0};
}

void lag_engine_reset(lag_engine *engine)
{
    lag_eventq_reset(&engine->queue);
    engine->now = 0;
    engine->n_posted = engine->n_handled = 0;
    engine->n_handlers = 0;
    /* Slots keep counting, so that a timer from before is none of those after. */
    engine->free_slot = 0;
    for (uint32_t slot = 1; slot < engine->n_slots; slot++)
        retire_slot(engine, slot);
}

uint32_t lag_engine_handler(lag_engine *engine, lag_handler call, void *self)
{
    assert(engine->n_handlers < LAG_MAX_HANDLERS);
    engine->handlers[engine->n_handlers].call = call;
    engine->handlers[engine->n_handlers].self = self;
    return engine->n_handlers++;
}

static void post(lag_engine *engine, lag_seconds time, uint64_t class_and_rank, uint64_t word)
{
    assert(time >= engine->now);
    assert(engine->n_posted < (uint64_t)1 << SEQUENCE_BITS);
    lag_eventq_push(&engine->queue, time, class_and_rank << SEQUENCE_BITS | engine->n_posted++,
                    word);
}

void lag_engine_post(lag_engine *engine, lag_seconds time, enum lag_class what, uint32_t rank,
                     uint32_t handler, uint32_t data)
{
    post(engine, time, (uint64_t)what << RANK_BITS | rank,
         (uint64_t)handler << (SLOT_BITS + DATA_BITS) | data);
}

static uint32_t take_slot(lag_engine *engine)
{
    uint32_t slot = engine->free_slot;

    if (slot != 0) {
        engine->free_slot = engine->slots[slot].next_free;
    } else {
        slot = engine->n_slots++;
        assert(slot < 1u << SLOT_BITS);
        engine->slots = g_renew(struct lag_timer_slot, engine->slots, engine->n_slots);
        engine->slots[slot].generation = 0;
    }
    engine->slots[slot].cancelled = false;
    return slot;
}

lag_timer lag_engine_start_timer(lag_engine *engine, lag_seconds time, enum lag_class what,
                                 uint32_t rank, uint32_t handler, uint32_t data)
{
    uint32_t slot = take_slot(engine);

    post(engine, time, (uint64_t)what << RANK_BITS | rank,
         (uint64_t)handler << (SLOT_BITS + DATA_BITS) | (uint64_t)slot << DATA_BITS | data);
    return (lag_timer)engine->slots[slot].generation << 32 | slot;
}

bool lag_engine_cancel(lag_engine *engine, lag_timer timer)
{
    uint32_t slot = (uint32_t)timer;

    if (slot == 0 || slot >= engine->n_slots || engine->slots[slot].generation != timer >> 32 ||
        engine->slots[slot].cancelled)
        return false;
    engine->slots[slot].cancelled = true;
    return true;
}

void lag_engine_run(lag_engine *engine)
{
    lag_seconds time;
    uint64_t order, word;

    while (lag_eventq_pop(&engine->queue, &time, &order, &word)) {
        uint32_t slot = (uint32_t)(word >> DATA_BITS) & ((1u << SLOT_BITS) - 1);
        if (slot != 0 && retire_slot(engine, slot))
            continue;
        uint32_t handler = (uint32_t)(word >> (SLOT_BITS + DATA_BITS));
        uint32_t rank = (uint32_t)(order >> SEQUENCE_BITS) & (LAG_MAX_RANKS - 1);
        engine->now = time;
        engine->n_handled++;
        engine->handlers[handler].call(engine->handlers[handler].self, rank, (uint32_t)word);
    }
}
