/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's seat in a lane says which round it is in. When a rank enters a round it meets each of
 * its partners: the later of the two starts the transfer, whose end is known at once, or the
 * traffic will tell. When all of a seat's transfers are known, one event takes it to the next
 * round: one event a rank and round, so about one a message. */
#include "sim/collective.h"

#include <assert.h>
#include <math.h>

#include "sim/fault.h"
#include "sim/seat.h"
#include "sim/transfer.h"

lag_collective *lag_collective_new(void)
{
    lag_collective *collective = g_new0(lag_collective, 1);

    lag_mailbox_init(&collective->mailbox);
    lag_busy_init(&collective->busy);
    collective->flights = g_array_new(FALSE, FALSE, sizeof(struct lag_flight));
    return collective;
}

void lag_collective_free(lag_collective *collective)
{
    if (collective == NULL)
        return;
    lag_history_clear(&collective->history);
    lag_step_clear(&collective->step);
    lag_mailbox_clear(&collective->mailbox);
    lag_busy_clear(&collective->busy);
    g_array_unref(collective->flights);
    g_free(collective->seats);
    g_free(collective->started);
    g_free(collective);
}

bool lag_collective_is_done(const lag_collective *collective)
{
    return collective->n_open == 0;
}

/* All ranks are done: fills in what the outcome still lacks. */
static void complete(lag_collective *collective)
{
    const struct lag_run *run = collective->run;
    const lag_traffic *traffic = collective->traffic;
    struct lag_outcome *outcome = collective->outcome;

    outcome->busy_recorded =
        collective->busy_is_one_port ||
        (collective->busy_is_union && lag_busy_sum(&collective->busy, outcome->busy));
    if (outcome->links_recorded)
        lag_fault_capacity(traffic->network, traffic->start, outcome->first_arrival,
                           outcome->completion, outcome->link_capacity);
    if (collective->decisions != NULL)
        lag_path_walk(&(struct lag_walk){run->plan, run->network, &run->chunks, collective->names,
                                         &collective->history, collective->last_lane,
                                         collective->last_rank, collective->started,
                                         collective->gate_rank},
                      &outcome->path);
    if (collective->listener != NULL)
        lag_engine_post(&collective->traffic->engine, outcome->completion, LAG_COLLECTIVE_FINISHED,
                        0, collective->on_done, 0);
}

static void handle_done(void *self, uint32_t rank, uint32_t data)
{
    lag_collective *collective = self;

    (void)rank;
    (void)data;
    collective->listener->done(collective->listener->self, collective);
}

static void finish(lag_collective *collective, uint32_t lane, uint32_t rank)
{
    struct lag_outcome *outcome = collective->outcome;
    const struct lag_observer *observer = collective->run->observer;
    lag_seconds now = collective->traffic->engine.now;

    if (lag_seat_is_switch(collective, rank))
        return;
    outcome->done[rank] = now; /* events come in order: the last lane's end stays */
    if (now >= outcome->completion) {
        outcome->completion = now;
        collective->last_lane = lane;
        collective->last_rank = rank;
    }
    if (observer != NULL && observer->finished != NULL)
        observer->finished(observer->self, now, lane, rank);
    if (--collective->n_open == 0)
        complete(collective);
}

/* Takes a seat into `round`, or into the next one in which it has something to do. */
static void enter(lag_collective *collective, uint32_t lane, uint32_t rank, uint32_t round)
{
    const struct lag_run *run = collective->run;
    struct lag_seat *seat = lag_seat_of(collective, lane, rank);
    struct laggard_step *step = &collective->step;

    for (;; round++) {
        if (round == run->plan->n_rounds) {
            seat->round = round;
            finish(collective, lane, rank);
            return;
        }
        lag_plan_step(run->plan, collective->names, lane, rank, round, step);
        if (step->n_sends + step->n_recvs > 0)
            break;
        if (collective->decisions != NULL)
            collective->decisions[lag_history_index(run->plan, lane, round, rank)] = 0;
    }
    seat->round = round;
    seat->open = step->n_sends + step->n_recvs;
    seat->done = collective->traffic->engine.now;
    seat->decided = 0;
    seat->sending = seat->receiving = (struct lag_interval){0, 0};
    if (run->observer != NULL && run->observer->entered != NULL)
        run->observer->entered(run->observer->self, seat->done, lane, rank, round);
    lag_transfer_meet(collective, seat);
}

static void handle_entry(void *self, uint32_t rank, uint32_t lane)
{
    lag_collective *collective = self;
    struct lag_seat *seat = lag_seat_of(collective, lane, rank);

    if (collective->busy_is_one_port)
        collective->outcome->busy[rank] += lag_busy_two(seat->sending, seat->receiving);
    if (lag_collective_is_dead(collective, rank))
        seat->round = LAG_NOT_THERE;
    else
        enter(collective, lane, rank, seat->round + 1);
}

static void start_rank(lag_collective *collective, uint32_t rank)
{
    if (lag_collective_is_dead(collective, rank))
        return;
    collective->started[rank] = collective->traffic->engine.now;
    for (uint32_t lane = 0; lane < collective->run->plan->n_lanes; lane++)
        enter(collective, lane, rank, 0);
}

/* All ranks but one are there: whoever is missing is the late one, and the others start. */
static void open_gate(lag_collective *collective, uint32_t last_in)
{
    uint32_t n = collective->run->plan->n_ranks, late = 0;

    while (!isnan(collective->started[late]))
        late++;
    collective->names = lag_plan_bind(collective->run->plan, late);
    collective->gate_rank = last_in;
    for (uint32_t rank = 0; rank < n; rank++)
        if (rank != late)
            start_rank(collective, rank);
}

static void handle_arrival(void *self, uint32_t rank, uint32_t data)
{
    lag_collective *collective = self;
    const struct laggard_plan *plan = collective->run->plan;

    (void)data;
    if (lag_collective_is_dead(collective, rank))
        return;
    collective->n_arrived++;
    collective->started[rank] = collective->traffic->engine.now;
    if (!lag_plan_is_gated(plan) || collective->n_arrived == plan->n_ranks)
        start_rank(collective, rank);
    else if (collective->n_arrived == plan->n_ranks - 1)
        open_gate(collective, rank);
}

void lag_collective_join(lag_collective *collective, uint32_t rank)
{
    struct lag_outcome *outcome = collective->outcome;
    lag_seconds now = collective->traffic->engine.now;

    assert(isnan(collective->started[rank]));
    outcome->first_arrival = MIN(outcome->first_arrival, now);
    outcome->last_arrival = now;
    outcome->last_to_arrive = rank;
    handle_arrival(collective, rank, 0);
}

/* Busy times: two intervals a round where ports do one thing at a time; where not, a union of all
 * intervals; none under eager transfers, where data may come before their receiver's round. */
static void prepare_busy(lag_collective *collective, const struct lag_run *run)
{
    bool wanted = !run->bare && !run->network->eager;

    collective->busy_is_one_port = wanted && lag_plan_is_one_port(run->plan);
    collective->busy_is_union = wanted && !collective->busy_is_one_port;
    collective->observed = run->observer != NULL || collective->busy_is_union;
    lag_busy_reset(&collective->busy);
}

/* True where a transfer costs what the two links of a switch say, and nothing else has to know. */
static bool is_plain(const lag_traffic *traffic, const struct lag_run *run)
{
    return !traffic->shares && run->network->topology->is_switch && run->ranks == NULL &&
           !run->plan->has_switch && run->network->adding == NULL &&
           !run->network->store_and_forward;
}

/* Makes the scratch memory fit the run. */
static void make_room(lag_collective *collective, const struct lag_run *run)
{
    const struct laggard_plan *plan = run->plan;
    uint32_t n_seats = plan->n_lanes * lag_plan_n_positions(plan);

    if (lag_plan_step_room(plan) > collective->step_room) {
        lag_step_clear(&collective->step);
        collective->step = lag_step_new(plan);
        collective->step_room = lag_plan_step_room(plan);
    }
    if (n_seats > collective->n_seats) {
        collective->seats = g_renew(struct lag_seat, collective->seats, n_seats);
        collective->n_seats = n_seats;
    }
    if (lag_plan_n_positions(plan) > collective->n_ranks) {
        collective->n_ranks = lag_plan_n_positions(plan);
        collective->started = g_renew(lag_seconds, collective->started, collective->n_ranks);
    }
    if (!run->bare)
        lag_history_prepare(&collective->history, plan, !collective->plain);
    lag_mailbox_reset(&collective->mailbox, n_seats);
}

static void seat_all(lag_collective *collective)
{
    const struct laggard_plan *plan = collective->run->plan;

    for (uint32_t i = 0; i < plan->n_lanes * collective->lane_seats; i++)
        collective->seats[i] = (struct lag_seat){
            .lane = i / collective->lane_seats,
            .rank = i % collective->lane_seats,
            .round = LAG_NOT_THERE,
        };
    for (uint32_t rank = 0; rank < collective->lane_seats; rank++)
        collective->started[rank] = NAN;
}

static void prepare(lag_collective *collective, const struct lag_run *run,
                    struct lag_outcome *outcome, const struct lag_collective_listener *listener)
{
    const struct laggard_plan *plan = run->plan;

    collective->plain = is_plain(collective->traffic, run);
    prepare_busy(collective, run);
    make_room(collective, run);
    collective->decisions = run->bare ? NULL : collective->history.decisions;
    collective->run = run;
    collective->listener = listener;
    collective->lane_seats = lag_plan_n_positions(plan);
    collective->lane_rounds = plan->n_rounds;
    collective->outcome = outcome;
    collective->names = lag_plan_bind(plan, 0);
    collective->n_arrived = 0;
    collective->n_open = plan->n_lanes * plan->n_ranks;
    collective->gate_rank = LAGGARD_NONE;
    collective->last_lane = collective->last_rank = 0;
    g_array_set_size(collective->flights, 0);
    collective->free_flight = LAGGARD_NONE;
    seat_all(collective);
    lag_run_begin(run, outcome);
    lag_traffic_record(collective->traffic, collective->user,
                       outcome->links_recorded ? outcome->link_bytes : NULL);
}

void lag_collective_attach(lag_collective *collective, lag_traffic *traffic)
{
    const struct lag_traffic_user user = {
        .self = collective,
        .left = lag_transfer_left,
        .there = lag_transfer_there,
    };

    collective->traffic = traffic;
    collective->n_open = 0;
    collective->user = lag_traffic_add_user(traffic, &user);
    collective->on_arrival = lag_engine_handler(&traffic->engine, handle_arrival, collective);
    collective->on_entry = lag_engine_handler(&traffic->engine, handle_entry, collective);
    collective->on_done = lag_engine_handler(&traffic->engine, handle_done, collective);
}

void lag_collective_start(lag_collective *collective, const struct lag_run *run,
                          struct lag_outcome *outcome,
                          const struct lag_collective_listener *listener)
{
    lag_engine *engine = &collective->traffic->engine;
    uint32_t n = run->plan->n_ranks;

    assert(n <= LAG_MAX_RANKS && collective->n_open == 0);
    prepare(collective, run, outcome, listener);
    for (uint32_t rank = 0; run->arrival != NULL && rank < n; rank++)
        if (isfinite(run->arrival[rank]))
            lag_engine_post(engine, run->arrival[rank], LAG_ARRIVAL, rank, collective->on_arrival,
                            0);
    if (run->plan->has_switch)
        start_rank(collective, n);
}
