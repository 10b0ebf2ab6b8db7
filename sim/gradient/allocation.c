/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/gradient/allocation.h"

#include <math.h>

/* Parts that a row of B holds. */
static uint32_t row_parts(const lag_code *code, uint32_t message)
{
    uint32_t n = 0;

    for (uint32_t j = 0; j < code->n_parts; j++)
        n += gsl_matrix_get(code->B, message, j) != 0;
    return n;
}

/* True where each child holds stragglers + 1 of degree parts. */
static bool is_regular(const struct lag_tree *tree, const lag_code *code)
{
    for (uint32_t i = 0; i < tree->degree; i++)
        if (code->n_parts != tree->degree || row_parts(code, i) != tree->stragglers + 1)
            return false;
    return true;
}

double lag_allocation_share(const struct lag_tree *tree, const lag_code *code)
{
    double held = 0, sum = 0, power = 1;

    if (is_regular(tree, code))
        return lag_tree_load(tree);
    for (uint32_t i = 0; i < tree->degree; i++)
        held += row_parts(code, i);
    for (uint32_t layer = 1; layer <= tree->depth; layer++) {
        power *= (double)tree->degree * code->n_parts / held;
        sum += power;
    }
    return 1 / sum;
}

/* The first node of the last layer. */
static uint32_t first_leaf(const struct lag_tree *tree)
{
    return lag_tree_workers(tree) - lag_tree_layer(tree, tree->depth) + 1;
}

void lag_allocation_init(struct lag_allocation *allocation, const struct lag_tree *tree,
                         const lag_code *code, double points)
{
    uint32_t n_nodes = lag_tree_workers(tree) + 1, leaves = first_leaf(tree), n = tree->degree;
    double own = lag_allocation_share(tree, code) * points;
    bool regular = is_regular(tree, code);
    g_autofree double *rest = g_new(double, n_nodes); /* what a node's subtree must deliver */

    *allocation = (struct lag_allocation){.n_nodes = n_nodes, .load = g_new(double, n_nodes)};
    rest[0] = points;
    allocation->load[0] = 0;
    for (uint32_t v = 0; v < n_nodes; v++) {
        if (v > 0)
            allocation->load[v] = regular ? own : v >= leaves ? rest[v] : fmin(own, rest[v]);
        for (uint32_t i = 0; v < leaves && i < n; i++)
            rest[n * v + 1 + i] =
                (rest[v] - allocation->load[v]) * row_parts(code, i) / code->n_parts;
    }
}

/* A point of a subtree's data. */
struct portion {
    uint32_t point;
    double weight;
};

/* Cuts what a node doesn't keep into parts, and hands them to its children. */
static void hand_down(GArray *const *held, uint32_t v, guint kept, const struct lag_tree *tree,
                      const lag_code *code)
{
    const GArray *own = held[v];
    uint64_t rest = own->len - kept;

    for (uint32_t i = 0; i < tree->degree; i++) {
        GArray *child = held[tree->degree * v + 1 + i];
        for (uint32_t j = 0; j < code->n_parts; j++) {
            double weight = gsl_matrix_get(code->B, i, j);
            guint from = kept + (guint)(rest * j / code->n_parts);
            guint to = kept + (guint)(rest * (j + 1) / code->n_parts);
            for (guint k = from; weight != 0 && k < to; k++) {
                struct portion portion = g_array_index(own, struct portion, k);
                portion.weight *= weight;
                g_array_append_val(child, portion);
            }
        }
    }
}

/* Appends a node's own points to the lists. */
static void keep(struct lag_allocation *allocation, uint32_t v, const GArray *own, guint kept)
{
    uint32_t at = allocation->first[v];

    allocation->load[v] = kept;
    allocation->first[v + 1] = at + kept;
    allocation->points = g_renew(uint32_t, allocation->points, MAX(at + kept, 1));
    allocation->weights = g_renew(double, allocation->weights, MAX(at + kept, 1));
    for (guint k = 0; k < kept; k++) {
        allocation->points[at + k] = g_array_index(own, struct portion, k).point;
        allocation->weights[at + k] = g_array_index(own, struct portion, k).weight;
    }
}

void lag_allocation_init_whole(struct lag_allocation *allocation, const struct lag_tree *tree,
                               const lag_code *code, uint32_t n_points)
{
    uint32_t n_nodes = lag_tree_workers(tree) + 1, leaves = first_leaf(tree);
    guint own = (guint)lrint(lag_allocation_share(tree, code) * n_points);
    g_autofree GArray **held = g_new(GArray *, n_nodes);

    *allocation = (struct lag_allocation){
        .n_nodes = n_nodes,
        .load = g_new(double, n_nodes),
        .first = g_new0(uint32_t, n_nodes + 1),
    };
    for (uint32_t v = 0; v < n_nodes; v++)
        held[v] = g_array_new(FALSE, FALSE, sizeof(struct portion));
    for (uint32_t j = 0; j < n_points; j++) {
        struct portion portion = {j, 1};
        g_array_append_val(held[0], portion);
    }
    for (uint32_t v = 0; v < n_nodes; v++) {
        guint kept = v == 0 ? 0 : v >= leaves ? held[v]->len : MIN(own, held[v]->len);
        keep(allocation, v, held[v], kept);
        if (v < leaves)
            hand_down(held, v, kept, tree, code);
        g_array_unref(held[v]);
    }
}

void lag_allocation_clear(struct lag_allocation *allocation)
{
    if (allocation == NULL)
        return;
    g_free(allocation->load);
    g_free(allocation->first);
    g_free(allocation->points);
    g_free(allocation->weights);
    *allocation = (struct lag_allocation){0};
}

double lag_allocation_largest(const struct lag_allocation *allocation)
{
    double most = 0;

    for (uint32_t v = 0; v < allocation->n_nodes; v++)
        most = fmax(most, allocation->load[v]);
    return most;
}
