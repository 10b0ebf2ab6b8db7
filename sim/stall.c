/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/stall.h"

#define MAX_REPORTED 8 /* ranks in a stall's message */

/* "rank 3 waits in round 5 to receive chunk 2 from rank 4", for the first partner not there. */
static void describe_wait(lag_replay *replay, uint32_t lane, uint32_t rank, GString *text)
{
    const struct lag_seat *seat = lag_seat_of(replay, lane, rank);
    struct laggard_step *step = &replay->step;

    lag_plan_step(replay->run->plan, replay->names, lane, rank, seat->round, step);
    for (uint32_t i = 0; i < step->n_recvs + step->n_sends; i++) {
        bool receives = i < step->n_recvs;
        const struct laggard_transfer *t =
            receives ? &step->recvs[i] : &step->sends[i - step->n_recvs];
        uint32_t peer = receives ? t->src : t->dst;
        if (lag_seat_of(replay, lane, peer)->round == seat->round)
            continue;
        g_string_append_printf(text, "; rank %u waits in round %u to %s chunk %u %s rank %u", rank,
                               seat->round, receives ? "receive" : "send", t->first_chunk,
                               receives ? "from" : "to", peer);
        return;
    }
}

static void describe_seat(lag_replay *replay, uint32_t lane, uint32_t rank, GString *text)
{
    uint32_t round = lag_seat_of(replay, lane, rank)->round;

    if (round != LAG_NOT_THERE)
        describe_wait(replay, lane, rank, text);
    else if (isnan(replay->started[rank]))
        g_string_append_printf(text, "; rank %u never arrived", rank);
    else if (lag_replay_is_dead(replay, rank))
        g_string_append_printf(text, "; rank %u died", rank);
    else
        g_string_append_printf(text, "; rank %u waits until all ranks but one are there", rank);
}

bool lag_replay_report_stall(lag_replay *replay, GError **error)
{
    const struct laggard_plan *plan = replay->run->plan;
    uint32_t n_seats = plan->n_lanes * plan->n_ranks, n_reported = 0;
    g_autoptr(GString) text = g_string_new(NULL);

    for (uint32_t i = 0; i < n_seats && n_reported < MAX_REPORTED; i++) {
        if (replay->seats[i].round == plan->n_rounds)
            continue;
        describe_seat(replay, i / plan->n_ranks, i % plan->n_ranks, text);
        n_reported++;
    }
    uint32_t n_stuck = n_seats - replay->n_finished;
    if (n_stuck > n_reported)
        g_string_append_printf(text, "; and %u more", n_stuck - n_reported);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_STALLED,
                "stalled at %.9g s with %u of %u ranks not done%s", replay->engine.now, n_stuck,
                n_seats, text->str);
    return false;
}
