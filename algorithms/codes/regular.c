/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A random regular graph, which is an expander: B is its adjacency over its degree, arrivals have the
 * weight n / arrivals each. The error |1 - a B|^2 / n is at most (lambda_2 / degree)^2 s / (n - s).
 * The graph starts as a circulant and is mixed by switching pairs of edges {a, b}, {c, d} to
 * {a, d}, {c, b} where these are new and no loops, which keeps all degrees. */
#include <gsl/gsl_randist.h>

#include "algorithms/codes/collect.h"
#include "sim/laggard.h"

#define SWITCHES_PER_EDGE 20

struct edge {
    uint32_t a, b;
};

static void connect(gsl_matrix *B, uint32_t a, uint32_t b, double value)
{
    gsl_matrix_set(B, a, b, value);
    gsl_matrix_set(B, b, a, value);
}

/* Each to its neighbours at distance 1 .. degree / 2, and to the opposite where the degree is odd. */
static uint32_t circulant(uint32_t n, uint32_t degree, struct edge *edges)
{
    uint32_t n_edges = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 1; k <= degree / 2; k++)
            edges[n_edges++] = (struct edge){i, (i + k) % n};
    for (uint32_t i = 0; degree % 2 == 1 && i < n / 2; i++)
        edges[n_edges++] = (struct edge){i, i + n / 2};
    return n_edges;
}

static void mix(gsl_matrix *B, struct edge *edges, uint32_t n_edges, double value,
                const gsl_rng *rng)
{
    for (uint64_t k = 0; k < (uint64_t)SWITCHES_PER_EDGE * n_edges; k++) {
        struct edge *x = &edges[gsl_rng_uniform_int(rng, n_edges)];
        struct edge *y = &edges[gsl_rng_uniform_int(rng, n_edges)];
        bool swap = gsl_rng_uniform_int(rng, 2) == 1;
        uint32_t c = swap ? y->b : y->a, d = swap ? y->a : y->b;
        if (x == y || x->a == d || c == x->b || gsl_matrix_get(B, x->a, d) != 0 ||
            gsl_matrix_get(B, c, x->b) != 0)
            continue;
        connect(B, x->a, x->b, 0);
        connect(B, c, d, 0);
        connect(B, x->a, d, value);
        connect(B, c, x->b, value);
        *y = (struct edge){c, x->b};
        x->b = d;
    }
}

static lag_code *build(const struct lag_code_request *request, GError **error)
{
    uint32_t n = request->n_workers;
    uint32_t degree = lag_code_copies("regular", request, n - 1, error);
    struct lag_stream stream;

    if (degree == 0)
        return NULL;
    if (n % 2 == 1 && degree % 2 == 1) {
        g_set_error(
            error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
            "code regular: a graph of %u workers with %u neighbours each does not exist, as "
            "both are odd: take an even number of copies",
            n, degree);
        return NULL;
    }
    lag_code *code = lag_code_one_step(request, n, true, error);
    if (code == NULL)
        return NULL;
    g_autofree struct edge *edges = g_new(struct edge, (size_t)n * degree / 2 + 1);
    uint32_t n_edges = circulant(n, degree, edges);
    for (uint32_t e = 0; e < n_edges; e++)
        connect(code->B, edges[e].a, edges[e].b, 1.0 / degree);
    lag_code_stream(request, 0, &stream);
    mix(code->B, edges, n_edges, 1.0 / degree, &stream.rng);
    return code;
}

const struct lag_code_kind lag_code_kind_regular = {
    .name = "regular",
    .summary = "a random regular graph: each worker holds the parts of its neighbours",
    .source = "Raviv, Tamo, Tandon, Dimakis: Gradient coding from cyclic MDS codes and expander "
              "graphs, ICML 2018",
    .uses = LAG_CODE_COPIES | LAG_CODE_COLLECT | LAG_CODE_LEAST_SQUARES,
    .approximate = true,
    .build = build,
};
