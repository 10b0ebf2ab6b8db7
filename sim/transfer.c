/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/transfer.h"

/* One of the seat's transfers ends at `end`. */
static void settle(lag_replay *replay, struct lag_seat *seat, uint32_t lane, uint32_t rank,
                   lag_seconds end, lag_decision decision)
{
    if (end > seat->done) {
        seat->done = end;
        seat->decided = decision;
    }
    if (--seat->open > 0)
        return;
    if (replay->decisions != NULL)
        replay->decisions[lag_history_index(replay->run->plan, lane, seat->round, rank)] =
            seat->decided;
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

/* What a transfer that starts now costs, after it is counted and told to the observer. */
static struct lag_cost launch(lag_replay *replay, uint32_t lane, uint32_t round,
                              const struct laggard_transfer *transfer)
{
    const struct lag_run *run = replay->run;
    lag_bytes bytes = lag_chunks_bytes(&run->chunks, transfer->first_chunk, transfer->n_chunks);
    struct lag_cost cost = lag_network_cost(run->network, transfer->src, transfer->dst, bytes);

    replay->outcome->n_messages++;
    replay->outcome->wire_bytes += bytes;
    if (run->observer != NULL && run->observer->transfer != NULL) {
        lag_seconds sent = replay->engine.now + run->network->overhead + cost.wire;
        run->observer->transfer(run->observer->self, lane, round, transfer, replay->engine.now,
                                sent, sent + cost.latency);
    }
    return cost;
}

/* The receiver's side of a transfer whose data leave until `sent`. */
static void settle_receive(lag_replay *replay, struct lag_seat *seat, uint32_t lane,
                           const struct laggard_transfer *transfer, lag_seconds wire,
                           lag_seconds received, uint32_t flags)
{
    widen(&seat->receiving, MAX(received - wire, seat->entered), MAX(received, seat->entered));
    settle(replay, seat, lane, transfer->dst, received, lag_decided_by(transfer->src, flags));
}

/* Rendezvous: starts a transfer whose ends have both entered its round, the later one now. */
static void start_rendezvous(lag_replay *replay, uint32_t lane, uint32_t round,
                             const struct laggard_transfer *transfer, bool sender_later)
{
    struct lag_cost cost = launch(replay, lane, round, transfer);
    lag_seconds begin = replay->engine.now + replay->run->network->overhead;
    lag_seconds sent = begin + cost.wire;
    struct lag_seat *src = lag_seat_of(replay, lane, transfer->src);
    struct lag_seat *dst = lag_seat_of(replay, lane, transfer->dst);

    widen(&src->sending, begin, sent);
    settle(replay, src, lane, transfer->src, sent,
           lag_decided_by(transfer->dst, LAG_BY_SEND | (sender_later ? 0 : LAG_PEER_LATER)));
    settle_receive(replay, dst, lane, transfer, cost.wire, sent + cost.latency,
                   sender_later ? LAG_PEER_LATER : 0);
}

/* Eager: a sender that has entered the round sends, wherever its receiver is. */
static void start_eager(lag_replay *replay, uint32_t lane, uint32_t round,
                        const struct laggard_transfer *transfer)
{
    struct lag_cost cost = launch(replay, lane, round, transfer);
    lag_seconds begin = replay->engine.now + replay->run->network->overhead;
    lag_seconds sent = begin + cost.wire;
    struct lag_seat *src = lag_seat_of(replay, lane, transfer->src);
    struct lag_seat *dst = lag_seat_of(replay, lane, transfer->dst);

    widen(&src->sending, begin, sent);
    settle(replay, src, lane, transfer->src, sent, lag_decided_by(transfer->dst, LAG_BY_SEND));
    if (dst->round == round)
        settle_receive(replay, dst, lane, transfer, cost.wire, sent + cost.latency, LAG_PEER_LATER);
    else
        lag_mailbox_put(&replay->mailbox, (uint32_t)(dst - replay->seats),
                        (struct lag_early){transfer->src, round, cost.wire, sent + cost.latency});
}

static void meet_eager(lag_replay *replay, struct lag_seat *seat, uint32_t lane)
{
    const struct laggard_step *step = &replay->step;
    uint32_t round = seat->round;
    struct lag_early message;

    for (uint32_t i = 0; i < step->n_sends; i++)
        start_eager(replay, lane, round, &step->sends[i]);
    for (uint32_t i = 0; i < step->n_recvs; i++)
        if (lag_mailbox_take(&replay->mailbox, (uint32_t)(seat - replay->seats), step->recvs[i].src,
                             round, &message))
            settle_receive(replay, seat, lane, &step->recvs[i], message.wire, message.received,
                           LAG_PEER_LATER);
}

static void meet_rendezvous(lag_replay *replay, struct lag_seat *seat, uint32_t lane)
{
    const struct laggard_step *step = &replay->step;
    uint32_t round = seat->round;

    for (uint32_t i = 0; i < step->n_sends; i++)
        if (lag_seat_of(replay, lane, step->sends[i].dst)->round == round)
            start_rendezvous(replay, lane, round, &step->sends[i], true);
    for (uint32_t i = 0; i < step->n_recvs; i++)
        if (lag_seat_of(replay, lane, step->recvs[i].src)->round == round)
            start_rendezvous(replay, lane, round, &step->recvs[i], false);
}

void lag_replay_meet(lag_replay *replay, struct lag_seat *seat, uint32_t lane)
{
    if (replay->run->network->eager)
        meet_eager(replay, seat, lane);
    else
        meet_rendezvous(replay, seat, lane);
}
