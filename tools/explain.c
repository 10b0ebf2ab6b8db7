/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/explain.h"

#include <math.h>

#include "algorithms/algorithms.h"
#include "sim/volume.h"
#include "tools/campaign.h"

/* Which rank is late for a plan: the one that it has fixed, else the last. */
static uint32_t late_rank(const lag_plan *plan)
{
    return plan->late_rank != LAGGARD_NONE ? plan->late_rank : plan->n_ranks - 1;
}

/* Least that a transfer between two ranks takes to arrive: known where there is one switch [s]. */
static lag_seconds least_latency(const lag_scenario *scenario)
{
    const lag_topology *topology = scenario->topology;
    lag_seconds out = INFINITY, in = INFINITY;

    if (!topology->is_switch || scenario->n_ranks == 1)
        return 0;
    for (uint32_t rank = 0; rank < scenario->n_ranks; rank++) {
        uint32_t gpu = lag_scenario_rank(scenario, rank);
        out = fmin(out, topology->links[lag_topology_egress(topology, gpu)].latency);
        in = fmin(in, topology->links[lag_topology_ingress(topology, gpu)].latency);
    }
    return out + in;
}

/* Patarasuk and Yuan: an allreduce moves 2 (n - 1) S bytes; all ports together can't be faster, and
 * what leaves last still takes a latency. It doesn't hold where the network adds, or servers that
 * bring nothing. */
static lag_seconds lower_bound(const lag_scenario *scenario, const lag_plan *plan)
{
    g_autofree bool *takes_part = g_new0(bool, scenario->topology->n_nodes);
    lag_rate rates = 0;

    for (uint32_t rank = 0; rank < scenario->n_ranks; rank++)
        takes_part[lag_scenario_rank(scenario, rank)] = true;
    if (scenario->collective != LAGGARD_ALLREDUCE || plan->has_switch || plan->n_servers > 0)
        return NAN;
    for (uint32_t link = 0; link < scenario->topology->n_links; link++)
        if (takes_part[scenario->topology->links[link].from])
            rates += scenario->topology->links[link].rate;
    return 2.0 * (scenario->n_ranks - 1) * (double)scenario->size / rates + least_latency(scenario);
}

static void count_sent(const lag_scenario *scenario, const lag_plan *plan,
                       struct lag_portrait *portrait)
{
    uint32_t n = scenario->n_ranks;
    struct lag_chunks chunks = lag_plan_chunks(plan, scenario->size, scenario->element_bytes);
    g_autofree lag_bytes *sent = g_new0(lag_bytes, n);
    struct lag_volume volume = {.sent = sent};

    lag_volume_of(plan, &chunks, &volume);
    portrait->sent_min = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        portrait->sent_min = MIN(portrait->sent_min, (double)sent[i]);
        portrait->sent_max = MAX(portrait->sent_max, (double)sent[i]);
    }
}

/* Rows and portraits are by combination, then by job. */
static const lag_scenario *part_of(const lag_explanation *explanation, uint32_t index)
{
    return lag_scenario_part(explanation->scenario,
                             index % lag_scenario_n_parts(explanation->scenario));
}

static uint32_t entrant_of(const lag_explanation *explanation, uint32_t index)
{
    return lag_scenario_entrant(part_of(explanation, index),
                                index / lag_scenario_n_parts(explanation->scenario));
}

static bool draw_portrait(lag_trial *trial, const lag_explanation *explanation, uint32_t index,
                          GError **error)
{
    const lag_scenario *scenario = part_of(explanation, index);
    const struct lag_entrant *entrant = &scenario->entrants[entrant_of(explanation, index)];
    const lag_plan *plan = explanation->plans[index];
    struct lag_portrait *portrait = &explanation->portraits[index];
    uint32_t late = late_rank(plan);
    lag_seconds delay;

    *portrait = (struct lag_portrait){
        .algorithm = entrant->algorithm,
        .job = scenario->job,
        .label = entrant->label,
        .n_chunks = plan->n_chunks,
        .order = plan->order,
        .ranks = scenario->ranks,
        .n_order = plan->n_ranks,
        .n_rounds = plan->n_rounds,
        .n_rounds_before = plan->n_rounds_before,
        .n_rounds_missed = plan->n_rounds_missed,
        .late = lag_scenario_rank(scenario, late),
        .bound = lower_bound(scenario, plan),
        .row = &explanation->set->results[index],
    };
    count_sent(scenario, plan, portrait);
    struct lag_chunks chunks = lag_plan_chunks(plan, scenario->size, scenario->element_bytes);
    struct lag_subject subject = {plan, scenario->topology, &chunks, scenario->ranks};
    lag_find_loads(&subject, late, &portrait->loads);
    return lag_exposed_at(trial, scenario, plan, late, 0, &portrait->at_zero, error) &&
           lag_delay_that_hides_all(trial, scenario, plan, late, &delay, error) &&
           lag_exposed_at(trial, scenario, plan, late, delay, &portrait->hidden, error);
}

static bool compare_pairs(lag_trial *trial, lag_explanation *explanation, GError **error)
{
    uint32_t n = explanation->n_portraits;

    explanation->pairs = g_new0(struct lag_pair, n * (n - 1) / 2);
    for (uint32_t i = 0; i < n * n; i++) {
        struct lag_pair pair = {.a = i / n, .b = i % n};
        const lag_scenario *scenario = part_of(explanation, pair.a);
        if (pair.a >= pair.b || pair.a >= explanation->n_shown ||
            part_of(explanation, pair.b) != scenario ||
            entrant_of(explanation, pair.a) == entrant_of(explanation, pair.b))
            continue;
        const lag_plan *a = explanation->plans[pair.a], *b = explanation->plans[pair.b];
        uint32_t late = late_rank(a->late_rank != LAGGARD_NONE ? a : b);
        struct lag_duel duel = {scenario, a, b, late};
        pair.late = lag_scenario_rank(scenario, late);
        if (!lag_break_even_find(trial, &duel, &pair.result, error))
            return false;
        explanation->pairs[explanation->n_pairs++] = pair;
    }
    return true;
}

lag_explanation *lag_explanation_new(const lag_document *document, uint32_t n_shown, GError **error)
{
    g_autoptr(lag_explanation) explanation = g_new0(lag_explanation, 1);
    g_autoptr(lag_trial) trial = lag_trial_new();
    g_autoptr(lag_campaign) campaign = lag_campaign_new(document, NULL, 1, error);

    if (campaign == NULL)
        return NULL;
    explanation->set = lag_campaign_run(campaign, g_get_num_processors(), error);
    explanation->scenario = lag_document_point(document, 0, error);
    if (explanation->set == NULL || explanation->scenario == NULL)
        return NULL;
    explanation->n_portraits = explanation->set->n_results;
    explanation->n_shown =
        n_shown > 0 ? MIN(n_shown, explanation->n_portraits) : explanation->n_portraits;
    explanation->plans = g_new0(lag_plan *, explanation->n_portraits);
    explanation->portraits = g_new0(struct lag_portrait, explanation->n_portraits);
    for (uint32_t i = 0; i < explanation->n_portraits; i++) {
        explanation->plans[i] =
            lag_trial_plan(part_of(explanation, i), entrant_of(explanation, i), error);
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
