/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Letters to receivers that take in one at a time, in order of readiness (at the same time: of the
 * senders' numbers), or all at once. A letter takes a given time at its receiver's port, or crosses
 * the network: then the next one starts when the one before has left its sender, so that data come
 * in back to back and latency is paid once. Protocols of servers and trees receive here.
 *
 * Worked example, one at a time, 2 s each: ready at 1, 2, 2, 5 they are there at 3, 5, 7, 9. */
#ifndef LAGGARD_SIM_INBOX_H
#define LAGGARD_SIM_INBOX_H

#include "sim/traffic.h"

struct lag_letter {
    uint32_t receiver, sender; /* parties, 0 .. n_parties - 1 */
    uint32_t tag;              /* the sender's, for instance the round */
    lag_seconds takes;         /* where times are given [s] */
    lag_bytes bytes;           /* on the network */
    lag_seconds ready;         /* it was offered, */
    lag_seconds start, there;  /* it began to come in, and was there [s] */
    uint32_t behind;           /* whose letter it had to wait for last; LAGGARD_NONE: it hadn't */
};

struct lag_inbox_setup {
    lag_engine *engine;   /* traffic's, where there is some; begun */
    lag_traffic *traffic; /* NULL: times are given */
    bool all_at_once;
    uint32_t n_parties;
    const uint32_t *host; /* [n_parties] of the network; borrowed; NULL without traffic */
    void *self;
    void (*there)(void *self, const struct lag_letter *letter);
};

typedef struct lag_inbox {
    struct lag_inbox_setup setup;
    struct lag_inbox_port {
        uint32_t first, last; /* of those that wait: letters, or LAGGARD_NONE */
        bool busy;
        uint32_t server; /* the sender whose letter came in last */
    } * ports;           /* [n_parties] */
    uint32_t room_ports;
    GArray *slots; /* of letters */
    uint32_t free_slot, on_there, on_left, user;
} lag_inbox;

void lag_inbox_init(lag_inbox *inbox);
void lag_inbox_clear(lag_inbox *inbox);

/* Empty, on an engine that was begun anew. */
void lag_inbox_begin(lag_inbox *inbox, const struct lag_inbox_setup *setup);

/* A letter is ready now: receiver, sender, tag, takes and bytes are read. */
void lag_inbox_offer(lag_inbox *inbox, const struct lag_letter *letter);

/* Drops the letters that wait for a receiver; returns how many. One that is coming in goes on. */
uint32_t lag_inbox_drop(lag_inbox *inbox, uint32_t receiver);

#endif
