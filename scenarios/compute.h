/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `workload.compute:` how long each rank computes in a step: a time, or work that the GPUs of
 * cluster.gpus take their time for. */
#ifndef LAGGARD_SCENARIOS_COMPUTE_H
#define LAGGARD_SCENARIOS_COMPUTE_H

#include "scenarios/draft.h"

extern const struct lag_form lag_form_compute;

/* Sets the scenario's compute times, their source, and its samples a step; `into` is the draft,
 * whose cluster is read. */
bool lag_read_compute(const struct lag_at *at, void *into, GError **error);

#endif
