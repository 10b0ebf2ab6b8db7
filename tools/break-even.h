/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From which delay on one algorithm beats another: one rank arrives late by D, all others at 0,
 * and the D is wanted at which both have the same exposed time. Found by simulation alone. */
#ifndef LAGGARD_TOOLS_BREAK_EVEN_H
#define LAGGARD_TOOLS_BREAK_EVEN_H

#include "tools/trial.h"

struct lag_duel {
    const lag_scenario *scenario;
    const lag_plan *a, *b;
    uint32_t late; /* the rank */
};

enum lag_verdict {
    LAG_A_FROM,   /* a is faster from `delay` on, b before */
    LAG_B_FROM,   /* the other way round */
    LAG_A_ALWAYS, /* a is faster at any delay */
    LAG_B_ALWAYS,
    LAG_EQUAL, /* at any delay */
};
struct lag_break_even {
    enum lag_verdict verdict;
    lag_seconds delay; /* NAN where there is none [s] */
};

/* The exposed time where `late` is late by `delay`. Of a plan that predicts its late rank it is the
 * expectation; wrong guesses are an average over at most 16 other ranks, evenly spread. */
bool lag_exposed_at(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                    uint32_t late, lag_seconds delay, lag_seconds *ret_exposed, GError **error);

/* A delay behind which more delay changes no exposed time: the collective without one has ended
 * by then, so all that doesn't need the late rank has. */
bool lag_delay_that_hides_all(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                              uint32_t late, lag_seconds *ret_delay, GError **error);

bool lag_break_even_find(lag_trial *trial, const struct lag_duel *duel, struct lag_break_even *ret,
                         GError **error);

#endif
