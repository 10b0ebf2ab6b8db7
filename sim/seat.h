/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside a collective: seats. A seat is one position in one lane, a rank or the switch, and says
 * which round it is in. Shared by collective.c, transfer.c and stall.c only. */
#ifndef LAGGARD_SIM_SEAT_H
#define LAGGARD_SIM_SEAT_H

#include <math.h>

#include "sim/busy.h"
#include "sim/collective.h"
#include "sim/mailbox.h"
#include "sim/path.h"

#define LAG_NOT_THERE UINT32_MAX /* the round of a seat whose rank has not entered, or is dead */

/* One rank in one lane. */
struct lag_seat {
    lag_seconds done; /* latest end of the round's transfers that are known [s] */
    uint32_t lane, rank;
    uint32_t round;
    uint32_t open;                          /* transfers of the round whose end is not known */
    lag_decision decided;                   /* what `done` is due to, */
    struct lag_cost cost;                   /* and what that took; where the history keeps costs */
    struct lag_interval sending, receiving; /* of this round [s] */
};

/* A transfer in the traffic. */
struct lag_flight {
    struct lag_seat *src, *dst;
    uint32_t round;
    bool sender_later;       /* than the receiver, to enter the round */
    lag_seconds start, sent; /* it holds its sender's port from .. to [s] */
    struct laggard_transfer transfer;
    uint32_t next_free;
};

struct lag_collective {
    lag_traffic *traffic;
    uint32_t user; /* of the traffic */
    const struct lag_run *run;
    struct lag_outcome *outcome;
    const struct lag_collective_listener *listener; /* or NULL */
    struct lag_names names;
    struct lag_seat *seats; /* [lane * lane_seats + rank] */
    lag_seconds *started;   /* [rank] when it entered its first round, NAN before it arrives */
    struct laggard_step step;
    struct lag_history history;
    lag_decision *decisions;              /* history's, or NULL where this run keeps none */
    struct lag_mailbox mailbox;           /* by seat */
    uint32_t lane_seats, lane_rounds;     /* positions and rounds of the plan */
    uint32_t step_room, n_seats, n_ranks; /* what the scratch memory has room for */
    uint32_t n_arrived, n_open;           /* ranks; lanes of ranks that aren't done */
    uint32_t gate_rank, last_lane, last_rank;
    bool plain;            /* each transfer's cost is that of a switch's two links */
    bool observed;         /* more is wanted of plain transfers than times and the path */
    bool busy_is_one_port; /* busy times from the seats' two intervals; */
    bool busy_is_union;    /* or from all of a rank's intervals, here: */
    struct lag_busy busy;
    GArray *flights;                        /* of struct lag_flight, by cookie, */
    uint32_t free_flight;                   /* with free slots from here on, or LAGGARD_NONE */
    uint32_t on_arrival, on_entry, on_done; /* handlers */
};

static inline struct lag_seat *lag_seat_of(const lag_collective *collective, uint32_t lane,
                                           uint32_t rank)
{
    return &collective->seats[lane * collective->lane_seats + rank];
}

/* True where a seat is the switch's, not a rank's. */
static inline bool lag_seat_is_switch(const lag_collective *collective, uint32_t rank)
{
    return rank == collective->run->plan->n_ranks;
}

static inline bool lag_collective_is_dead(const lag_collective *collective, uint32_t rank)
{
    const lag_seconds *death = collective->run->death;

    return death != NULL && !lag_seat_is_switch(collective, rank) &&
           collective->traffic->engine.now > death[rank];
}

#endif
