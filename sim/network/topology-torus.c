/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid of any number of dimensions whose rows are closed to rings. Endpoint x + d0 (y + d1 z) is
 * at (x, y, z). Along a dimension of size 2 there is one link between the two, along one of size
 * 1 none. */
#include "sim/network/fragment.h"

enum {
    DIMS,
};

/* Dimensions of size 2 and more. Pairs of links along one are numbered from first_pair on, by the
 * endpoint that they lead up from (that are 0 along the dimension, where its size is 2). */
struct torus {
    uint32_t n_dims;
    struct dim {
        uint32_t size, stride, first_pair;
    } dims[];
};

static uint32_t pair_up_from(const struct dim *dim, uint32_t endpoint)
{
    uint32_t row = endpoint / (2 * dim->stride) * dim->stride + endpoint % dim->stride;

    return dim->first_pair + (dim->size == 2 ? row : endpoint);
}

static uint32_t at(const struct dim *dim, uint32_t endpoint)
{
    return endpoint / dim->stride % dim->size;
}

/* The endpoint that is one up, or down. */
static uint32_t next_to(const struct dim *dim, uint32_t endpoint, bool up)
{
    uint32_t here = at(dim, endpoint), last = dim->size - 1;
    uint32_t there = up ? (here < last ? here + 1 : 0) : (here > 0 ? here - 1 : last);

    return endpoint + there * dim->stride - here * dim->stride;
}

static void add_links(struct lag_fragment *fragment, struct dim *dim)
{
    const struct lag_topology_part *part = &fragment->part;

    dim->first_pair = fragment->links->len / 2;
    for (uint32_t e = 0; e < fragment->n_endpoints; e++)
        if (dim->size > 2 || at(dim, e) == 0)
            lag_fragment_add_pair(fragment, e, next_to(dim, e, true), part->rate, part->latency);
}

static bool build(struct lag_fragment *fragment, struct lag_topology_fault *fault, GError **error)
{
    const struct lag_topology_value *given = &fragment->part.values[DIMS];
    struct torus *torus = g_malloc(sizeof *torus + given->n * sizeof *torus->dims);
    g_autoptr(GString) text = g_string_new(NULL);
    double product = 1;

    fragment->shape = torus;
    fragment->free_shape = g_free;
    torus->n_dims = 0;
    for (uint32_t i = 0; i < given->n; i++) {
        g_string_append_printf(text, "%s%.0f", i > 0 ? " x " : "", given->numbers[i]);
        product *= given->numbers[i];
    }
    if (product != fragment->n_endpoints)
        return lag_topology_refuse(fault, LAG_FAULT_PARAMETER, DIMS, error,
                                   "%s%s is %.0f, and there are %u to join", text->str,
                                   given->n > 1 ? "" : " alone", product, fragment->n_endpoints);
    if (!lag_fragment_has_room((uint64_t)given->n * fragment->n_endpoints, fault, error))
        return false;
    uint32_t stride = 1;
    for (uint32_t i = 0; i < given->n; i++) {
        struct dim dim = {(uint32_t)given->numbers[i], stride, 0};
        stride *= dim.size;
        if (dim.size > 1)
            torus->dims[torus->n_dims++] = dim;
    }
    for (uint32_t i = 0; i < torus->n_dims; i++)
        add_links(fragment, &torus->dims[i]);
    return true;
}

static void route(const struct lag_fragment *fragment, struct lag_way *way)
{
    const struct torus *torus = fragment->shape;
    uint32_t e = way->src;

    for (uint32_t i = 0; i < torus->n_dims; i++) {
        const struct dim *dim = &torus->dims[i];
        uint32_t here = at(dim, e), there = at(dim, way->dst);
        uint32_t steps_up = (there + dim->size - here) % dim->size;
        bool up = 2 * steps_up < dim->size;
        if (dim->size == 2)
            up = here == 0;
        else if (2 * steps_up == dim->size)
            up = lag_way_choose(way, 2) == 0;
        for (; at(dim, e) != there; e = next_to(dim, e, up))
            lag_way_add(way, up ? 2 * pair_up_from(dim, e)
                                : 2 * pair_up_from(dim, next_to(dim, e, false)) + 1);
    }
}

/* The fewest links that a cut in halves goes through, over the dimensions that are in `left` (as
 * bits), of n endpoints. An even dimension is cut into two, at 2 places. An odd one leaves a layer
 * that is cut in halves itself; all its links along the dimension are cut once. */
static double fewest_cut(const struct torus *torus, uint32_t left, uint32_t n)
{
    double fewest = 0;

    for (uint32_t i = 0; i < torus->n_dims; i++) {
        const struct dim *dim = &torus->dims[i];
        if (!(left >> i & 1))
            continue;
        uint32_t layer = n / dim->size;
        double cut = dim->size == 2 ? layer : 2.0 * layer;
        if (dim->size % 2 == 1)
            cut += fewest_cut(torus, left & ~(1u << i), layer);
        fewest = fewest == 0 ? cut : MIN(fewest, cut);
    }
    return fewest;
}

static bool bisection(const struct lag_fragment *fragment, lag_rate *ret_rate)
{
    const struct torus *torus = fragment->shape;
    double halves = fragment->part.half_duplex ? 0.5 : 1;

    if (torus->n_dims > 8)
        return false;
    *ret_rate = halves * fragment->part.rate *
                fewest_cut(torus, (1u << torus->n_dims) - 1, fragment->n_endpoints);
    return true;
}

static const struct lag_topology_parameter parameters[] = {
    [DIMS] = {.name = "dims",
              .help = "size of each dimension; their product is the number of GPUs",
              .type = LAG_TOPOLOGY_INTEGERS,
              .required = true,
              .default_text = "",
              .min = 1,
              .max = 1 << 20},
    {.name = NULL},
};

const struct lag_topology_kind lag_topology_kind_torus = {
    .name = "torus",
    .summary = "a grid whose rows are closed to rings, of any dimensions; no switch",
    .drawing = "   |      |      |\n"
               "- gpu0 - gpu1 - gpu2 -\n"
               "   |      |      |        dims: [3, 2]; what leaves on one side\n"
               "- gpu3 - gpu4 - gpu5 -    comes in on the other\n"
               "   |      |      |\n",
    .bisection_formula = "2 (n / d) B along the largest even dimension d ((n / 2) B where d = 2)",
    .routing = "dimension by dimension, the shorter way round; the hash decides between two equal "
               "ones",
    .parameters = parameters,
    .build = build,
    .route = route,
    .bisection = bisection,
};
