/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hierarchical: a reduce-scatter inside each group of ranks (a node), an allreduce across the
 * groups, in which each of a group's ranks takes its part of the buffer, and an all-gather inside
 * again. With `middle`, groups of groups (a rack's nodes) do the same between the two. */
#include "algorithms/algorithms.h"
#include "algorithms/levels.h"

enum {
    INNER,
    OUTER,
    GROUP,
    MIDDLE
};
#define INNER_CHOICES "ring|allpairs"
#define OUTER_CHOICES "ring|allpairs|binary-tree|chain|halving-doubling|one-shot|recursive-doubling"
static const struct laggard_parameter parameters[] = {
    [INNER] = {.name = "inner",
               .help = "does the reduce-scatter and all-gather inside groups, and inside groups of "
                       "groups", .type = LAGGARD_CHOICE,
               .default_text = "ring",
               .choices = INNER_CHOICES},
    [OUTER] = {.name = "outer",
               .help = "does the allreduce across groups",
               .type = LAGGARD_CHOICE,
               .default_text = "ring",
               .choices = OUTER_CHOICES},
    [GROUP] = {.name = "group",
               .help = "ranks in a group; auto: a node's, or what divides nodes and ranks; where "
                       "there are no nodes, as many as there are groups", .type = LAGGARD_COUNT,
               .default_text = "auto",
               .min = 1,
               .max = 1 << 24},
    [MIDDLE] = {.name = "middle",
               .help = "groups in a group of groups; 1: two levels only",
               .type = LAGGARD_INTEGER,
               .default_text = "1",
               .min = 1,
               .max = 1 << 24},
    {.name = NULL  },
};

static uint32_t common_factor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : common_factor(b, a % b);
}

/* Groups that auto makes lie inside nodes, also where the last node has fewer ranks. */
static uint32_t group_size(const struct laggard_request *request)
{
    uint32_t n = request->n_ranks;

    if (request->values[GROUP] != LAGGARD_AUTO)
        return (uint32_t)request->values[GROUP];
    if (request->ranks_per_node == 0)
        return laggard_square_divisor(n);
    return request->ranks_per_node < n ? common_factor(n, request->ranks_per_node) : n;
}

static const struct laggard_algorithm *chosen(double value, const char *choices)
{
    g_auto(GStrv) words = g_strsplit(choices, "|", 0);

    return lag_algorithm_find(words[(size_t)value]);
}

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    const struct laggard_algorithm *inner = chosen(request->values[INNER], INNER_CHOICES);
    const struct laggard_algorithm *outer = chosen(request->values[OUTER], OUTER_CHOICES);
    uint32_t n = request->n_ranks, group = group_size(request);
    uint64_t middle = (uint64_t)request->values[MIDDLE], inside = middle * group;

    if (n % inside != 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "hierarchical needs whole groups, got %u ranks for groups of %u%s", n, group,
                    middle > 1 ? " and groups of groups" : "");
        return false;
    }
    const struct laggard_level levels[1][LAGGARD_MOST_LEVELS] = {
        {{inner, group, 1},
         {inner, (uint32_t)middle, group},
         {outer, n / (uint32_t)inside, (uint32_t)inside}}
    };
    return laggard_levels_describe(request, levels, LAGGARD_MOST_LEVELS, 1, plan, error);
}

const struct laggard_algorithm laggard_hierarchical = {
    .name = "hierarchical",
    .summary = "reduce-scatter inside groups, allreduce across them, all-gather inside",
    .formula =
        "2 (g - 1) (latency + S / (g B)) inside groups of g, + 2 (k - 1) (latency + S / (g k "
        "B)) across k = n / g of them, by rings; with what each level has of latency and B",
    .source = "Cho et al., BlueConnect, MLSys 2019; Horovod's hierarchical allreduce",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .parameters = parameters,
    .describe = describe,
};
