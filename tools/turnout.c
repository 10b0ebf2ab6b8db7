/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/turnout.h"

struct lag_turnout {
    const lag_scenario *scenario;
    lag_arrivals *arrivals;
    lag_seconds *arrival, *compute; /* [n_gpus]; NULL where all take part, in order */
    lag_seconds *death;             /* [n_ranks], likewise */
};

lag_turnout *lag_turnout_new(const lag_scenario *scenario, uint32_t replication)
{
    lag_turnout *turnout = g_new0(lag_turnout, 1);

    turnout->scenario = scenario;
    turnout->arrivals = lag_arrivals_new(&scenario->lateness, scenario->seed, replication);
    if (scenario->ranks == NULL)
        return turnout;
    turnout->arrival = g_new(lag_seconds, scenario->n_gpus);
    turnout->compute = g_new(lag_seconds, scenario->n_gpus);
    turnout->death = g_new(lag_seconds, scenario->n_ranks);
    return turnout;
}

void lag_turnout_free(lag_turnout *turnout)
{
    if (turnout == NULL)
        return;
    lag_arrivals_free(turnout->arrivals);
    g_free(turnout->arrival);
    g_free(turnout->compute);
    g_free(turnout->death);
    g_free(turnout);
}

/* all[n_gpus] -> ret[n_ranks] */
static void pick(const lag_scenario *scenario, const lag_seconds *all, lag_seconds *ret)
{
    for (uint32_t rank = 0; rank < scenario->n_ranks; rank++)
        ret[rank] = all[scenario->ranks[rank]];
}

void lag_turnout_next(lag_turnout *turnout, lag_seconds *arrival, lag_seconds *compute)
{
    if (turnout->arrival == NULL) {
        lag_arrivals_next(turnout->arrivals, arrival, compute);
        return;
    }
    lag_arrivals_next(turnout->arrivals, turnout->arrival, turnout->compute);
    pick(turnout->scenario, turnout->arrival, arrival);
    pick(turnout->scenario, turnout->compute, compute);
}

const lag_seconds *lag_turnout_death(lag_turnout *turnout)
{
    const lag_seconds *death = lag_arrivals_death(turnout->arrivals);

    if (death == NULL || turnout->death == NULL)
        return death;
    pick(turnout->scenario, death, turnout->death);
    return turnout->death;
}

const double *lag_turnout_link_factors(const lag_turnout *turnout)
{
    return lag_arrivals_link_factors(turnout->arrivals);
}

bool lag_turnout_needs_clock(const lag_turnout *turnout)
{
    return lag_arrivals_need_clock(turnout->arrivals);
}

void lag_turnout_elapse(lag_turnout *turnout, lag_seconds duration)
{
    lag_arrivals_elapse(turnout->arrivals, duration);
}
