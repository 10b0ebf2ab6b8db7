/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweep will take, before it starts. */
#ifndef LAGGARD_TOOLS_SWEEP_ESTIMATE_H
#define LAGGARD_TOOLS_SWEEP_ESTIMATE_H

#include "results/store.h"
#include "scenarios/scenario.h"

/* Means over some points, evenly spread, times the number of all; exact where there are few. With a
 * precision in the scenario runs are the most that there may be. */
struct lag_sweep_estimate {
    uint32_t n_points;
    double n_runs;     /* collectives: points x algorithms x replications x steps */
    double n_messages; /* of all of them */
    double n_bytes;    /* of the database, roughly [B] */
};

/* `detail` is what the database keeps. False with LAGGARD_ERROR_INPUT where none of the points that
 * were looked at is valid. */
bool lag_sweep_estimate_of(const lag_document *document, enum lag_detail detail,
                           struct lag_sweep_estimate *ret, GError **error);

/* "49 points, 147 runs, 16 thousand messages, a database of 60 kB", newly allocated. */
char *lag_sweep_estimate_text(const struct lag_sweep_estimate *estimate);

#endif
