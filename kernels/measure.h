/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times one kernel at one size: executions in batches that the clock can resolve, batches until
 * the median is known well enough. */
#ifndef LAGGARD_KERNELS_MEASURE_H
#define LAGGARD_KERNELS_MEASURE_H

#include "kernels/backend.h"
#include "kernels/samples.h"

/* How long to go on. */
struct lag_effort {
    double batch;         /* a batch takes at least so long [s] */
    uint32_t least, most; /* batches */
    double interval;      /* relative: enough of them */
    double budget;        /* [s] for one timing, unless `least` take longer */
};
struct lag_effort lag_effort_of(bool quick);

/* Where the vectors lie. Cold: each execution takes the next place of the arena, which then is
 * longest unused; the arena is several times the last cache. Warm: always the same place. */
struct lag_ring {
    uint64_t bytes; /* of the arena */
    uint64_t next;
    bool cold;
};

struct lag_measured {
    struct lag_samples_summary summary; /* [s] for one execution */
    uint32_t repetitions, batch;
    uint32_t outliers; /* those of the summary, and batches that were disturbed */
    double clock;      /* [Hz]; 0: not known */
};

/* The job must fit into the ring. */
bool lag_measure(struct lag_backend *backend, const struct lag_job *job, struct lag_ring *ring,
                 const struct lag_effort *effort, struct lag_measured *ret);

/* Bytes that one place of the ring takes. */
uint64_t lag_footprint(const struct lag_job *job);

#endif
