/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/explain-coded.h"

#include <math.h>
#include <string.h>

#include "sim/coding/quality.h"
#include "sim/laggard.h"

#define SETS_TRIED 400

const double lag_coded_deaths[LAG_CODED_DEATHS] = {0.001, 0.01, 0.05, 0.1};

/* The work where it is shift + an exponential, so that the bounds hold; false for other laws. */
static bool exponential_work(const struct lag_work_law *law, double points, struct lag_work *ret)
{
    const struct lag_law *tail = law->by_point != NULL ? law->by_point : law->extra;

    *ret = (struct lag_work){.shift = law->point * points};
    if (law->factor != NULL || (law->by_point != NULL && law->extra != NULL))
        return false;
    if (tail == NULL)
        return true;
    ret->tail = lag_law_mean(tail) * (law->by_point != NULL ? points : 1);
    return strcmp(tail->type->name, "exponential") == 0;
}

static struct lag_tree_model model_of(const struct lag_coded_case *asked,
                                      const struct lag_tree *tree, enum lag_tree_rule rule)
{
    return (struct lag_tree_model){
        .tree = *tree,
        .rule = rule,
        .points = asked->points,
        .work = asked->work,
        .message = asked->message,
        .fan_in = asked->fan_in,
        .latency = asked->latency,
        .parallel = asked->parallel,
    };
}

static void add_tree(lag_coded_answer *answer, const char *name, struct lag_tree tree,
                     enum lag_tree_rule rule)
{
    const struct lag_coded_case *asked = answer->asked;
    struct lag_tree_model model = model_of(asked, &tree, rule);
    double load = lag_tree_load(&tree);
    lag_seconds message = asked->message * (1 + asked->fan_in * (tree.degree - 1));
    struct lag_work work;
    struct lag_time_bounds bounds = {NAN, NAN};

    if (exponential_work(&asked->work, load * asked->points, &work)) {
        bounds = lag_tree_time_serial(&tree, &work, message);
        if (asked->parallel)
            bounds.low = bounds.high = lag_tree_time_parallel(&tree, &work, message);
        bounds.low += tree.depth * asked->latency;
        bounds.high += tree.depth * asked->latency;
    }
    answer->ways[answer->n_ways++] = (struct lag_coded_way){
        .name = name,
        .tree = tree,
        .rule = rule,
        .load = load,
        .is_coded = tree.stragglers > 0,
        .time = lag_tree_model_mean(&model, asked->n_draws, asked->seed),
        .bounds = bounds,
        .receptions = tree.depth * (tree.degree - tree.stragglers),
    };
}

static void add_ring(lag_coded_answer *answer)
{
    const struct lag_coded_case *asked = answer->asked;
    uint32_t n = answer->n_workers;
    struct lag_ring_model model = {n, asked->points, asked->work, asked->message,
                                   asked->step + asked->latency};
    struct lag_work work;
    struct lag_time_bounds bounds = {NAN, NAN};

    if (exponential_work(&asked->work, asked->points / n, &work))
        bounds.low = bounds.high = lag_ring_time(n, &work, asked->message, model.step);
    answer->ways[answer->n_ways++] = (struct lag_coded_way){
        .name = "ring",
        .load = 1.0 / n,
        .time = lag_ring_model_mean(&model, asked->n_draws, asked->seed),
        .bounds = bounds,
    };
}

/* What is asked, and what it competes with on as many workers. */
static void add_rivals(lag_coded_answer *answer)
{
    const struct lag_tree *tree = &answer->asked->tree;
    uint32_t n = answer->n_workers, star = answer->star_stragglers;

    if (tree->depth > 1 && star > 0)
        add_tree(answer, "gradient-coding", (struct lag_tree){n, 1, star}, answer->star_rule);
    if (tree->depth > 1 && tree->stragglers > 0)
        add_tree(answer, "uncoded-tree", (struct lag_tree){tree->degree, tree->depth, 0},
                 LAG_TREE_COUNT);
    if (tree->depth > 1 || tree->stragglers > 0)
        add_tree(answer, "master-worker", (struct lag_tree){n, 1, 0}, LAG_TREE_COUNT);
}

static void add_ways(lag_coded_answer *answer)
{
    add_tree(answer, answer->asked->name, answer->asked->tree, answer->rule);
    if (!answer->asked->brief)
        add_rivals(answer);
    add_ring(answer);
    answer->best_plain = UINT32_MAX;
    for (uint32_t i = 1; i < answer->n_ways; i++)
        if (!answer->ways[i].is_coded &&
            (answer->best_plain == UINT32_MAX ||
             answer->ways[i].time.mean < answer->ways[answer->best_plain].time.mean))
            answer->best_plain = i;
    answer->overhead = answer->ways[answer->best_plain].time.mean - answer->ways[0].time.mean;
}

static void add_completion(lag_coded_answer *answer)
{
    const struct lag_tree star = {answer->n_workers, 1, answer->star_stragglers};
    const struct lag_tree plain = {answer->n_workers, 1, 0};

    for (int i = 0; i < LAG_CODED_DEATHS; i++) {
        double death = lag_coded_deaths[i];
        answer->completion[i] = lag_tree_completion(&answer->asked->tree, answer->rule, death);
        answer->star_completion[i] = lag_tree_completion(&star, answer->star_rule, death);
        answer->plain_completion[i] = lag_tree_completion(&plain, LAG_TREE_COUNT, death);
    }
}

/* The code of one parent: does it exist, and how does it round? */
static bool add_code(lag_coded_answer *answer, GError **error)
{
    const struct lag_coded_case *asked = answer->asked;
    struct lag_code_request request = asked->request;

    request.n_workers = asked->tree.degree;
    request.n_stragglers = asked->tree.stragglers;
    if (asked->brief && !asked->code->by_groups) {
        answer->rule = LAG_TREE_COUNT;
        return true;
    }
    g_autoptr(lag_code) code = lag_code_new(asked->code, &request, error);
    if (code == NULL)
        return false;
    struct lag_code_quality quality =
        lag_code_quality(code, request.n_stragglers, SETS_TRIED, asked->seed);
    answer->rule = code->rule == LAG_DECODE_GROUPS ? LAG_TREE_GROUPS : LAG_TREE_COUNT;
    answer->amplification = quality.amplification;
    answer->residual = quality.residual;
    answer->n_sets = quality.n_sets;
    answer->all_sets = quality.all;
    return true;
}

static bool check(const struct lag_coded_case *asked, GError **error)
{
    if (!lag_tree_check(&asked->tree, error))
        return false;
    uint32_t n = lag_tree_workers(&asked->tree);
    if (n <= asked->n_workers)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "a tree of degree %u and depth %u needs %u workers, there are %u",
                asked->tree.degree, asked->tree.depth, n, asked->n_workers);
    return false;
}

lag_coded_answer *lag_coded_answer_new(const struct lag_coded_case *asked, GError **error)
{
    if (!check(asked, error))
        return NULL;
    g_autoptr(lag_coded_answer) answer = g_new0(lag_coded_answer, 1);
    double point = asked->bytes_per_point > 0 ? asked->bytes_per_point
                                              : asked->parameters * asked->bytes_per_parameter;
    answer->asked = asked;
    answer->n_workers = lag_tree_workers(&asked->tree);
    answer->load = lag_tree_load(&asked->tree);
    answer->has_exact = lag_tree_exact(&asked->tree, &answer->exact);
    answer->fatal = lag_tree_fatal(&asked->tree);
    answer->star_stragglers = lag_tree_star_stragglers(&asked->tree);
    answer->stored = answer->load * asked->points * point;
    if (!add_code(answer, error))
        return NULL;
    answer->tolerable = lag_tree_tolerable(&asked->tree, answer->rule);
    if (answer->rule == LAG_TREE_GROUPS && answer->n_workers % (answer->star_stragglers + 1) == 0)
        answer->star_rule = LAG_TREE_GROUPS;
    add_completion(answer);
    add_ways(answer);
    if (asked->brief)
        return g_steal_pointer(&answer);
    struct lag_tree_model model = model_of(asked, &asked->tree, answer->rule);
    answer->choices = lag_tree_search(&model, asked->n_workers, asked->n_draws, asked->seed);
    return g_steal_pointer(&answer);
}

void lag_coded_answer_free(lag_coded_answer *answer)
{
    if (answer == NULL)
        return;
    g_clear_pointer(&answer->choices, g_array_unref);
    g_free(answer);
}
