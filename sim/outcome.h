/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one collective took, on either engine. Times count from the start of the step. */
#ifndef LAGGARD_SIM_OUTCOME_H
#define LAGGARD_SIM_OUTCOME_H

#include <stdbool.h>

#include <glib.h>

#include "sim/units.h"

/* Where the time on the critical path went; the parts sum to the completion time [s]. */
struct lag_shares {
    lag_seconds wait;       /* until the path's first rank could start */
    lag_seconds overhead;   /* ports held before their transfers */
    lag_seconds bandwidth;  /* bytes / rate, at the rate of the slowest link alone */
    lag_seconds latency;    /* propagation */
    lag_seconds adding;     /* received data to the receiver's own */
    lag_seconds contention; /* what sharing links, or waiting for dead ones, added */
};

/* One transfer on the critical path. */
struct lag_hop {
    uint32_t lane, round, src, dst;
    uint32_t link; /* the one that set its rate */
    lag_bytes bytes;
    bool by_send; /* it held its sender up (the sender's port), not its receiver */
    lag_seconds overhead, bandwidth, latency, adding, contention; /* its shares [s] */
};

/* The chain of events that decided the completion, from an arrival to the last rank's end. */
struct lag_path {
    bool recorded; /* false: the run was too large to record it */
    struct lag_shares shares;
    uint32_t first_rank; /* whose arrival started it */
    uint32_t last_rank;  /* who ended last */
    GArray *hops;        /* of struct lag_hop, in order of time */
};

/* Buffers are made once and used for run after run. */
struct lag_outcome {
    uint32_t n_ranks;
    lag_seconds completion;    /* the last rank's end [s] */
    lag_seconds first_arrival; /* [s] */
    lag_seconds last_arrival;  /* [s] */
    uint32_t last_to_arrive;   /* rank; the highest of several */
    uint32_t late_rank;        /* that the plan had fixed; LAGGARD_NONE: it took who came last */
    uint64_t n_messages;
    lag_bytes wire_bytes; /* sum over all transfers */
    lag_seconds *done;    /* [n_ranks] when its last round ended */
    lag_seconds *busy;    /* [n_ranks] time in which a port of it moved data */
    bool busy_recorded;   /* else `busy` holds nothing: too many messages, or eager */
    struct lag_path path;
    /* Where links change under way: the bytes that crossed each, and those that it could have
     * carried from the first arrival to the completion. [n_links], or NULL. */
    bool links_recorded;
    uint32_t n_links;
    double *link_bytes, *link_capacity;
};

void lag_outcome_init(struct lag_outcome *outcome, uint32_t n_ranks);
void lag_outcome_clear(struct lag_outcome *outcome);

/* Has what crosses links recorded, from 0 on. */
void lag_outcome_record_links(struct lag_outcome *outcome, uint32_t n_links);

#endif
