/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradient coding: each worker holds stragglers + 1 of N parts and sends one combination of their
 * gradients; the master decodes the sum from those that have come. A tree of depth 1. */
#include "algorithms/coded.h"
#include "sim/laggard.h"

enum {
    WORKERS,
    CODED
};
static const struct laggard_parameter parameters[] = {
    [WORKERS] = LAGGARD_CODED_WORKERS,
    LAGGARD_CODED_PARAMETERS(CODED),
    {.name = NULL},
};

static bool make(struct laggard_coded *coded, const struct lag_protocol_run *run, GError **error)
{
    return laggard_coded_init(coded, laggard_coded_workers(run->values[WORKERS], run), 1,
                              run->values + CODED, run, error);
}

static bool check(const struct lag_protocol_run *run, GError **error)
{
    return laggard_coded_check(make, run, error);
}

static bool run_all(const struct lag_protocol_run *run, struct lag_protocol_outcome *outcome,
                    GError **error)
{
    return laggard_coded_run(make, run, outcome, error);
}

const struct laggard_protocol laggard_gradient_coding = {
    .name = "gradient-coding",
    .summary = "a master decodes the gradient from all workers but the late ones",
    .formula = "a (s + 1) d / N + (N - s) t_c where no time is random and all but s are waited for",
    .source = "Tandon, Lei, Dimakis, Karampatziakis: Gradient coding, ICML 2017",
    .workload = LAGGARD_GRADIENT,
    .parameters = parameters,
    .n_servers = 1,
    .check = check,
    .run = run_all,
};
