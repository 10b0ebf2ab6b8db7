/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/stall.h"

#include "sim/seat.h"

#define MAX_REPORTED 8 /* ranks in a stall's message */

/* The partner of the i-th transfer that a step waits for: its receives, then its sends. */
static uint32_t partner(const struct laggard_step *step, uint32_t i)
{
    return i < step->n_recvs ? step->recvs[i].src : step->sends[i - step->n_recvs].dst;
}

/* True where a partner will never do its part: it isn't there, is behind, or is dead. */
static bool is_missing(lag_collective *collective, uint32_t lane, uint32_t rank, uint32_t round)
{
    uint32_t at = lag_seat_of(collective, lane, rank)->round;

    return at == LAG_NOT_THERE || at < round || lag_collective_is_dead(collective, rank);
}

/* Which of its transfers a seat waits for: one whose partner is missing, or else one whose partner
 * has gone on without it, in a plan whose ends disagree. */
static uint32_t find_culprit(lag_collective *collective, const struct lag_seat *seat,
                             uint32_t n_waits)
{
    const struct laggard_step *step = &collective->step;

    for (uint32_t i = 0; i < n_waits; i++)
        if (is_missing(collective, seat->lane, partner(step, i), seat->round))
            return i;
    for (uint32_t i = 0; i < n_waits; i++)
        if (lag_seat_of(collective, seat->lane, partner(step, i))->round != seat->round)
            return i;
    return n_waits;
}

static void append_rank(const lag_collective *collective, uint32_t rank, GString *text)
{
    if (lag_seat_is_switch(collective, rank))
        g_string_append(text, "the switch");
    else
        g_string_append_printf(text, "rank %u", rank);
}

/* "rank 3 waits in round 5 to receive chunk 2 from rank 4". Nobody waits to send eagerly, unless
 * the data have no way. */
static void describe_wait(lag_collective *collective, const struct lag_seat *seat, GString *text)
{
    struct laggard_step *step = &collective->step;

    lag_plan_step(collective->run->plan, collective->names, seat->lane, seat->rank, seat->round,
                  step);
    uint32_t n_waits = step->n_recvs + (collective->run->network->eager ? 0 : step->n_sends);
    uint32_t i = find_culprit(collective, seat, n_waits);
    g_string_append(text, "; ");
    append_rank(collective, seat->rank, text);
    g_string_append_printf(text, " waits in round %u", seat->round);
    if (i == n_waits) {
        g_string_append(text, " for data on their way");
        return;
    }
    bool receives = i < step->n_recvs;
    g_string_append_printf(text, " to %s chunk %u %s ", receives ? "receive" : "send",
                           receives ? step->recvs[i].first_chunk
                                    : step->sends[i - step->n_recvs].first_chunk,
                           receives ? "from" : "to");
    append_rank(collective, partner(step, i), text);
}

static void describe_seat(lag_collective *collective, uint32_t lane, uint32_t rank, GString *text)
{
    uint32_t round = lag_seat_of(collective, lane, rank)->round;

    if (isnan(collective->started[rank]))
        g_string_append_printf(text, "; rank %u never arrived", rank);
    else if (lag_collective_is_dead(collective, rank))
        g_string_append_printf(text, "; rank %u died", rank);
    else if (round != LAG_NOT_THERE)
        describe_wait(collective, lag_seat_of(collective, lane, rank), text);
    else
        g_string_append_printf(text, "; rank %u waits until all ranks but one are there", rank);
}

void lag_stall_describe(lag_collective *collective, GString *text)
{
    const struct laggard_plan *plan = collective->run->plan;
    uint32_t n_seats = plan->n_lanes * plan->n_ranks, n_reported = 0;

    if (collective->run->name != NULL)
        g_string_append_printf(text, "%s: ", collective->run->name);
    g_string_append_printf(text, "%u of %u ranks not done", collective->n_open, n_seats);
    for (uint32_t i = 0; i < n_seats && n_reported < MAX_REPORTED; i++) {
        uint32_t lane = i / plan->n_ranks, rank = i % plan->n_ranks;
        if (lag_seat_of(collective, lane, rank)->round == plan->n_rounds)
            continue;
        describe_seat(collective, lane, rank, text);
        n_reported++;
    }
    if (collective->n_open > n_reported)
        g_string_append_printf(text, "; and %u more", collective->n_open - n_reported);
}
