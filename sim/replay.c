/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's seat in a lane says which round it is in. When a rank enters a round it meets each of
 * its partners: the later of the two starts the transfer, whose end is known at once. When all of
 * a seat's transfers are known, one event takes it to the next round: one event a rank and round,
 * so about one a message. */
#include "sim/replay.h"

#include <assert.h>
#include <math.h>

#include "sim/seat.h"
#include "sim/stall.h"
#include "sim/transfer.h"

lag_replay *lag_replay_new(void)
{
    lag_replay *replay = g_new0(lag_replay, 1);

    lag_engine_init(&replay->engine);
    lag_mailbox_init(&replay->mailbox);
    lag_busy_init(&replay->busy);
    replay->router = lag_router_new();
    replay->fabric = lag_fabric_new();
    replay->flights = g_array_new(FALSE, FALSE, sizeof(struct lag_flight));
    return replay;
}

void lag_replay_free(lag_replay *replay)
{
    if (replay == NULL)
        return;
    lag_engine_clear(&replay->engine);
    lag_history_clear(&replay->history);
    lag_step_clear(&replay->step);
    lag_mailbox_clear(&replay->mailbox);
    lag_busy_clear(&replay->busy);
    lag_router_free(replay->router);
    lag_fabric_free(replay->fabric);
    g_array_unref(replay->flights);
    g_free(replay->seats);
    g_free(replay->started);
    g_free(replay);
}

static void finish(lag_replay *replay, uint32_t lane, uint32_t rank)
{
    struct lag_outcome *outcome = replay->outcome;
    const struct lag_observer *observer = replay->run->observer;
    lag_seconds now = replay->engine.now;

    replay->n_finished++;
    outcome->done[rank] = now; /* events come in order: the last lane's end stays */
    if (now >= outcome->completion) {
        outcome->completion = now;
        replay->last_lane = lane;
        replay->last_rank = rank;
    }
    if (observer != NULL && observer->finished != NULL)
        observer->finished(observer->self, now, lane, rank);
}

/* Takes a seat into `round`, or into the next one in which it has something to do. */
static void enter(lag_replay *replay, uint32_t lane, uint32_t rank, uint32_t round)
{
    const struct lag_run *run = replay->run;
    struct lag_seat *seat = lag_seat_of(replay, lane, rank);
    struct laggard_step *step = &replay->step;

    for (;; round++) {
        if (round == run->plan->n_rounds) {
            seat->round = round;
            finish(replay, lane, rank);
            return;
        }
        lag_plan_step(run->plan, replay->names, lane, rank, round, step);
        if (step->n_sends + step->n_recvs > 0)
            break;
        if (replay->decisions != NULL)
            replay->decisions[lag_history_index(run->plan, lane, round, rank)] = 0;
    }
    seat->round = round;
    seat->open = step->n_sends + step->n_recvs;
    seat->done = replay->engine.now;
    seat->decided = 0;
    seat->contention = 0;
    seat->sending = seat->receiving = (struct lag_interval){0, 0};
    if (run->observer != NULL && run->observer->entered != NULL)
        run->observer->entered(run->observer->self, seat->done, lane, rank, round);
    lag_replay_meet(replay, seat);
}

static void handle_entry(void *self, uint32_t rank, uint32_t lane)
{
    lag_replay *replay = self;
    struct lag_seat *seat = lag_seat_of(replay, lane, rank);

    if (replay->busy_is_one_port)
        replay->outcome->busy[rank] += lag_busy_two(seat->sending, seat->receiving);
    if (lag_replay_is_dead(replay, rank))
        seat->round = LAG_NOT_THERE;
    else
        enter(replay, lane, rank, seat->round + 1);
}

static void start_rank(lag_replay *replay, uint32_t rank)
{
    if (lag_replay_is_dead(replay, rank))
        return;
    replay->started[rank] = replay->engine.now;
    for (uint32_t lane = 0; lane < replay->run->plan->n_lanes; lane++)
        enter(replay, lane, rank, 0);
}

/* All ranks but one are there: whoever is missing is the late one, and the others start. */
static void open_gate(lag_replay *replay, uint32_t last_in)
{
    uint32_t n = replay->run->plan->n_ranks, late = 0;

    while (!isnan(replay->started[late]))
        late++;
    replay->names = lag_plan_bind(replay->run->plan, late);
    replay->gate_rank = last_in;
    for (uint32_t rank = 0; rank < n; rank++)
        if (rank != late)
            start_rank(replay, rank);
}

static void handle_arrival(void *self, uint32_t rank, uint32_t data)
{
    lag_replay *replay = self;
    const struct laggard_plan *plan = replay->run->plan;

    (void)data;
    if (lag_replay_is_dead(replay, rank))
        return;
    replay->n_arrived++;
    replay->started[rank] = replay->engine.now;
    if (!lag_plan_is_gated(plan) || replay->n_arrived == plan->n_ranks)
        start_rank(replay, rank);
    else if (replay->n_arrived == plan->n_ranks - 1)
        open_gate(replay, rank);
}

/* Busy times: two intervals a round where ports do one thing at a time; where not, a union of all
 * intervals; none under eager transfers, where data may come before their receiver's round. */
static void prepare_busy(lag_replay *replay, const struct lag_run *run)
{
    bool wanted = !run->bare && !run->network->eager;

    replay->busy_is_one_port = wanted && lag_plan_is_one_port(run->plan);
    replay->busy_is_union = wanted && !replay->busy_is_one_port;
    replay->observed = run->observer != NULL || replay->busy_is_union;
    lag_busy_reset(&replay->busy);
}

/* Makes the scratch memory fit the run. */
static void prepare(lag_replay *replay, const struct lag_run *run, struct lag_outcome *outcome)
{
    const struct laggard_plan *plan = run->plan;
    uint32_t n_seats = plan->n_lanes * plan->n_ranks;

    if (plan->degree > replay->degree) {
        lag_step_clear(&replay->step);
        replay->step = lag_step_new(plan);
        replay->degree = plan->degree;
    }
    if (n_seats > replay->n_seats) {
        replay->seats = g_renew(struct lag_seat, replay->seats, n_seats);
        replay->n_seats = n_seats;
    }
    if (plan->n_ranks > replay->n_ranks) {
        replay->started = g_renew(lag_seconds, replay->started, plan->n_ranks);
        replay->n_ranks = plan->n_ranks;
    }
    prepare_busy(replay, run);
    replay->contends = lag_run_contends(run);
    if (!run->bare)
        lag_history_prepare(&replay->history, plan, replay->contends);
    replay->decisions = run->bare ? NULL : replay->history.decisions;
    for (uint32_t i = 0; i < n_seats; i++)
        replay->seats[i] = (struct lag_seat){
            .lane = i / plan->n_ranks,
            .rank = i % plan->n_ranks,
            .round = LAG_NOT_THERE,
        };
    for (uint32_t rank = 0; rank < plan->n_ranks; rank++)
        replay->started[rank] = NAN;
    lag_mailbox_reset(&replay->mailbox, n_seats);
    replay->run = run;
    replay->lane_seats = plan->n_ranks;
    replay->lane_rounds = plan->n_rounds;
    replay->outcome = outcome;
    replay->names = lag_plan_bind(plan, 0);
    replay->n_arrived = replay->n_finished = 0;
    replay->gate_rank = LAGGARD_NONE;
    replay->last_lane = replay->last_rank = 0;
    lag_router_reset(replay->router, run->network->topology);
    lag_fabric_reset(replay->fabric, run->network->topology);
    g_array_set_size(replay->flights, 0);
    replay->free_flight = LAGGARD_NONE;
    replay->next_landing = 0;
    replay->network_settles = false;
}

static void prepare_engine(lag_replay *replay)
{
    assert(replay->run->plan->n_ranks <= LAG_MAX_RANKS);
    lag_engine_reset(&replay->engine);
    replay->on_arrival = lag_engine_handler(&replay->engine, handle_arrival, replay);
    replay->on_entry = lag_engine_handler(&replay->engine, handle_entry, replay);
    replay->on_departure = lag_engine_handler(&replay->engine, lag_replay_depart, replay);
    replay->on_network = lag_engine_handler(&replay->engine, lag_replay_settle_network, replay);
}

bool lag_replay_run(lag_replay *replay, const struct lag_run *run, struct lag_outcome *outcome,
                    GError **error)
{
    const struct laggard_plan *plan = run->plan;

    prepare(replay, run, outcome);
    prepare_engine(replay);
    lag_run_begin(run, outcome);
    for (uint32_t rank = 0; rank < plan->n_ranks; rank++)
        if (isfinite(run->arrival[rank]))
            lag_engine_post(&replay->engine, run->arrival[rank], LAG_ARRIVAL, rank,
                            replay->on_arrival, 0);
    lag_engine_run(&replay->engine);
    outcome->busy_recorded = replay->busy_is_one_port ||
                             (replay->busy_is_union && lag_busy_sum(&replay->busy, outcome->busy));
    if (replay->n_finished < plan->n_lanes * plan->n_ranks)
        return lag_replay_report_stall(replay, error);
    if (replay->decisions != NULL)
        lag_path_walk(&(struct lag_walk){plan, run->network, replay->router, &run->chunks,
                                         replay->names, &replay->history, replay->last_lane,
                                         replay->last_rank, replay->started, replay->gate_rank},
                      &outcome->path);
    return true;
}
