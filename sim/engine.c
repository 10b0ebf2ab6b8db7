/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine.h"

#include <assert.h>

#include <glib.h>

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
    g_free(engine->handlers);
    *engine = (lag_engine){0};
}

void lag_engine_reset(lag_engine *engine)
{
    lag_eventq_reset(&engine->queue);
    engine->now = 0;
    engine->n_posted = engine->n_handled = 0;
    engine->n_handlers = 0;
    engine->stopped = false;
    /* Slots keep counting, so that a timer from before is none of those after. */
    engine->free_slot = 0;
    for (uint32_t slot = 1; slot < engine->n_slots; slot++)
        retire_slot(engine, slot);
}

uint32_t lag_engine_handler(lag_engine *engine, lag_handler call, void *self)
{
    assert(engine->n_handlers < LAG_MAX_HANDLERS);
    if (engine->n_handlers == engine->room_handlers) {
        engine->room_handlers = MAX(8, 2 * engine->room_handlers);
        engine->handlers =
            g_renew(struct lag_handler_entry, engine->handlers, engine->room_handlers);
    }
    engine->handlers[engine->n_handlers].call = call;
    engine->handlers[engine->n_handlers].self = self;
    return engine->n_handlers++;
}

static uint32_t take_slot(lag_engine *engine)
{
    uint32_t slot = engine->free_slot;

    if (slot != 0) {
        engine->free_slot = engine->slots[slot].next_free;
    } else {
        slot = engine->n_slots++;
        assert(slot < 1u << LAG_SLOT_BITS);
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

    lag_engine_post_word(engine, time, what, rank, lag_engine_word(handler, slot, data));
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

    while (!engine->stopped && lag_eventq_pop(&engine->queue, &time, &order, &word)) {
        uint32_t slot = (uint32_t)(word >> LAG_DATA_BITS) & ((1u << LAG_SLOT_BITS) - 1);
        if (slot != 0 && retire_slot(engine, slot))
            continue;
        uint32_t handler = (uint32_t)(word >> (LAG_SLOT_BITS + LAG_DATA_BITS));
        uint32_t rank = (uint32_t)(order >> LAG_SEQUENCE_BITS) & (LAG_MAX_RANKS - 1);
        engine->now = time;
        engine->n_handled++;
        engine->handlers[handler].call(engine->handlers[handler].self, rank, (uint32_t)word);
    }
}
