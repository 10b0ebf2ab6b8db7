/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/transfer.h"

/* What one of a seat's transfers means for it. */
struct ending {
    lag_seconds time;
    lag_decision decision;
    lag_seconds contention;
};

static void record(lag_replay *replay, const struct lag_seat *seat, uint32_t lane, uint32_t rank)
{
    size_t i = lag_history_index(replay->run->plan, lane, seat->round, rank);

    if (replay->decisions == NULL)
        return;
    replay->decisions[i] = seat->decided;
    if (replay->history.contention != NULL)
        replay->history.contention[i] = seat->contention;
}

/* The end of one of the seat's transfers is known. */
static void settle(lag_replay *replay, struct lag_seat *seat, uint32_t lane, uint32_t rank,
                   struct ending ending)
{
    if (ending.time > seat->done) {
        seat->done = ending.time;
        seat->decided = ending.decision;
        seat->contention = ending.contention;
    }
    if (--seat->open > 0)
        return;
    record(replay, seat, lane, rank);
    lag_engine_post(&replay->engine, seat->done, LAG_MESSAGE_AT_WORKER, rank, replay->on_entry,
                    lane);
}

static void widen(struct lag_interval *interval, lag_seconds from, lag_seconds to)
{
    if (interval->from == interval->to) {
        *interval = (struct lag_interval){from, to};
        return;
    }
    interval->from = MIN(interval->from, from);
    interval->to = MAX(interval->to, to);
}

/* The receiver's side: the data come in over the last `on_wire` before `ending`. */
static void settle_receive(lag_replay *replay, struct lag_seat *seat, uint32_t lane, uint32_t rank,
                           lag_seconds on_wire, struct ending ending)
{
    widen(&seat->receiving, MAX(ending.time - on_wire, seat->entered),
          MAX(ending.time, seat->entered));
    settle(replay, seat, lane, rank, ending);
}

/* The data of a transfer have left at `sent`: both ends learn when they are done with it. */
static void land(lag_replay *replay, const struct lag_flight *flight, lag_seconds sent)
{
    const struct laggard_transfer *t = &flight->transfer;
    const struct lag_observer *observer = replay->run->observer;
    struct lag_seat *src = lag_seat_of(replay, flight->lane, t->src);
    struct lag_seat *dst = lag_seat_of(replay, flight->lane, t->dst);
    lag_seconds received = sent + flight->cost.latency, on_wire = sent - flight->begin;
    lag_seconds contention = replay->contends ? on_wire - flight->cost.wire : 0;
    uint32_t by_peer = flight->sender_later ? 0 : LAG_PEER_LATER;

    if (observer != NULL && observer->transfer != NULL)
        observer->transfer(observer->self, flight->lane, flight->round, t,
                           flight->begin - replay->run->network->overhead, sent, received);
    widen(&src->sending, flight->begin, sent);
    settle(replay, src, flight->lane, t->src,
           (struct ending){sent, lag_decided_by(t->dst, LAG_BY_SEND | by_peer), contention});
    if (dst->round == flight->round)
        settle_receive(replay, dst, flight->lane, t->dst, on_wire,
                       (struct ending){received, lag_decided_by(t->src, by_peer ^ LAG_PEER_LATER),
                                       contention});
    else
        lag_mailbox_put(&replay->mailbox, (uint32_t)(dst - replay->seats),
                        (struct lag_early){t->src, flight->round, on_wire, received, contention});
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

/* Starts the transfer: its end is known at once, or the fabric will tell. */
static void start(lag_replay *replay, uint32_t lane, uint32_t round,
                  const struct laggard_transfer *transfer, bool sender_later)
{
    const struct lag_run *run = replay->run;
    lag_bytes bytes = lag_chunks_bytes(&run->chunks, transfer->first_chunk, transfer->n_chunks);
    struct lag_flight flight = {
        .transfer = *transfer,
        .lane = lane,
        .round = round,
        .sender_later = sender_later,
        .bytes = bytes,
        .begin = replay->engine.now + run->network->overhead,
        .cost = lag_network_cost(run->network, transfer->src, transfer->dst, bytes),
    };

    replay->outcome->n_messages++;
    replay->outcome->wire_bytes += bytes;
    if (!replay->contends || bytes == 0)
        land(replay, &flight, flight.begin + flight.cost.wire);
    else
        lag_engine_post(&replay->engine, flight.begin, LAG_MESSAGE_AT_WORKER, transfer->src,
                        replay->on_departure, keep_flight(replay, &flight));
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
    lag_fabric_start(replay->fabric, flight->transfer.src, flight->transfer.dst, flight->bytes,
                     index);
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
        land(replay, &flight, now);
    }
    lag_seconds next = lag_fabric_settle(replay->fabric, now);
    if (isfinite(next))
        replay->next_landing = lag_engine_start_timer(&replay->engine, next, LAG_NETWORK_SETTLES, 0,
                                                      replay->on_network, 0);
}

static void meet_eager(lag_replay *replay, struct lag_seat *seat, uint32_t lane, uint32_t rank)
{
    const struct laggard_step *step = &replay->step;
    uint32_t round = seat->round;
    struct lag_early message;

    for (uint32_t i = 0; i < step->n_sends; i++)
        start(replay, lane, round, &step->sends[i], true);
    for (uint32_t i = 0; i < step->n_recvs; i++) {
        uint32_t src = step->recvs[i].src;
        if (lag_mailbox_take(&replay->mailbox, (uint32_t)(seat - replay->seats), src, round,
                             &message))
            settle_receive(replay, seat, lane, rank, message.on_wire,
                           (struct ending){message.received, lag_decided_by(src, LAG_PEER_LATER),
                                           message.contention});
    }
}

static void meet_rendezvous(lag_replay *replay, struct lag_seat *seat, uint32_t lane)
{
    const struct laggard_step *step = &replay->step;
    uint32_t round = seat->round;

    for (uint32_t i = 0; i < step->n_sends; i++)
        if (lag_seat_of(replay, lane, step->sends[i].dst)->round == round)
            start(replay, lane, round, &step->sends[i], true);
    for (uint32_t i = 0; i < step->n_recvs; i++)
        if (lag_seat_of(replay, lane, step->recvs[i].src)->round == round)
            start(replay, lane, round, &step->recvs[i], false);
}

void lag_replay_meet(lag_replay *replay, struct lag_seat *seat, uint32_t lane, uint32_t rank)
{
    if (replay->run->network->eager)
        meet_eager(replay, seat, lane, rank);
    else
        meet_rendezvous(replay, seat, lane);
}
