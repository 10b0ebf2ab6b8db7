/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside replay: seats. A seat is one rank in one lane, and says which round it is in. Shared by
 * replay.c, transfer.c and stall.c only. */
#ifndef LAGGARD_SIM_SEAT_H
#define LAGGARD_SIM_SEAT_H

#include <math.h>

#include "sim/busy.h"
#include "sim/engine.h"
#include "sim/mailbox.h"
#include "sim/network/fabric.h"
#include "sim/path.h"
#include "sim/replay.h"

#define LAG_NOT_THERE UINT32_MAX /* the round of a seat whose rank has not entered, or is dead */

/* One rank in one lane. */
struct lag_seat {
    lag_seconds done; /* latest end of the round's transfers that are known [s] */
    uint32_t lane, rank;
    uint32_t round;
    uint32_t open;                          /* transfers of the round whose end is not known */
    lag_decision decided;                   /* what `done` is due to */
    lag_seconds contention;                 /* what sharing links added to that */
    struct lag_interval sending, receiving; /* of this round [s] */
};

/* A transfer on its way. */
struct lag_flight {
    struct lag_seat *src, *dst;
    uint32_t round;
    bool sender_later; /* than the receiver, to enter the round */
    lag_bytes bytes;
    lag_seconds begin;                /* its data start to leave */
    struct lag_cost cost;             /* alone on its links */
    struct laggard_transfer transfer; /* where it flies in the fabric */
    uint32_t next_free;
};

struct lag_replay {
    lag_engine engine;
    const struct lag_run *run;
    struct lag_outcome *outcome;
    struct lag_names names;
    struct lag_seat *seats; /* [lane * n_ranks + rank] */
    lag_seconds *started;   /* [rank] when it entered its first round, NAN before it arrives */
    struct laggard_step step;
    struct lag_history history;
    lag_decision *decisions;           /* history's, or NULL where this run keeps none */
    struct lag_mailbox mailbox;        /* by seat */
    uint32_t lane_seats, lane_rounds;  /* ranks and rounds of the plan */
    uint32_t degree, n_seats, n_ranks; /* what the scratch memory has room for */
    uint32_t n_arrived, n_finished;
    uint32_t gate_rank, last_lane, last_rank;
    bool observed;         /* more is wanted than times and the path */
    bool busy_is_one_port; /* busy times from the seats' two intervals; */
    bool busy_is_union;    /* or from all of a rank's intervals, here: */
    struct lag_busy busy;
    bool contends; /* transfers may share links: */
    lag_router *router;
    lag_fabric *fabric;     /* then they fly here, */
    GArray *flights;        /* of struct lag_flight, by cookie, */
    uint32_t free_flight;   /* with free slots from here on, or LAGGARD_NONE */
    lag_timer next_landing; /* of the fabric's next change */
    bool network_settles;   /* it is due at this very time */
    uint32_t on_arrival, on_entry, on_departure, on_network; /* handlers */
};

static inline struct lag_seat *lag_seat_of(lag_replay *replay, uint32_t lane, uint32_t rank)
{
    return &replay->seats[lane * replay->lane_seats + rank];
}

static inline bool lag_replay_is_dead(const lag_replay *replay, uint32_t rank)
{
    return replay->run->death != NULL && replay->engine.now > replay->run->death[rank];
}

#endif
