/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/inbox.h"

#include "sim/laggard.h"

struct slot {
    struct lag_letter letter;
    uint32_t next; /* in its queue, or of the free ones */
};

static struct slot *slot_at(const lag_inbox *inbox, uint32_t index)
{
    return &g_array_index(inbox->slots, struct slot, index);
}

void lag_inbox_init(lag_inbox *inbox)
{
    *inbox = (lag_inbox){.slots = g_array_new(FALSE, FALSE, sizeof(struct slot))};
}

void lag_inbox_clear(lag_inbox *inbox)
{
    if (inbox == NULL || inbox->slots == NULL)
        return;
    g_array_unref(inbox->slots);
    g_free(inbox->ports);
    *inbox = (lag_inbox){0};
}

static uint32_t take_slot(lag_inbox *inbox)
{
    uint32_t index = inbox->free_slot;

    if (index == LAGGARD_NONE) {
        g_array_set_size(inbox->slots, inbox->slots->len + 1);
        return inbox->slots->len - 1;
    }
    inbox->free_slot = slot_at(inbox, index)->next;
    return index;
}

static void free_slot(lag_inbox *inbox, uint32_t index)
{
    slot_at(inbox, index)->next = inbox->free_slot;
    inbox->free_slot = index;
}

/* The letter begins to come in. */
static void start(lag_inbox *inbox, uint32_t index)
{
    struct lag_letter *letter = &slot_at(inbox, index)->letter;
    struct lag_inbox_setup *setup = &inbox->setup;

    letter->start = setup->engine->now;
    inbox->ports[letter->receiver].busy = true;
    inbox->ports[letter->receiver].server = letter->sender;
    if (setup->traffic == NULL) {
        lag_engine_post(setup->engine, letter->start + letter->takes, LAG_MESSAGE_AT_WORKER,
                        letter->sender, inbox->on_there, index);
        return;
    }
    struct lag_parcel parcel = {
        .src = setup->host[letter->sender],
        .dst = setup->host[letter->receiver],
        .bytes = letter->bytes,
    };
    lag_traffic_send(setup->traffic, inbox->user, index, &parcel);
}

/* The port is free for who waits first. */
static void start_next(lag_inbox *inbox, uint32_t receiver)
{
    struct lag_inbox_port *port = &inbox->ports[receiver];
    uint32_t index = port->first;

    port->busy = false;
    if (index == LAGGARD_NONE)
        return;
    port->first = slot_at(inbox, index)->next;
    if (port->first == LAGGARD_NONE)
        port->last = LAGGARD_NONE;
    slot_at(inbox, index)->letter.behind = port->server;
    start(inbox, index);
}

static void handle_there(void *self, uint32_t sender, uint32_t index)
{
    lag_inbox *inbox = self;
    struct lag_letter letter = slot_at(inbox, index)->letter; /* the call may offer others */

    (void)sender;
    letter.there = inbox->setup.engine->now;
    free_slot(inbox, index);
    inbox->setup.there(inbox->setup.self, &letter);
    if (inbox->setup.traffic == NULL && !inbox->setup.all_at_once)
        start_next(inbox, letter.receiver);
}

static void handle_left(void *self, uint32_t receiver, uint32_t data)
{
    (void)data;
    start_next(self, receiver);
}

/* A letter's data leave its sender at `to`; of equal times after what is there then. */
static void note_left(void *self, uint32_t index, const struct lag_passage *passage)
{
    lag_inbox *inbox = self;
    const struct lag_letter *letter = &slot_at(inbox, index)->letter;

    if (!inbox->setup.all_at_once)
        lag_engine_post(inbox->setup.engine, passage->to, LAG_COMPUTE_DONE, letter->receiver,
                        inbox->on_left, 0);
}

static void note_there(void *self, uint32_t index, const struct lag_passage *passage)
{
    lag_inbox *inbox = self;

    lag_engine_post(inbox->setup.engine, passage->to, LAG_MESSAGE_AT_WORKER,
                    slot_at(inbox, index)->letter.sender, inbox->on_there, index);
}

void lag_inbox_begin(lag_inbox *inbox, const struct lag_inbox_setup *setup)
{
    inbox->setup = *setup;
    if (setup->n_parties > inbox->room_ports) {
        inbox->ports = g_renew(struct lag_inbox_port, inbox->ports, setup->n_parties);
        inbox->room_ports = setup->n_parties;
    }
    for (uint32_t i = 0; i < setup->n_parties; i++)
        inbox->ports[i] = (struct lag_inbox_port){LAGGARD_NONE, LAGGARD_NONE, false, LAGGARD_NONE};
    g_array_set_size(inbox->slots, 0);
    inbox->free_slot = LAGGARD_NONE;
    inbox->on_there = lag_engine_handler(setup->engine, handle_there, inbox);
    inbox->on_left = lag_engine_handler(setup->engine, handle_left, inbox);
    if (setup->traffic != NULL) {
        struct lag_traffic_user user = {.self = inbox, .left = note_left, .there = note_there};
        inbox->user = lag_traffic_add_user(setup->traffic, &user);
    }
}

/* At equal readiness the lower number is first. */
static bool goes_before(const struct lag_letter *a, const struct lag_letter *b)
{
    return a->ready == b->ready && a->sender < b->sender;
}

/* Who waits right before a letter that is about to wait; LAGGARD_NONE: it will be the first. */
static uint32_t find_place(const lag_inbox *inbox, const struct lag_inbox_port *port,
                           const struct lag_letter *letter)
{
    uint32_t before = LAGGARD_NONE;

    if (port->last == LAGGARD_NONE || !goes_before(letter, &slot_at(inbox, port->last)->letter))
        return port->last;
    for (uint32_t i = port->first; !goes_before(letter, &slot_at(inbox, i)->letter);
         i = slot_at(inbox, i)->next)
        before = i;
    return before;
}

static void enqueue(lag_inbox *inbox, uint32_t index)
{
    struct slot *slot = slot_at(inbox, index);
    struct lag_inbox_port *port = &inbox->ports[slot->letter.receiver];
    uint32_t before = find_place(inbox, port, &slot->letter);
    uint32_t *link = before == LAGGARD_NONE ? &port->first : &slot_at(inbox, before)->next;

    slot->next = *link;
    *link = index;
    if (port->last == before)
        port->last = index;
}

void lag_inbox_offer(lag_inbox *inbox, const struct lag_letter *letter)
{
    uint32_t index = take_slot(inbox);
    struct slot *slot = slot_at(inbox, index);

    slot->letter = *letter;
    slot->letter.ready = inbox->setup.engine->now;
    slot->letter.behind = LAGGARD_NONE;
    if (!inbox->setup.all_at_once && inbox->ports[letter->receiver].busy)
        enqueue(inbox, index);
    else
        start(inbox, index);
}

uint32_t lag_inbox_drop(lag_inbox *inbox, uint32_t receiver)
{
    struct lag_inbox_port *port = &inbox->ports[receiver];
    uint32_t n = 0;

    for (uint32_t i = port->first, next; i != LAGGARD_NONE; i = next, n++) {
        next = slot_at(inbox, i)->next;
        free_slot(inbox, i);
    }
    port->first = port->last = LAGGARD_NONE;
    return n;
}
