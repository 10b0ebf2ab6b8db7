/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/coding/search.h"

#define MOST_WORK 4e6 /* draws x workers of one candidate */
#define FEW_DRAWS 20

static bool fits(uint32_t degree, uint32_t depth, uint32_t n_workers)
{
    uint64_t layer = 1, sum = 0;

    for (uint32_t l = 0; l < depth; l++) {
        layer *= degree;
        sum += layer;
        if (sum > n_workers)
            return false;
    }
    return true;
}

uint32_t lag_tree_widest(uint32_t depth, uint32_t n_workers)
{
    uint32_t low = 0, high = n_workers;

    /* The largest degree that fits. */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2 + 1;
        if (middle != 0 && fits(middle, depth, n_workers))
            low = middle;
        else
            high = middle - 1;
    }
    return low >= 2 || (low == 1 && n_workers == 1) ? low : 0;
}

/* The next number of stragglers to try after s; the degree ends it. */
static uint32_t next_stragglers(uint32_t s, uint32_t degree)
{
    uint32_t next = s < 4 ? s + 1 : s + s / 4;

    return next < degree || s + 1 == degree ? next : degree - 1;
}

static int compare(const void *a, const void *b)
{
    const struct lag_tree_choice *x = a, *y = b;
    lag_seconds s = x->time.mean, t = y->time.mean;

    if (s != t)
        return s < t ? -1 : 1;
    if (x->tree.stragglers != y->tree.stragglers)
        return x->tree.stragglers < y->tree.stragglers ? -1 : 1;
    return (x->tree.depth > y->tree.depth) - (x->tree.depth < y->tree.depth);
}

GArray *lag_tree_search(const struct lag_tree_model *model, uint32_t n_workers, uint32_t n_draws,
                        uint64_t seed)
{
    GArray *choices = g_array_new(FALSE, FALSE, sizeof(struct lag_tree_choice));
    double affordable = MOST_WORK / n_workers;

    if (n_draws > affordable)
        n_draws = MAX((uint32_t)affordable, FEW_DRAWS);
    for (uint32_t depth = 1;; depth++) {
        uint32_t degree = lag_tree_widest(depth, n_workers);
        if (degree == 0)
            break;
        for (uint32_t s = 0; s < degree; s = next_stragglers(s, degree)) {
            struct lag_tree_model trial = *model;
            trial.tree = (struct lag_tree){degree, depth, s};
            trial.rule = s > 0 && degree % (s + 1) == 0 ? LAG_TREE_GROUPS : LAG_TREE_COUNT;
            struct lag_tree_choice choice = {trial.tree, trial.rule,
                                             lag_tree_model_mean(&trial, n_draws, seed)};
            g_array_append_val(choices, choice);
        }
        if (degree == 1)
            break;
    }
    g_array_sort(choices, compare);
    return choices;
}
