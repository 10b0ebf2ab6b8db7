/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/break-even.h"

#include <math.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>

#define N_INTERVALS    8 /* in which a change of sign is looked for */
#define MAX_ITERATIONS 100
#define PRECISION      1e-12 /* relative, of delays and of what counts as equal */

#define MOST_WRONG 16 /* other ranks that are tried as a wrong guess */

static bool exposed_once(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                         const lag_seconds *arrival, lag_seconds *ret_exposed, GError **error)
{
    const struct lag_outcome *outcome = lag_trial_once(trial, scenario, plan, arrival, error);

    if (outcome == NULL)
        return false;
    *ret_exposed = outcome->completion - outcome->last_arrival;
    return true;
}

/* The expectation over guesses. */
static bool exposed_by_guess(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                             const lag_seconds *arrival, uint32_t late, lag_seconds *ret_exposed,
                             GError **error)
{
    struct laggard_plan guessed = *plan;
    uint32_t n_others = plan->n_ranks - 1, n_wrong = MIN(n_others, MOST_WRONG);
    lag_seconds once, wrong = 0;

    guessed.late_rank = late;
    if (!exposed_once(trial, scenario, &guessed, arrival, ret_exposed, error))
        return false;
    for (uint32_t i = 0; i < n_wrong; i++) {
        guessed.late_rank = (late + 1 + i * n_others / n_wrong) % plan->n_ranks;
        if (!exposed_once(trial, scenario, &guessed, arrival, &once, error))
            return false;
        wrong += once / n_wrong;
    }
    if (n_wrong > 0)
        *ret_exposed = plan->hit_rate * *ret_exposed + (1 - plan->hit_rate) * wrong;
    return true;
}

bool lag_exposed_at(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                    uint32_t late, lag_seconds delay, lag_seconds *ret_exposed, GError **error)
{
    g_autofree lag_seconds *arrival = g_new0(lag_seconds, scenario->n_ranks);

    arrival[late] = delay;
    return plan->predicts
               ? exposed_by_guess(trial, scenario, plan, arrival, late, ret_exposed, error)
               : exposed_once(trial, scenario, plan, arrival, ret_exposed, error);
}

bool lag_delay_that_hides_all(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                              uint32_t late, lag_seconds *ret_delay, GError **error)
{
    lag_seconds at_zero;

    if (!lag_exposed_at(trial, scenario, plan, late, 0, &at_zero, error))
        return false;
    *ret_delay = 1.01 * at_zero;
    return true;
}

/* What the root finder asks: a's exposed time minus b's. */
struct question {
    lag_trial *trial;
    const struct lag_duel *duel;
    lag_seconds largest; /* exposed time seen [s] */
    GError *error;
};

static double difference(double delay, void *data)
{
    struct question *q = data;
    const struct lag_duel *duel = q->duel;
    lag_seconds a, b;

    if (q->error != NULL ||
        !lag_exposed_at(q->trial, duel->scenario, duel->a, duel->late, delay, &a, &q->error) ||
        !lag_exposed_at(q->trial, duel->scenario, duel->b, duel->late, delay, &b, &q->error))
        return NAN;
    q->largest = MAX(q->largest, MAX(a, b));
    return fabs(a - b) <= PRECISION * MAX(a, b) ? 0 : a - b;
}

/* The zero between two delays at which the difference has opposite signs. */
static lag_seconds find_root(struct question *question, lag_seconds low, lag_seconds high)
{
    gsl_function function = {difference, question};
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    int status = gsl_root_fsolver_set(solver, &function, low, high);

    for (int i = 0; status == GSL_SUCCESS && i < MAX_ITERATIONS; i++) {
        status = gsl_root_fsolver_iterate(solver);
        if (status == GSL_SUCCESS &&
            gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
                                   gsl_root_fsolver_x_upper(solver), 0, PRECISION) == GSL_SUCCESS)
            break;
    }
    lag_seconds root = gsl_root_fsolver_root(solver);
    gsl_root_fsolver_free(solver);
    return root;
}

/* Walks from 0 to `last` and searches where the first change of sign is. Zeros take the sign of
 * what comes after them, so that two that are equal without delay have no break-even. */
static struct lag_break_even search(struct question *question, lag_seconds last)
{
    double sign = 0;
    lag_seconds before = 0;

    for (int i = 0; i <= N_INTERVALS; i++) {
        lag_seconds delay = last * i / N_INTERVALS;
        double here = difference(delay, question);
        if (here * sign < 0)
            return (struct lag_break_even){here < 0 ? LAG_A_FROM : LAG_B_FROM,
                                           find_root(question, before, delay)};
        if (here != 0) {
            sign = here;
            before = delay;
        }
    }
    return (struct lag_break_even){sign < 0   ? LAG_A_ALWAYS
                                   : sign > 0 ? LAG_B_ALWAYS
                                              : LAG_EQUAL,
                                   NAN};
}

bool lag_break_even_find(lag_trial *trial, const struct lag_duel *duel, struct lag_break_even *ret,
                         GError **error)
{
    struct question question = {.trial = trial, .duel = duel};
    lag_seconds a, b;

    if (!lag_delay_that_hides_all(trial, duel->scenario, duel->a, duel->late, &a, error) ||
        !lag_delay_that_hides_all(trial, duel->scenario, duel->b, duel->late, &b, error))
        return false;
    struct lag_break_even found = search(&question, MAX(a, b));
    if (question.error != NULL) {
        g_propagate_error(error, question.error);
        return false;
    }
    *ret = found;
    return true;
}
