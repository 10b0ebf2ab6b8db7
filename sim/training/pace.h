/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long each worker takes for each piece of work (a batch, a micro-batch), one after the other:
 *     (overhead + samples x time of a sample / speed) x slowdown + delay,
 * by the laws of the run's lateness. Each law is drawn once for each piece, from the worker's own
 * stream, the same as in sim/straggler.c, where a piece is a step. Ranks of a node whose entry
 * shares its draws have the same j-th piece. A trace's step is a piece too; after the last it begins
 * again. */
#ifndef LAGGARD_SIM_TRAINING_PACE_H
#define LAGGARD_SIM_TRAINING_PACE_H

#include "sim/straggler.h"

typedef struct lag_pace lag_pace;

/* Borrows the lateness, whose compute is the time of a sample. n_workers <= lateness->n_ranks. */
lag_pace *lag_pace_new(const struct lag_lateness *lateness, uint32_t n_workers,
                       lag_seconds overhead, uint64_t seed, uint32_t replication);
void lag_pace_free(lag_pace *pace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_pace, lag_pace_free)

/* The next piece of a worker, which starts at `now`: its duration. INFINITY where the worker
 * stands still. Deaths aren't looked at. */
lag_seconds lag_pace_next(lag_pace *pace, uint32_t worker, double samples, lag_seconds now);

/* The same without any law: what is expected where nothing is late. */
lag_seconds lag_pace_alone(const lag_pace *pace, uint32_t worker, double samples);

/* When it dies; INFINITY: never. */
lag_seconds lag_pace_death(const lag_pace *pace, uint32_t worker);

/* Samples a second at its own speed, without overhead; 0 where it stands still. */
double lag_pace_speed(const lag_pace *pace, uint32_t worker);

#endif
