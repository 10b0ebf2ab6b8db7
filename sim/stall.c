/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/stall.h"

#define MAX_REPORTED 8 /* ranks in a stall's message */

/* The partner of the i-th transfer that a step waits for: its receives, then its sends. */
static uint32_t partner(const struct laggard_step *step, uint32_t i)
{
    return i < step->n_recvs ? step->recvs[i].src : step->sends[i - step->n_recvs].dst;
}

/* True where a partner will never do its part: it isn't there, is behind, or is dead. */
static bool is_missing(lag_replay *replay, uint32_t lane, uint32_t rank, uint32_t round)
{
    uint32_t at = lag_seat_of(replay, lane, rank)->round;

    return at == LAG_NOT_THERE || at < round || lag_replay_is_dead(replay, rank);
}

/* Which of its transfers a seat waits for: one whose partner is missing, or else one whose partner
 * has gone on without it, in a plan whose ends disagree. */
static uint32_t find_culprit(lag_replay *replay, const struct lag_seat *seat, uint32_t n_waits)
{
    const struct laggard_step *step = &replay->step;

    for (uint32_t i = 0; i < n_waits; i++)
        if (is_missing(replay, seat->lane, partner(step, i), seat->round))
            return i;
    for (uint32_t i = 0; i < n_waits; i++)
        if (lag_seat_of(replay, seat->lane, partner(step, i))->round != seat->round)
            return i;
    return n_waits;
}

/* "rank 3 waits in round 5 to receive chunk 2 from rank 4". Nobody waits to send eagerly. */
static void describe_wait(lag_replay *replay, const struct lag_seat *seat, GString *text)
{
    struct laggard_step *step = &replay->step;

    lag_plan_step(replay->run->plan, replay->names, seat->lane, seat->rank, seat->round, step);
    uint32_t n_waits = step->n_recvs + (replay->run->network->eager ? 0 : step->n_sends);
    uint32_t i = find_culprit(replay, seat, n_waits);
    if (i == n_waits)
        return;
    bool receives = i < step->n_recvs;
    g_string_append_printf(text, "; rank %u waits in round %u to %s chunk %u %s rank %u",
                           seat->rank, seat->round, receives ? "receive" : "send",
                           receives ? step->recvs[i].first_chunk
                                    : step->sends[i - step->n_recvs].first_chunk,
                           receives ? "from" : "to", partner(step, i));
}

static void describe_seat(lag_replay *replay, uint32_t lane, uint32_t rank, GString *text)
{
    uint32_t round = lag_seat_of(replay, lane, rank)->round;

    if (isnan(replay->started[rank]))
        g_string_append_printf(text, "; rank %u never arrived", rank);
    else if (lag_replay_is_dead(replay, rank))
        g_string_append_printf(text, "; rank %u died", rank);
    else if (round != LAG_NOT_THERE)
        describe_wait(replay, lag_seat_of(replay, lane, rank), text);
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
