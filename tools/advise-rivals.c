/* SPDX-License-Identifier: GPL-3.0-or-later */
/* StragglAR against the others: break-even delays and hit rates, and switching between two. */
#include <math.h>

#include <gsl/gsl_statistics.h>

#include "tools/advise.h"

/* The steps in which `rank` was last; borrows nothing. NULL where there is none. */
static lag_delays *steps_of(const lag_delays *all, uint32_t rank)
{
    g_autoptr(lag_delays) some = g_new0(lag_delays, 1);
    size_t n_ranks = all->n_ranks;

    some->n_ranks = all->n_ranks;
    some->arrival = g_new(lag_seconds, all->n_steps * n_ranks);
    for (uint32_t step = 0; step < all->n_steps; step++) {
        if (all->last[step] != rank)
            continue;
        lag_seconds *arrival = some->arrival + some->n_steps * n_ranks;
        for (size_t i = 0; i < n_ranks; i++)
            arrival[i] = all->arrival[step * n_ranks + i];
        some->n_steps++;
    }
    return some->n_steps > 0 ? g_steal_pointer(&some) : NULL;
}

static bool add_exposed(lag_advice *advice, lag_trial *trial, const lag_delays *some,
                        uint32_t straggler, lag_seconds *sum, GError **error)
{
    lag_scenario *scenario = advice->question.site->scenario;
    g_autoptr(lag_plan) plan =
        lag_advice_plan(advice->rows[advice->predicted].algorithm, some->n_ranks, straggler, error);
    g_autofree lag_seconds *exposed =
        plan == NULL ? NULL : lag_advice_exposed(trial, scenario, plan, some, error);

    for (uint32_t i = 0; exposed != NULL && i < some->n_steps; i++)
        *sum += exposed[i];
    return exposed != NULL;
}

/* Means over the steps of the trace, whoever is last predicted each time, and the next rank. */
static bool find_measured(lag_advice *advice, lag_trial *trial, struct lag_hit_rate *ret,
                          GError **error)
{
    const lag_delays *all = advice->delays[LAG_FROM_TRACE];

    ret->right = ret->wrong = 0;
    for (uint32_t rank = 0; rank < all->n_ranks; rank++) {
        g_autoptr(lag_delays) some = steps_of(all, rank);
        if (some != NULL &&
            (!add_exposed(advice, trial, some, rank, &ret->right, error) ||
             !add_exposed(advice, trial, some, (rank + 1) % all->n_ranks, &ret->wrong, error)))
            return false;
    }
    ret->right /= all->n_steps;
    ret->wrong /= all->n_steps;
    return true;
}

static bool find_hidden(lag_advice *advice, lag_trial *trial, lag_seconds *ret_delay,
                        struct lag_hit_rate *ret, GError **error)
{
    const lag_scenario *scenario = advice->question.site->scenario;
    const struct lag_advice_row *star = &advice->rows[advice->predicted];
    uint32_t late = star->straggler;
    g_autoptr(lag_plan) wrong =
        lag_advice_plan(star->algorithm, scenario->n_ranks, (late + 1) % scenario->n_ranks, error);

    return wrong != NULL &&
           lag_delay_that_hides_all(trial, scenario, star->plan, late, ret_delay, error) &&
           lag_exposed_at(trial, scenario, star->plan, late, *ret_delay, &ret->right, error) &&
           lag_exposed_at(trial, scenario, wrong, late, *ret_delay, &ret->wrong, error);
}

static void set_rate(struct lag_hit_rate *hit)
{
    lag_seconds gain = hit->wrong - hit->right;

    hit->rate = gain > 1e-12 * hit->wrong ? (hit->wrong - hit->other) / gain : NAN;
}

bool lag_advice_face_rivals(lag_advice *advice, lag_trial *trial, GError **error)
{
    const lag_scenario *scenario = advice->question.site->scenario;
    struct lag_hit_rate hidden, measured;
    lag_seconds delay;

    if (advice->predicted == LAGGARD_NONE)
        return true;
    if (!find_hidden(advice, trial, &delay, &hidden, error) ||
        !find_measured(advice, trial, &measured, error))
        return false;
    const struct lag_advice_row *star = &advice->rows[advice->predicted];
    advice->rivals = g_new0(struct lag_rival, advice->n_rows);
    for (uint32_t i = 0; i < advice->n_rows; i++) {
        const struct lag_advice_row *row = &advice->rows[i];
        struct lag_rival *rival = &advice->rivals[advice->n_rivals];
        if (row->algorithm == star->algorithm)
            continue;
        struct lag_duel duel = {scenario, star->plan, row->plan, star->straggler};
        *rival = (struct lag_rival){.row = i, .hidden = hidden, .measured = measured};
        rival->measured.other = gsl_stats_mean(row->exposed[LAG_FROM_TRACE], 1, advice->n_replayed);
        if (!lag_break_even_find(trial, &duel, &rival->even, error) ||
            !lag_exposed_at(trial, scenario, row->plan, star->straggler, delay,
                            &rival->hidden.other, error))
            return false;
        set_rate(&rival->hidden);
        set_rate(&rival->measured);
        advice->n_rivals++;
    }
    return true;
}

static void follow_gaps(const lag_advice *advice, struct lag_policy *policy)
{
    const lag_delays *delays = advice->delays[LAG_FROM_TRACE];
    const lag_seconds *star = advice->rows[advice->star].exposed[LAG_FROM_TRACE];
    const lag_seconds *ring = advice->rows[advice->ring].exposed[LAG_FROM_TRACE];
    lag_seconds perfect = 0, previous = 0;

    for (uint32_t step = 0; step < delays->n_steps; step++) {
        bool right = delays->gap[step] > policy->from;
        bool guess = step > 0 && delays->gap[step - 1] > policy->from;
        perfect += right ? star[step] : ring[step];
        previous += guess ? star[step] : ring[step];
        policy->n_switched += right;
        policy->n_wrong += right != guess;
    }
    policy->perfect = perfect / delays->n_steps;
    policy->previous = previous / delays->n_steps;
    policy->cost_of_wrong = policy->n_wrong > 0 ? (previous - perfect) / policy->n_wrong : NAN;
}

bool lag_advice_weigh_policy(lag_advice *advice, lag_trial *trial, GError **error)
{
    struct lag_policy *policy = &advice->policy;
    struct lag_break_even even;

    if (advice->star == LAGGARD_NONE || advice->ring == LAGGARD_NONE)
        return true;
    struct lag_duel duel = {advice->question.site->scenario, advice->rows[advice->star].plan,
                            advice->rows[advice->ring].plan, advice->casting.predicted};
    if (!lag_break_even_find(trial, &duel, &even, error))
        return false;
    policy->from = even.verdict == LAG_A_FROM     ? even.delay
                   : even.verdict == LAG_A_ALWAYS ? 0
                                                  : INFINITY;
    policy->known = true;
    follow_gaps(advice, policy);
    return true;
}
