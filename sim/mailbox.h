/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eager messages that reach a seat (a rank in a lane) before it is in their round. */
#ifndef LAGGARD_SIM_MAILBOX_H
#define LAGGARD_SIM_MAILBOX_H

#include <stdbool.h>

#include <glib.h>

#include "sim/network/network.h"

struct lag_early {
    uint32_t src, round;
    lag_seconds received; /* when it is there [s] */
    struct lag_cost cost; /* what it took */
};

struct lag_mailbox {
    GArray *messages; /* of all seats, linked by index */
    uint32_t free;    /* first of those taken; 0: none */
    struct lag_mailbox_list {
        uint32_t first, last; /* 0: none */
    } * lists;                /* one for each seat */
    uint32_t n_seats;
};

void lag_mailbox_init(struct lag_mailbox *box);
void lag_mailbox_clear(struct lag_mailbox *box);

/* Empties it, for n_seats seats. */
void lag_mailbox_reset(struct lag_mailbox *box, uint32_t n_seats);

void lag_mailbox_put(struct lag_mailbox *box, uint32_t seat, struct lag_early message);

/* Takes a message out; false where it hasn't come. Messages of one sender leave in the order in
 * which they came, so this is O(senders) where rounds are taken in order. */
bool lag_mailbox_take(struct lag_mailbox *box, uint32_t seat, uint32_t src, uint32_t round,
                      struct lag_early *ret);

#endif
