/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/transfer.h"

#include <math.h>

/* What one of a seat's transfers means for it. */
struct ending {
    lag_seconds time;
    lag_decision decision;
    const struct lag_cost *cost; /* NULL: nobody asks */
};

/* Notes what decided the seat's round. */
static void record(lag_collective *collective, const struct lag_seat *seat)
{
    size_t row = (size_t)seat->lane * collective->lane_rounds + seat->round;
    size_t i = row * collective->lane_seats + seat->rank; /* as lag_history_index says */

    collective->decisions[i] = seat->decided;
    if (collective->history.costs != NULL)
        collective->history.costs[i] = seat->cost;
}

/* The end of one of the seat's transfers is known. */
static inline void settle(lag_collective *collective, struct lag_seat *seat, struct ending ending)
{
    if (ending.time > seat->done) {
        seat->done = ending.time;
        seat->decided = ending.decision;
        if (ending.cost != NULL)
            seat->cost = *ending.cost;
    }
    if (--seat->open > 0)
        return;
    if (collective->decisions != NULL)
        record(collective, seat);
    lag_engine_post(&collective->traffic->engine, seat->done, LAG_MESSAGE_AT_WORKER, seat->rank,
                    collective->on_entry, seat->lane);
}

/* The receiver's part; `taken` says when its port takes the data in, `ready` when it has them, added
 * where that takes time. */
static inline void receive(lag_collective *collective, const struct lag_flight *flight,
                           struct lag_interval taken, lag_seconds ready,
                           const struct lag_cost *cost)
{
    struct lag_seat *src = flight->src, *dst = flight->dst;
    uint32_t by_peer = flight->sender_later ? LAG_PEER_LATER : 0;

    if (dst->round != flight->round) {
        struct lag_early early = {.src = src->rank, .round = flight->round, .received = ready};
        if (cost != NULL)
            early.cost = *cost;
        lag_mailbox_put(&collective->mailbox, (uint32_t)(dst - collective->seats), early);
        return;
    }
    dst->receiving = taken;
    settle(collective, dst, (struct ending){ready, lag_decided_by(src->rank, by_peer), cost});
}

static inline void send_off(lag_collective *collective, const struct lag_flight *flight,
                            struct lag_interval sent, const struct lag_cost *cost)
{
    uint32_t by_peer = flight->sender_later ? 0 : LAG_PEER_LATER;

    flight->src->sending = sent;
    settle(
        collective, flight->src,
        (struct ending){sent.to, lag_decided_by(flight->dst->rank, LAG_BY_SEND | by_peer), cost});
}

static void tell(const lag_collective *collective, const struct lag_flight *flight,
                 lag_seconds received)
{
    const struct lag_observer *observer = collective->run->observer;

    if (observer != NULL && observer->transfer != NULL)
        observer->transfer(observer->self, flight->src->lane, flight->round, &flight->transfer,
                           flight->start, flight->sent, received);
}

static void note_busy(lag_collective *collective, uint32_t rank, struct lag_interval interval)
{
    if (collective->busy_is_union && !lag_seat_is_switch(collective, rank))
        lag_busy_add(&collective->busy, rank, interval);
}

/* The GPU of a rank; the switch's node for the switch. */
static uint32_t gpu_of(const lag_collective *collective, uint32_t rank)
{
    const struct lag_run *run = collective->run;

    if (lag_seat_is_switch(collective, rank))
        return run->network->topology->n_ranks;
    return run->ranks == NULL ? rank : run->ranks[rank];
}

/* Of what a receiver adds; the switch adds as fast as data come. */
static lag_seconds adding_time(const lag_collective *collective,
                               const struct laggard_transfer *transfer)
{
    const struct lag_run *run = collective->run;

    if (run->network->adding == NULL || transfer->kind != LAGGARD_REDUCE ||
        lag_seat_is_switch(collective, transfer->dst))
        return 0;
    return lag_adding_time(
        run->network->adding[gpu_of(collective, transfer->dst)],
        lag_chunks_bytes(&run->chunks, transfer->first_chunk, transfer->n_chunks));
}

void lag_transfer_left(void *self, uint32_t cookie, const struct lag_passage *passage)
{
    lag_collective *collective = self;
    struct lag_flight *flight = &g_array_index(collective->flights, struct lag_flight, cookie);
    struct lag_interval sent = {passage->from, passage->to};

    flight->sent = passage->to;
    note_busy(collective, flight->src->rank, sent);
    send_off(collective, flight, sent, &passage->cost);
}

void lag_transfer_there(void *self, uint32_t cookie, const struct lag_passage *passage)
{
    lag_collective *collective = self;
    struct lag_flight *slot = &g_array_index(collective->flights, struct lag_flight, cookie);
    struct lag_flight flight = *slot;
    struct lag_interval taken = {passage->from, passage->to};
    struct lag_cost cost = passage->cost;

    cost.adding = adding_time(collective, &flight.transfer);
    slot->next_free = collective->free_flight;
    collective->free_flight = cookie;
    note_busy(collective, flight.dst->rank, taken);
    tell(collective, &flight, passage->to);
    receive(collective, &flight, taken, taken.to + cost.adding, &cost);
}

/* Keeps a flight; returns its cookie. */
static uint32_t keep_flight(lag_collective *collective, const struct lag_flight *flight)
{
    uint32_t index = collective->free_flight;

    if (index == LAGGARD_NONE) {
        g_array_append_vals(collective->flights, flight, 1);
        return collective->flights->len - 1;
    }
    struct lag_flight *slot = &g_array_index(collective->flights, struct lag_flight, index);
    collective->free_flight = slot->next_free;
    *slot = *flight;
    return index;
}

/* Hands a transfer to the traffic. */
static void take_off(lag_collective *collective, struct lag_flight flight,
                     const struct laggard_transfer *transfer, lag_bytes bytes)
{
    const struct lag_parcel parcel = {gpu_of(collective, transfer->src),
                                      gpu_of(collective, transfer->dst), bytes};

    flight.start = collective->traffic->engine.now;
    flight.transfer = *transfer;
    uint32_t cookie = keep_flight(collective, &flight);
    lag_traffic_send(collective->traffic, collective->user, cookie, &parcel);
}

/* What only some plain runs want. */
static void observe_plain(lag_collective *collective, struct lag_flight flight,
                          const struct laggard_transfer *transfer, struct lag_interval sent,
                          lag_seconds latency)
{
    flight.start = collective->traffic->engine.now;
    flight.sent = sent.to;
    flight.transfer = *transfer;
    lag_seconds received = sent.to + latency;
    tell(collective, &flight, received);
    note_busy(collective, flight.src->rank, sent);
    note_busy(collective, flight.dst->rank,
              (struct lag_interval){received - (sent.to - sent.from), received});
}

/* Starts a transfer of `round`: its end is known at once, or the traffic will tell. */
static void start(lag_collective *collective, struct lag_seat *src, struct lag_seat *dst,
                  uint32_t round, const struct laggard_transfer *transfer, bool sender_later)
{
    const struct lag_run *run = collective->run;
    lag_bytes bytes = lag_chunks_bytes(&run->chunks, transfer->first_chunk, transfer->n_chunks);
    struct lag_flight flight;

    flight.src = src;
    flight.dst = dst;
    flight.round = round;
    flight.sender_later = sender_later;
    collective->outcome->n_messages++;
    collective->outcome->wire_bytes += bytes;
    if (!collective->plain || src == dst) {
        take_off(collective, flight, transfer, bytes);
        return;
    }
    struct lag_cost cost =
        lag_network_cost(run->network, NULL, transfer->src, transfer->dst, bytes);
    struct lag_interval sent;
    sent.from = collective->traffic->engine.now + run->network->overhead;
    sent.to = sent.from + cost.wire;
    lag_seconds received = sent.to + cost.latency, on_wire = sent.to - sent.from;
    if (collective->observed)
        observe_plain(collective, flight, transfer, sent, cost.latency);
    send_off(collective, &flight, sent, NULL);
    receive(collective, &flight, (struct lag_interval){received - on_wire, received}, received,
            NULL);
}

static void meet_eager(lag_collective *collective, struct lag_seat *seat)
{
    const struct laggard_step *step = &collective->step;
    struct lag_seat *seats = lag_seat_of(collective, seat->lane, 0);
    uint32_t round = seat->round;
    struct lag_early message;

    for (uint32_t i = 0; i < step->n_sends; i++)
        start(collective, seat, &seats[step->sends[i].dst], round, &step->sends[i], true);
    for (uint32_t i = 0; i < step->n_recvs; i++) {
        uint32_t src = step->recvs[i].src;
        if (lag_mailbox_take(&collective->mailbox, (uint32_t)(seat - collective->seats), src, round,
                             &message))
            settle(collective, seat,
                   (struct ending){message.received, lag_decided_by(src, LAG_PEER_LATER),
                                   &message.cost});
    }
}

static void meet_rendezvous(lag_collective *collective, struct lag_seat *seat)
{
    const struct laggard_step *step = &collective->step;
    struct lag_seat *seats = lag_seat_of(collective, seat->lane, 0);
    uint32_t round = seat->round;

    for (uint32_t i = 0; i < step->n_sends; i++) {
        struct lag_seat *peer = &seats[step->sends[i].dst];
        if (peer->round == round && !lag_collective_is_dead(collective, peer->rank))
            start(collective, seat, peer, round, &step->sends[i], true);
    }
    for (uint32_t i = 0; i < step->n_recvs; i++) {
        struct lag_seat *peer = &seats[step->recvs[i].src];
        /* What a rank sends to itself has started as a send. */
        if (peer->round == round && peer != seat && !lag_collective_is_dead(collective, peer->rank))
            start(collective, peer, seat, round, &step->recvs[i], false);
    }
}

void lag_transfer_meet(lag_collective *collective, struct lag_seat *seat)
{
    if (collective->run->network->eager)
        meet_eager(collective, seat);
    else
        meet_rendezvous(collective, seat);
}
