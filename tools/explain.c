/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/explain.h"

#include <math.h>

#include "algorithms/algorithms.h"
#include "tools/campaign.h"

/* Which rank is late for a plan: the one that it has fixed, else the last. */
static uint32_t late_rank(const lag_plan *plan)
{
    return plan->late_rank != LAGGARD_NONE ? plan->late_rank : plan->n_ranks - 1;
}

/* Patarasuk and Yuan: an allreduce moves 2 (n - 1) S bytes; all ports together can't be faster. It
 * doesn't hold where the network adds, or servers that bring nothing. */
static lag_seconds lower_bound(const lag_scenario *scenario, const lag_plan *plan)
{
    lag_rate rates = 0;

    if (scenario->collective != LAGGARD_ALLREDUCE || plan->has_switch || plan->n_servers > 0)
        return NAN;
    for (uint32_t rank = 0; rank < scenario->n_ranks; rank++)
        rates += scenario->topology->links[lag_topology_egress(scenario->topology, rank)].rate;
    return 2.0 * (scenario->n_ranks - 1) * (double)scenario->size / rates;
}

static void count_sent(const lag_scenario *scenario, const lag_plan *plan,
                       struct lag_portrait *portrait)
{
    uint32_t n = scenario->n_ranks;
    struct lag_chunks chunks =
        lag_chunks_of(scenario->size, scenario->element_bytes, plan->n_chunks);
    struct lag_subject subject = {plan, scenario->topology, &chunks};
    g_autofree uint64_t *arrived_last = g_new0(uint64_t, n);
    g_autofree double *bytes = g_new0(double, scenario->topology->n_links);

    arrived_last[portrait->late] = 1;
    lag_link_bytes(&subject, arrived_last, bytes);
    portrait->sent_min = INFINITY;
    for (uint32_t rank = 0; rank < n; rank++) {
        double sent = bytes[lag_topology_egress(scenario->topology, rank)];
        portrait->sent_min = MIN(portrait->sent_min, sent);
        portrait->sent_max = MAX(portrait->sent_max, sent);
    }
}

static bool draw_portrait(lag_trial *trial, const lag_explanation *explanation, uint32_t index,
                          GError **error)
{
    const lag_scenario *scenario = explanation->scenario;
    const lag_plan *plan = explanation->plans[index];
    struct lag_portrait *portrait = &explanation->portraits[index];
    lag_seconds delay;

    *portrait = (struct lag_portrait){
        .algorithm = scenario->entrants[index].algorithm,
        .label = scenario->entrants[index].label,
        .n_chunks = plan->n_chunks,
        .n_rounds = plan->n_rounds,
        .n_rounds_before = plan->n_rounds_before,
        .n_rounds_missed = plan->n_rounds_missed,
        .late = late_rank(plan),
        .bound = lower_bound(scenario, plan),
        .row = &explanation->set->results[index],
    };
    count_sent(scenario, plan, portrait);
    return lag_exposed_at(trial, scenario, plan, portrait->late, 0, &portrait->at_zero, error) &&
           lag_delay_that_hides_all(trial, scenario, plan, portrait->late, &delay, error) &&
           lag_exposed_at(trial, scenario, plan, portrait->late, delay, &portrait->hidden, error);
}

static bool compare_pairs(lag_trial *trial, lag_explanation *explanation, GError **error)
{
    uint32_t n = explanation->n_portraits;

    explanation->pairs = g_new0(struct lag_pair, n * (n - 1) / 2);
    for (uint32_t i = 0; i < n * n; i++) {
        struct lag_pair pair = {.a = i / n, .b = i % n};
        if (pair.a >= pair.b)
            continue;
        const lag_plan *a = explanation->plans[pair.a], *b = explanation->plans[pair.b];
        pair.late = late_rank(a->late_rank != LAGGARD_NONE ? a : b);
        struct lag_duel duel = {explanation->scenario, a, b, pair.late};
        if (!lag_break_even_find(trial, &duel, &pair.result, error))
            return false;
        explanation->pairs[explanation->n_pairs++] = pair;
    }
    return true;
}

lag_explanation *lag_explanation_new(const lag_document *document, GError **error)
{
    g_autoptr(lag_explanation) explanation = g_new0(lag_explanation, 1);
    g_autoptr(lag_trial) trial = lag_trial_new();
    g_autoptr(lag_campaign) campaign = lag_campaign_new(document, 0, 1, error);

    if (campaign == NULL)
        return NULL;
    explanation->set = lag_campaign_run(campaign, g_get_num_processors(), error);
    explanation->scenario = lag_document_point(document, 0, error);
    if (explanation->set == NULL || explanation->scenario == NULL)
        return NULL;
    explanation->n_portraits = explanation->scenario->n_entrants;
    explanation->plans = g_new0(lag_plan *, explanation->n_portraits);
    explanation->portraits = g_new0(struct lag_portrait, explanation->n_portraits);
    for (uint32_t i = 0; i < explanation->n_portraits; i++) {
        explanation->plans[i] = lag_trial_plan(explanation->scenario, i, error);
        if (explanation->plans[i] == NULL || !draw_portrait(trial, explanation, i, error))
            return NULL;
    }
    return compare_pairs(trial, explanation, error) ? g_steal_pointer(&explanation) : NULL;
}

void lag_explanation_free(lag_explanation *explanation)
{
    if (explanation == NULL)
        return;
    for (uint32_t i = 0; i < explanation->n_portraits; i++)
        lag_plan_free(explanation->plans[i]);
    g_free(explanation->plans);
    g_free(explanation->portraits);
    g_free(explanation->pairs);
    lag_scenario_free(explanation->scenario);
    lag_result_set_free(explanation->set);
    g_free(explanation);
}
