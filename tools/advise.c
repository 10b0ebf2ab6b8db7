/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/advise.h"

#include <math.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "scenarios/nearest.h"

#define STRAGGLER   "straggler" /* the parameter that names the late rank */
#define MOST_WORK   1e7         /* rounds x ranks x steps that a row is replayed for, about */
#define LEAST_STEPS 100

lag_plan *lag_advice_plan(const struct laggard_algorithm *algorithm, uint32_t n_ranks,
                          uint32_t straggler, GError **error)
{
    uint32_t n = lag_algorithm_n_parameters(algorithm);
    g_autofree double *values = g_new0(double, n + 1);
    int at = lag_algorithm_parameter(algorithm, STRAGGLER);
    const struct laggard_request request = {.n_ranks = n_ranks, .values = values};

    lag_algorithm_defaults(algorithm, values);
    if (at >= 0)
        values[at] = straggler;
    return lag_plan_new(algorithm, &request, error);
}

static bool add_row(lag_advice *advice, const struct laggard_algorithm *algorithm,
                    uint32_t straggler, GError **error)
{
    struct lag_advice_row *row = &advice->rows[advice->n_rows];

    row->algorithm = algorithm;
    row->straggler = straggler;
    row->plan = lag_advice_plan(algorithm, advice->casting.n_ranks, straggler, error);
    if (row->plan == NULL)
        return false;
    row->label = straggler == LAGGARD_NONE
                     ? g_strdup(algorithm->name)
                     : g_strdup_printf("%s " STRAGGLER "=%u", algorithm->name, straggler);
    if (strcmp(algorithm->name, "ring") == 0)
        advice->ring = advice->n_rows;
    if (strcmp(algorithm->name, "stragglar") == 0)
        *(straggler == LAGGARD_NONE ? &advice->star : &advice->predicted) = advice->n_rows;
    advice->n_rows++;
    return true;
}

static bool add_rows(lag_advice *advice, const struct laggard_algorithm *algorithm, GError **error)
{
    if (!add_row(advice, algorithm, LAGGARD_NONE, error))
        return false;
    return lag_algorithm_parameter(algorithm, STRAGGLER) < 0 ||
           add_row(advice, algorithm, advice->casting.predicted, error);
}

static const struct laggard_algorithm *find_algorithm(const char *name, GError **error)
{
    const struct laggard_algorithm *algorithm = lag_algorithm_find(name);
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    if (algorithm != NULL)
        return algorithm;
    for (size_t i = 0; lag_algorithms[i] != NULL; i++)
        g_ptr_array_add(names, (gpointer)(uintptr_t)lag_algorithms[i]->name);
    g_autofree char *hint = lag_nearest_hint(name, (const char *const *)names->pdata, names->len);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "--algorithms: no \"%s\"%s", name, hint);
    return NULL;
}

static bool is_listed(const lag_advice *advice, const struct laggard_algorithm *algorithm)
{
    for (uint32_t i = 0; i < advice->n_rows; i++)
        if (advice->rows[i].algorithm == algorithm)
            return true;
    return false;
}

static bool list_named(lag_advice *advice, GError **error)
{
    for (char *const *name = advice->question.algorithms; *name != NULL; name++) {
        const struct laggard_algorithm *algorithm = find_algorithm(*name, error);
        if (algorithm == NULL)
            return false;
        if (is_listed(advice, algorithm))
            continue;
        if (!lag_algorithm_accepts(algorithm, LAGGARD_ALLREDUCE, advice->casting.n_ranks, error) ||
            !add_rows(advice, algorithm, error)) {
            g_prefix_error(error, "--algorithms: ");
            return false;
        }
    }
    return true;
}

/* For 2^k ranks stragglar-any takes what stragglar takes: one of them is enough. A switch that adds
 * is not taken for granted; --algorithms in-switch asks for it. */
static bool is_wanted(const struct laggard_algorithm *algorithm, uint32_t n_ranks)
{
    bool is_twin = strcmp(algorithm->name, "stragglar-any") == 0 && (n_ranks & (n_ranks - 1)) == 0;

    if (is_twin || algorithm->needs & LAGGARD_ADDING_SWITCH)
        return false;
    return lag_algorithm_accepts(algorithm, LAGGARD_ALLREDUCE, n_ranks, NULL);
}

bool lag_advice_list(lag_advice *advice, GError **error)
{
    uint32_t n = advice->casting.n_ranks, n_all = 0;

    while (lag_algorithms[n_all] != NULL)
        n_all++;
    advice->rows = g_new0(struct lag_advice_row, 2 * n_all);
    advice->ring = advice->star = advice->predicted = LAGGARD_NONE;
    if (advice->question.algorithms != NULL)
        return list_named(advice, error);
    for (uint32_t i = 0; i < n_all; i++)
        if (is_wanted(lag_algorithms[i], n) && !add_rows(advice, lag_algorithms[i], error))
            return false;
    return true;
}

lag_seconds *lag_advice_exposed(lag_trial *trial, lag_scenario *scenario, const lag_plan *plan,
                                const lag_delays *delays, GError **error)
{
    struct lag_trace trace = {delays->n_steps, delays->n_ranks, delays->arrival};
    struct lag_tally tally;
    lag_seconds *exposed = NULL;

    scenario->lateness =
        (struct lag_lateness){.n_ranks = delays->n_ranks, .trace = &trace, .gpus_per_node = 1};
    scenario->n_steps = delays->n_steps;
    scenario->n_replications = 1;
    lag_tally_init(&tally, scenario->n_ranks, scenario->topology->n_links);
    if (lag_trial_run(trial, scenario, plan, 0, 1, &tally, error))
        exposed = g_memdup2(tally.exposed->data, delays->n_steps * sizeof *exposed);
    lag_tally_clear(&tally);
    scenario->lateness.trace = NULL;
    return exposed;
}

bool lag_advice_replay(lag_advice *advice, GError **error)
{
    g_autoptr(lag_trial) trial = lag_trial_new();

    for (uint32_t i = 0; i < advice->n_rows; i++) {
        struct lag_advice_row *row = &advice->rows[i];
        for (int from = 0; from < LAG_N_FROM; from++) {
            row->exposed[from] = lag_advice_exposed(trial, advice->question.site->scenario,
                                                    row->plan, advice->delays[from], error);
            if (row->exposed[from] == NULL) {
                g_prefix_error(error, "%s: ", row->label);
                return false;
            }
        }
    }
    return lag_advice_face_rivals(advice, trial, error) &&
           lag_advice_weigh_policy(advice, trial, error);
}

double lag_advice_hours(const lag_advice *advice, lag_seconds gpu_seconds)
{
    return 86400 / advice->question.step_time * gpu_seconds / 3600;
}

/* So many steps of a row are bounded work. */
static uint32_t most_steps(uint32_t n_ranks)
{
    return (uint32_t)fmax(LEAST_STEPS, fmin(MOST_WORK / (2.0 * n_ranks * n_ranks), 10000));
}

lag_advice *lag_advice_new(const struct lag_question *question, GError **error)
{
    g_autoptr(lag_advice) advice = g_new0(lag_advice, 1);
    uint32_t n_ranks = question->site->scenario->n_ranks, most = most_steps(n_ranks);
    const struct lag_measured *trace = question->trace;

    advice->question = *question;
    advice->n_replayed = MIN(trace->n_steps, most);
    const struct lag_measured latest =
        lag_measured_after(trace, trace->n_steps - advice->n_replayed);
    lag_casting_init(&advice->casting, question->stats, n_ranks);
    advice->delays[LAG_FROM_TRACE] = lag_delays_of_trace(&latest, &advice->casting, question->seed);
    advice->delays[LAG_FROM_LAWS] = lag_delays_of_laws(
        question->laws, &advice->casting, MIN(question->n_draws, most), question->seed);
    if (!lag_advice_list(advice, error) || !lag_advice_replay(advice, error))
        return NULL;
    lag_advice_judge(advice);
    return g_steal_pointer(&advice);
}

void lag_advice_free(lag_advice *advice)
{
    if (advice == NULL)
        return;
    for (uint32_t i = 0; i < advice->n_rows; i++) {
        g_free(advice->rows[i].label);
        lag_plan_free(advice->rows[i].plan);
        for (int from = 0; from < LAG_N_FROM; from++)
            g_free(advice->rows[i].exposed[from]);
    }
    for (int from = 0; from < LAG_N_FROM; from++)
        lag_delays_free(advice->delays[from]);
    g_free(advice->rows);
    g_free(advice->rivals);
    lag_casting_clear(&advice->casting);
    g_free(advice);
}
