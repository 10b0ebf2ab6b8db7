/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data on their way: whatever sends over a network, collectives and protocols alike, sends here, on
 * one clock, and so shares its links. A parcel holds its sender's port for the overhead, then its
 * data cross the links of its route, all at once (cut-through) or one after the other
 * (store-and-forward), and are there one latency later. Under the fluid model links are shared max-min
 * fair; under alpha-beta each parcel has them for itself. Links change as the network's events say
 * (fault.h).
 *
 * How to use it: begin; add users; post events, send; lag_engine_run(&traffic->engine). */
#ifndef LAGGARD_SIM_TRAFFIC_H
#define LAGGARD_SIM_TRAFFIC_H

#include "sim/engine.h"
#include "sim/network/fabric.h"
#include "sim/network/network.h"

/* What to send. GPUs by number; topology->n_ranks is the switch itself, of a topology that is one. */
struct lag_parcel {
    uint32_t src, dst;
    lag_bytes bytes;
};

/* A parcel at one of its ends. Told as soon as it is known, which may be before it happens. */
struct lag_passage {
    lag_seconds from, to; /* when its data pass the port [s] */
    struct lag_cost cost; /* what they took, from the end of the overhead until `to` */
};

/* Who sends; `cookie` is what it said when it sent. First the sender's port: from `to` on it is free;
 * then the receiver's: at `to` the data are there. */
struct lag_traffic_user {
    void *self;
    void (*left)(void *self, uint32_t cookie, const struct lag_passage *passage);
    void (*there)(void *self, uint32_t cookie, const struct lag_passage *passage);
    double *link_bytes; /* as lag_traffic_record says */
};

enum lag_transit_state {
    LAG_TRANSIT_FREE,
    LAG_TRANSIT_LEAVES, /* an event is under way, at which it departs, or enters its next link */
    LAG_TRANSIT_FLIES,  /* in the fabric */
    LAG_TRANSIT_WAITS,  /* there is no way */
};

/* A parcel on its way. */
struct lag_transit {
    struct lag_parcel parcel;
    uint32_t user, cookie;
    enum lag_transit_state state;
    uint32_t hop, flow;           /* which link of the route, if one by one; fabric's */
    struct lag_route route;       /* found when it departs */
    double left;                  /* bytes of its flow */
    lag_seconds hop_latency;      /* of the links that it has crossed last [s] */
    lag_seconds begin, hop_begin; /* its data start to leave; start to cross this link [s] */
    struct lag_cost cost;         /* alone, of what it has crossed and crosses */
    uint32_t next_free;
};

typedef struct lag_traffic {
    lag_engine engine;
    const struct lag_network *network;
    lag_router *router;
    lag_fabric *fabric;
    bool shares;           /* parcels fly in the fabric */
    GArray *users;         /* of struct lag_traffic_user */
    GArray *transits;      /* of struct lag_transit, */
    uint32_t free_transit; /* with free ones from here on, or LAGGARD_NONE */
    GArray *landed;        /* of uint32_t, scratch */
    lag_rate *rate;        /* [room_links] of each link now; 0: dead */
    uint32_t *numbers;     /* [room_links] 0, 1, 2, ...: routes of one link */
    uint32_t room_links;
    lag_seconds start;      /* time of the job at this clock's 0 [s] */
    uint32_t next_event;    /* of the network's */
    lag_timer next_landing; /* when a flow ends, */
    lag_seconds landing_at; /* at that time; INFINITY: no timer is pending */
    bool settling;          /* the fabric is due at this very time */
    uint32_t on_departure, on_settling, on_landing, on_event;
} lag_traffic;

void lag_traffic_init(lag_traffic *traffic);
void lag_traffic_clear(lag_traffic *traffic);

/* Back to time 0, with no events, users or parcels, on a network (borrowed) that has come to
 * `start` of its events. `shares`: parcels may meet on a link; else each counts as alone. */
void lag_traffic_begin(lag_traffic *traffic, const struct lag_network *network, lag_seconds start,
                       bool shares);

/* The number is for lag_traffic_send. */
uint32_t lag_traffic_add_user(lag_traffic *traffic, const struct lag_traffic_user *user);

/* Has the bytes that cross each link added to link_bytes[n_links]; NULL: no more. */
void lag_traffic_record(lag_traffic *traffic, uint32_t user, double *link_bytes);

/* Sends now. Calls the user back later, or, where it counts as alone, at once. */
void lag_traffic_send(lag_traffic *traffic, uint32_t user, uint32_t cookie,
                      const struct lag_parcel *parcel);

/* The way between two GPUs, or a GPU and the switch; without links where they are one. */
struct lag_route lag_traffic_route(lag_traffic *traffic, uint32_t src, uint32_t dst);

/* For fault.c. Has the fabric share its links anew when all else that happens now has happened;
 * lets a transit fly the rest of its bytes on its route from its hop on; lands what has ended;
 * tries to depart. */
void lag_traffic_settle_later(lag_traffic *traffic);
void lag_traffic_fly(lag_traffic *traffic, uint32_t index);
void lag_traffic_ground(lag_traffic *traffic, uint32_t index);
void lag_traffic_land(lag_traffic *traffic);
void lag_traffic_depart(lag_traffic *traffic, uint32_t index);

static inline struct lag_transit *lag_transit_at(const lag_traffic *traffic, uint32_t index)
{
    return &g_array_index(traffic->transits, struct lag_transit, index);
}

#endif
