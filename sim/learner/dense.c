/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/learner/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/clones.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Features are worked on in tiles, so that their weights stay in the first cache for all samples,
 * outputs in groups whose sums stay in registers. */
#define TILE  256u
#define GROUP 8u

/* Features of a tile that aren't 0. */
struct tile {
    uint32_t n;
    uint32_t places[TILE]; /* [n], features */
};

static ALWAYS_INLINE void compact(struct tile *tile, const double *in, uint32_t first,
                                  uint32_t n_in)
{
    uint32_t last = n_in - first < TILE ? n_in : first + TILE;

    tile->n = 0;
    for (uint32_t i = first; i < last; i++) {
        tile->places[tile->n] = i;
        tile->n += in[i] != 0;
    }
}

/* width <= GROUP outputs of one sample; `w` and `out` begin at the first of them. */
static ALWAYS_INLINE void forward_group(const struct tile *tile, const double *restrict in,
                                        const double *restrict w, uint32_t n_out,
                                        double *restrict out, uint32_t width)
{
    double sum[GROUP];

    for (uint32_t j = 0; j < width; j++)
        sum[j] = out[j];
    for (uint32_t k = 0; k < tile->n; k++) {
        const double *restrict row = &w[(size_t)tile->places[k] * n_out];
        double value = in[tile->places[k]];
        for (uint32_t j = 0; j < width; j++)
            sum[j] += value * row[j];
    }
    for (uint32_t j = 0; j < width; j++)
        out[j] = sum[j];
}

LAG_VECTOR_CLONES
static void forward_tile(const struct tile *tile, const double *in, const double *w, uint32_t n_out,
                         double *out)
{
    uint32_t j = 0;

    for (; n_out - j >= GROUP; j += GROUP)
        forward_group(tile, in, &w[j], n_out, &out[j], GROUP);
    for (; n_out - j >= 2; j += 2)
        forward_group(tile, in, &w[j], n_out, &out[j], 2);
    if (j < n_out)
        forward_group(tile, in, &w[j], n_out, &out[j], 1);
}

void lag_dense_forward(struct lag_dense layer, const double *w, const double *const *in, uint32_t n,
                       double *out)
{
    uint32_t n_out = layer.n_out;
    struct tile tile;

    for (uint32_t k = 0; k < n; k++)
        memcpy(&out[(size_t)k * n_out], &w[(size_t)layer.n_in * n_out], n_out * sizeof *out);
    for (uint32_t first = 0; first < layer.n_in; first += TILE)
        for (uint32_t k = 0; k < n; k++) {
            compact(&tile, in[k], first, layer.n_in);
            forward_tile(&tile, in[k], w, n_out, &out[(size_t)k * n_out]);
        }
}

static ALWAYS_INLINE void add_group(const struct tile *tile, const double *restrict in,
                                    const double *restrict slopes, uint32_t n_out,
                                    double *restrict sum, uint32_t width)
{
    double slope[GROUP];

    for (uint32_t j = 0; j < width; j++)
        slope[j] = slopes[j];
    for (uint32_t k = 0; k < tile->n; k++) {
        double *restrict row = &sum[(size_t)tile->places[k] * n_out];
        double value = in[tile->places[k]];
        for (uint32_t j = 0; j < width; j++)
            row[j] += value * slope[j];
    }
}

LAG_VECTOR_CLONES
static void add_tile(const struct tile *tile, const double *in, const double *slopes,
                     uint32_t n_out, double *sum)
{
    uint32_t j = 0;

    for (; n_out - j >= GROUP; j += GROUP)
        add_group(tile, in, &slopes[j], n_out, &sum[j], GROUP);
    for (; n_out - j >= 2; j += 2)
        add_group(tile, in, &slopes[j], n_out, &sum[j], 2);
    if (j < n_out)
        add_group(tile, in, &slopes[j], n_out, &sum[j], 1);
}

void lag_dense_add(struct lag_dense layer, const double *const *in, const double *slopes,
                   uint32_t n, double *sum)
{
    uint32_t n_out = layer.n_out;
    double *constants = &sum[(size_t)layer.n_in * n_out];
    struct tile tile;

    for (uint32_t first = 0; first < layer.n_in; first += TILE)
        for (uint32_t k = 0; k < n; k++) {
            compact(&tile, in[k], first, layer.n_in);
            add_tile(&tile, in[k], &slopes[(size_t)k * n_out], n_out, sum);
        }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < n_out; j++)
            constants[j] += slopes[(size_t)k * n_out + j];
}

void lag_dense_backward(struct lag_dense layer, const double *w, const double *slopes, double *back)
{
    for (uint32_t i = 0; i < layer.n_in; i++) {
        const double *row = &w[(size_t)i * layer.n_out];
        double sum = 0;
        for (uint32_t j = 0; j < layer.n_out; j++)
            sum += row[j] * slopes[j];
        back[i] = sum;
    }
}

double lag_cross_entropy(double *scores, uint32_t n, uint32_t target, bool *right)
{
    uint32_t best = 0;
    double own = scores[target], sum = 0;

    for (uint32_t j = 1; j < n; j++)
        if (scores[j] > scores[best])
            best = j;
    double highest = scores[best];
    for (uint32_t j = 0; j < n; j++) {
        scores[j] = exp(scores[j] - highest);
        sum += scores[j];
    }
    for (uint32_t j = 0; j < n; j++)
        scores[j] /= sum;
    scores[target] -= 1;
    *right = best == target;
    return log(sum) - (own - highest);
}
