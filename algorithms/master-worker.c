/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Master and workers: each worker has its own part of the data and sends its gradient to the master,
 * which waits for all. The baseline of gradient coding. */
#include "algorithms/coded.h"
#include "sim/laggard.h"

enum {
    WORKERS
};
static const struct laggard_parameter parameters[] = {
    [WORKERS] = LAGGARD_CODED_WORKERS,
    {.name = NULL},
};

static bool make(struct laggard_coded *coded, const struct lag_protocol_run *run, GError **error)
{
    return laggard_coded_init_plain(coded, laggard_coded_workers(run->values[WORKERS], run), 1, run,
                                    error);
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

const struct laggard_protocol laggard_master_worker = {
    .name = "master-worker",
    .summary = "every worker sends its gradient to a master, which waits for all",
    .formula = "a d / N + N t_c where no time is random; else the last of N received one after the "
               "other",
    .source = "the uncoded baseline of "
              "Tandon, Lei, Dimakis, Karampatziakis: Gradient coding, ICML 2017",
    .workload = LAGGARD_GRADIENT,
    .parameters = parameters,
    .n_servers = 1,
    .check = check,
    .run = run_all,
};
