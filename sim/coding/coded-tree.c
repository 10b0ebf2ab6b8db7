/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/coding/coded-tree.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#include "sim/laggard.h"

bool lag_tree_check(const struct lag_tree *tree, GError **error)
{
    if (tree->degree == 0 || tree->depth == 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "a tree needs 1 child and 1 layer or more, got degree %u and depth %u",
                    tree->degree, tree->depth);
        return false;
    }
    if (tree->stragglers >= tree->degree) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "a tree of degree %u needs 0 <= stragglers <= %u, got %u", tree->degree,
                    tree->degree - 1, tree->stragglers);
        return false;
    }
    uint64_t layer = 1, workers = 0;
    for (uint32_t l = 0; l < tree->depth; l++) {
        layer *= tree->degree;
        workers += layer;
        if (workers > UINT32_MAX) {
            g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                        "a tree of degree %u and depth %u has more than %u workers", tree->degree,
                        tree->depth, UINT32_MAX);
            return false;
        }
    }
    return true;
}

uint32_t lag_tree_layer(const struct lag_tree *tree, uint32_t layer)
{
    uint32_t workers = 1;

    while (layer-- > 0)
        workers *= tree->degree;
    return workers;
}

/* x + x^2 + ... + x^depth. */
static uint32_t sum_of_powers(uint32_t x, uint32_t depth)
{
    uint32_t power = 1, sum = 0;

    while (depth-- > 0) {
        power *= x;
        sum += power;
    }
    return sum;
}

uint32_t lag_tree_workers(const struct lag_tree *tree)
{
    return sum_of_powers(tree->degree, tree->depth);
}

double lag_tree_load(const struct lag_tree *tree)
{
    double rho = (double)tree->degree / (tree->stragglers + 1), power = 1, sum = 0;

    for (uint32_t l = 0; l < tree->depth; l++) {
        power *= rho;
        sum += power;
    }
    return 1 / sum;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* *a *= b, *a += b; false beyond 2^63. */
static bool times(uint64_t *a, uint64_t b)
{
    return g_uint64_checked_mul(a, *a, b) && *a <= INT64_MAX;
}

static bool plus(uint64_t *a, uint64_t b)
{
    return g_uint64_checked_add(a, *a, b) && *a <= INT64_MAX;
}

static void reduce(uint64_t *above, uint64_t *below)
{
    uint64_t common = gcd(*above, *below);

    *above /= common;
    *below /= common;
}

/* sigma_k / q, sigma_k = 1 + n / q + ... + (n / q)^k, in lowest terms. */
static bool part_of(uint64_t n, uint64_t q, uint32_t k, uint64_t *above, uint64_t *below)
{
    *above = 1;
    *below = q;
    /* Horner: x -> (1 + n x) / q. */
    for (uint32_t i = 0; i < k; i++) {
        if (!times(above, n) || !plus(above, *below) || !times(below, q))
            return false;
        reduce(above, below);
    }
    reduce(above, below);
    return true;
}

bool lag_tree_exact(const struct lag_tree *tree, struct lag_tree_exact *ret)
{
    uint64_t n = tree->degree, q = tree->stragglers + 1, above = 1, below = 1;
    struct lag_tree_exact exact = {.points_each = 1};

    for (uint32_t k = 0; k < tree->depth; k++) {
        if (!part_of(n, q, k, &above, &below))
            return false;
        uint64_t factor = below / gcd(exact.points_each, below);
        if (!times(&exact.points_each, factor))
            return false;
    }
    /* rho + ... + rho^L = n (sigma_{L-1} / q), which is 1 / r. */
    if (!times(&above, n))
        return false;
    reduce(&above, &below);
    exact.load_above = below;
    exact.load_below = above;
    /* The last of the denominators is a multiple of r's numerator. */
    exact.least_points = exact.points_each / below;
    if (!times(&exact.least_points, above))
        return false;
    *ret = exact;
    return true;
}

uint32_t lag_tree_fatal(const struct lag_tree *tree)
{
    return tree->stragglers + 1;
}

uint32_t lag_tree_tolerable(const struct lag_tree *tree, enum lag_tree_rule rule)
{
    uint32_t needed = rule == LAG_TREE_COUNT ? tree->degree - tree->stragglers
                                             : tree->degree / (tree->stragglers + 1);

    return lag_tree_workers(tree) - sum_of_powers(needed, tree->depth);
}

uint32_t lag_tree_star_stragglers(const struct lag_tree *tree)
{
    /* Rounding must not take one from a whole number. */
    return (uint32_t)floor(lag_tree_load(tree) * lag_tree_workers(tree) * (1 + 1e-12)) - 1;
}

/* The probability that a parent has what it needs where each child delivers with probability q. */
static double has_enough(const struct lag_tree *tree, enum lag_tree_rule rule, double q)
{
    if (rule == LAG_TREE_COUNT)
        return gsl_cdf_binomial_P(tree->stragglers, 1 - q, tree->degree);
    uint32_t n_groups = tree->degree / (tree->stragglers + 1);
    double none = pow(1 - q, tree->stragglers + 1.0);
    return exp(log1p(-none) * n_groups);
}

double lag_tree_completion(const struct lag_tree *tree, enum lag_tree_rule rule, double death)
{
    double q = 1 - death;

    for (uint32_t layer = tree->depth - 1; layer > 0; layer--)
        q = (1 - death) * has_enough(tree, rule, q);
    return has_enough(tree, rule, q);
}
