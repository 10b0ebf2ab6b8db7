/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/transfer.h"

#include <math.h>

/* What one of a seat's transfers means for it. */
struct ending {
    lag_seconds time;
    lag_decision decision;
    lag_seconds contention;
};

/* Notes what decided the seat's round. */
static void record(lag_replay *replay, const struct lag_seat *seat)
{
    size_t row = (size_t)seat->lane * replay->lane_rounds + seat->round;
    size_t i = row * replay->lane_seats + seat->rank; /* as lag_history_index says */

    replay->decisions[i] = seat->decided;
    if (replay->history.contention != NULL)
        replay->history.contention[i] = seat->contention;
}

/* The end of one of the seat's transfers is known. */
static inline void settle(lag_replay *replay, struct lag_seat *seat, struct ending ending)
{
    if (ending.time > seat->done) {
        seat->done = ending.time;
        seat->decided = ending.decision;
        seat->contention = ending.contention;
    }
    if (--seat->open > 0)
        return;
    if (replay->decisions != NULL)
        record(replay, seat);
    lag_engine_post(&replay->engine, seat->done, LAG_MESSAGE_AT_WORKER, seat->rank,
                    replay->on_entry, seat->lane);
}

static void tell(const lag_replay *replay, const struct lag_flight *flight,
                 const struct laggard_transfer *t, lag_seconds sent)
{
    const struct lag_observer *observer = replay->run->observer;

    if (observer->transfer != NULL)
        observer->transfer(observer->self, flight->src->lane, flight->round, t,
                           flight->begin - replay->run->network->overhead, sent,
                           sent + flight->cost.latency);
}

/* The data of a transfer have left at `sent`: both ends learn when they are done with it. */
static inline void land(lag_replay *replay, const struct lag_flight *flight, lag_seconds sent)
{
    struct lag_seat *src = flight->src, *dst = flight->dst;
    lag_seconds received = sent + flight->cost.latency, on_wire = sent - flight->begin;
    lag_seconds contention = replay->contends ? on_wire - flight->cost.wire : 0;
    uint32_t by_peer = flight->sender_later ? 0 : LAG_PEER_LATER;

    src->sending = (struct lag_interval){flight->begin, sent};
    settle(replay, src,
           (struct ending){sent, lag_decided_by(dst->rank, LAG_BY_SEND | by_peer), contention});
    if (dst->round != flight->round) {
        lag_mailbox_put(&replay->mailbox, (uint32_t)(dst - replay->seats),
                        (struct lag_early){src->rank, flight->round, received, contention});
        return;
    }
    dst->receiving = (struct lag_interval){received - on_wire, received};
    settle(
        replay, dst,
        (struct ending){received, lag_decided_by(src->rank, by_peer ^ LAG_PEER_LATER), contention});
}

/* land(), and all that only some runs want. */
static void land_observed(lag_replay *replay, struct lag_flight flight,
                          const struct laggard_transfer *t, lag_seconds sent)
{
    lag_seconds received = sent + flight.cost.latency, on_wire = sent - flight.begin;

    if (replay->run->observer != NULL)
        tell(replay, &flight, t, sent);
    if (replay->busy_is_union) {
        lag_busy_add(&replay->busy, t->src, (struct lag_interval){flight.begin, sent});
        lag_busy_add(&replay->busy, t->dst, (struct lag_interval){received - on_wire, received});
    }
    land(replay, &flight, sent);
}

static uint32_t keep_flight(lag_replay *replay, const struct lag_flight *flight)
{
    uint32_t index = replay->free_flight;

    if (index == LAGGARD_NONE) {
        g_array_append_vals(replay->flights, flight, 1);
        return replay->flights->len - 1;
    }
    struct lag_flight *slot = &g_array_index(replay->flights, struct lag_flight, index);
    replay->free_flight = slot->next_free;
    *slot = *flight;
    return index;
}

/* Sends the data into the fabric, which will tell when they have left. */
static void take_off(lag_replay *replay, struct lag_flight flight,
                     const struct laggard_transfer *transfer)
{
    flight.transfer = *transfer;
    lag_engine_post(&replay->engine, flight.begin, LAG_MESSAGE_AT_WORKER, transfer->src,
                    replay->on_departure, keep_flight(replay, &flight));
}

/* Starts a transfer of `round`: its end is known at once, or the fabric will tell. */
static void start(lag_replay *replay, struct lag_seat *src, struct lag_seat *dst, uint32_t round,
                  const struct laggard_transfer *transfer, bool sender_later)
{
    const struct lag_run *run = replay->run;
    lag_bytes bytes = lag_chunks_bytes(&run->chunks, transfer->first_chunk, transfer->n_chunks);
    struct lag_flight flight;

    flight.src = src;
    flight.dst = dst;
    flight.round = round;
    flight.sender_later = sender_later;
    flight.bytes = bytes;
    flight.begin = replay->engine.now + run->network->overhead;
    flight.cost =
        lag_network_cost(run->network, replay->router, transfer->src, transfer->dst, bytes);
    replay->outcome->n_messages++;
    replay->outcome->wire_bytes += bytes;
    if (replay->contends && bytes > 0)
        take_off(replay, flight, transfer);
    else if (replay->observed)
        land_observed(replay, flight, transfer, flight.begin + flight.cost.wire);
    else
        land(replay, &flight, flight.begin + flight.cost.wire);
}

/* Has the fabric share its links anew when all else that happens now has happened. */
static void settle_network_later(lag_replay *replay)
{
    if (replay->network_settles)
        return;
    replay->network_settles = true;
    lag_engine_cancel(&replay->engine, replay->next_landing);
    replay->next_landing = lag_engine_start_timer(&replay->engine, replay->engine.now,
                                                  LAG_NETWORK_SETTLES, 0, replay->on_network, 0);
}

void lag_replay_depart(void *self, uint32_t rank, uint32_t index)
{
    lag_replay *replay = self;
    const struct lag_flight *flight = &g_array_index(replay->flights, struct lag_flight, index);

    (void)rank;
    struct lag_route route =
        lag_router_find(replay->router, flight->transfer.src, flight->transfer.dst);
    lag_fabric_start(replay->fabric, route, flight->bytes, index);
    settle_network_later(replay);
}

void lag_replay_settle_network(void *self, uint32_t rank, uint32_t data)
{
    lag_replay *replay = self;
    lag_seconds now = replay->engine.now;
    uint32_t index;

    (void)rank;
    (void)data;
    replay->network_settles = false;
    while (lag_fabric_take(replay->fabric, now, &index)) {
        struct lag_flight *slot = &g_array_index(replay->flights, struct lag_flight, index);
        struct lag_flight flight = *slot;
        slot->next_free = replay->free_flight;
        replay->free_flight = index;
        land_observed(replay, flight, &flight.transfer, now);
    }
    lag_seconds next = lag_fabric_settle(replay->fabric, now);
    if (isfinite(next))
        replay->next_landing = lag_engine_start_timer(&replay->engine, next, LAG_NETWORK_SETTLES, 0,
                                                      replay->on_network, 0);
}

static void meet_eager(lag_replay *replay, struct lag_seat *seat)
{
    const struct laggard_step *step = &replay->step;
    struct lag_seat *seats = lag_seat_of(replay, seat->lane, 0);
    uint32_t round = seat->round;
    struct lag_early message;

    for (uint32_t i = 0; i < step->n_sends; i++)
        start(replay, seat, &seats[step->sends[i].dst], round, &step->sends[i], true);
    for (uint32_t i = 0; i < step->n_recvs; i++) {
        uint32_t src = step->recvs[i].src;
        if (lag_mailbox_take(&replay->mailbox, (uint32_t)(seat - replay->seats), src, round,
                             &message))
            settle(replay, seat,
                   (struct ending){message.received, lag_decided_by(src, LAG_PEER_LATER),
                                   message.contention});
    }
}

static void meet_rendezvous(lag_replay *replay, struct lag_seat *seat)
{
    const struct laggard_step *step = &replay->step;
    struct lag_seat *seats = lag_seat_of(replay, seat->lane, 0);
    uint32_t round = seat->round;

    for (uint32_t i = 0; i < step->n_sends; i++) {
        struct lag_seat *peer = &seats[step->sends[i].dst];
        if (peer->round == round && !lag_replay_is_dead(replay, peer->rank))
            start(replay, seat, peer, round, &step->sends[i], true);
    }
    for (uint32_t i = 0; i < step->n_recvs; i++) {
        struct lag_seat *peer = &seats[step->recvs[i].src];
        if (peer->round == round && !lag_replay_is_dead(replay, peer->rank))
            start(replay, peer, seat, round, &step->recvs[i], false);
    }
}

void lag_replay_meet(lag_replay *replay, struct lag_seat *seat)
{
    if (replay->run->network->eager)
        meet_eager(replay, seat);
    else
        meet_rendezvous(replay, seat);
}
