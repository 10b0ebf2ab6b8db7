/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Torus: rings along each dimension of a grid of ranks: reduce-scatter along x, then y, then z,
 * and all-gather back. Serial, only one dimension's links are in use at a time; pipelined, the
 * buffer is shared among as many lanes as there are dimensions, and each starts with another. */
#include "algorithms/levels.h"

enum {
    X,
    Y,
    Z,
    PHASES
};
enum {
    SERIAL,
    PIPELINED
};
static const struct laggard_parameter parameters[] = {
    [X] = {.name = "x",
           .help = "ranks along x; auto: what is left, as square as can be",
           .type = LAGGARD_COUNT,
           .default_text = "auto",
           .min = 1,
           .max = 1 << 24},
    [Y] = {.name = "y",
           .help = "ranks along y; auto: what is left, as square as can be",
           .type = LAGGARD_COUNT,
           .default_text = "auto",
           .min = 1,
           .max = 1 << 24},
    [Z] = {.name = "z",
           .help = "ranks along z; auto: what is left, as square as can be",
           .type = LAGGARD_COUNT,
           .default_text = "1",
           .min = 1,
           .max = 1 << 24},
    [PHASES] = {.name = "phases",
           .help = "serial: one dimension after another; pipelined: a lane for each dimension "
                        "of more than one rank, which starts with that", .type = LAGGARD_CHOICE,
           .default_text = "serial",
           .choices = "serial|pipelined"},
    {.name = NULL},
};

/* Fills in what is auto; false where the sizes don't multiply to n. */
static bool find_sizes(const struct laggard_request *request, uint32_t sizes[LAGGARD_MOST_LEVELS])
{
    uint32_t left = request->n_ranks, n_auto = 0;

    for (uint32_t d = 0; d < LAGGARD_MOST_LEVELS; d++) {
        if (request->values[d] == LAGGARD_AUTO) {
            n_auto++;
            continue;
        }
        sizes[d] = (uint32_t)request->values[d];
        if (left % sizes[d] != 0)
            return false;
        left /= sizes[d];
    }
    for (uint32_t d = 0; d < LAGGARD_MOST_LEVELS; d++) {
        if (request->values[d] != LAGGARD_AUTO)
            continue;
        sizes[d] = --n_auto == 0 ? left : laggard_square_divisor(left);
        left /= sizes[d];
    }
    return left == 1;
}

/* Lane i takes the dimensions of more than one rank in turn, from the i-th on; returns how many
 * there are. */
static uint32_t fill_levels(const uint32_t sizes[LAGGARD_MOST_LEVELS],
                            struct laggard_level levels[][LAGGARD_MOST_LEVELS])
{
    extern const struct laggard_algorithm laggard_ring;
    struct laggard_level all[LAGGARD_MOST_LEVELS];
    uint32_t n = 0, stride = 1;

    for (uint32_t d = 0; d < LAGGARD_MOST_LEVELS; d++) {
        if (sizes[d] > 1)
            all[n++] = (struct laggard_level){&laggard_ring, sizes[d], stride};
        stride *= sizes[d];
    }
    if (n == 0)
        all[n++] = (struct laggard_level){&laggard_ring, 1, 1};
    for (uint32_t lane = 0; lane < n; lane++)
        for (uint32_t k = 0; k < n; k++)
            levels[lane][k] = all[(lane + k) % n];
    return n;
}

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    struct laggard_level levels[LAGGARD_MOST_LEVELS][LAGGARD_MOST_LEVELS];
    uint32_t sizes[LAGGARD_MOST_LEVELS];

    if (!find_sizes(request, sizes)) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "torus needs x times y times z ranks, got %u", request->n_ranks);
        return false;
    }
    uint32_t n_levels = fill_levels(sizes, levels);
    uint32_t n_lanes = request->values[PHASES] == PIPELINED ? n_levels : 1;
    return laggard_levels_describe(request,
                                   (const struct laggard_level(*)[LAGGARD_MOST_LEVELS])levels,
                                   n_levels, n_lanes, plan, error);
}

const struct laggard_algorithm laggard_torus = {
    .name = "torus",
    .summary = "rings along one dimension of a grid of ranks after another, and back",
    .formula =
        "2 (x + y + z - 3) latency + 2 (n - 1) / n S / B serial; pipelined on k dimensions of "
        "d with links of their own, bandwidth's share is 1 / k of it",
    .source = "Mikami et al., arXiv 1811.05233 (2D torus); Jain, Sabharwal, ICS 2010",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .parameters = parameters,
    .describe = describe,
};
