/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/learner/sampler.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include <glib.h>

#include "sim/learner/splitmix.h"

const char *const lag_shards_names[] = {
    [LAG_SHARDS_IID] = "iid",       [LAG_SHARDS_QUEUE] = "queue",
    [LAG_SHARDS_STATIC] = "static", [LAG_SHARDS_PROPORTIONAL] = "proportional",
    [LAG_N_SHARDS] = NULL,
};

static bool has_parts(const struct lag_sampler *sampler)
{
    return sampler->shards == LAG_SHARDS_STATIC || sampler->shards == LAG_SHARDS_PROPORTIONAL;
}

void lag_sampler_init(struct lag_sampler *sampler, enum lag_shards shards, uint32_t n_samples,
                      uint32_t n_workers, const double *weights)
{
    *sampler =
        (struct lag_sampler){.shards = shards, .n_samples = n_samples, .n_workers = n_workers};
    assert(n_samples >= 1);
    sampler->streams = g_new(uint64_t, n_workers + 1);
    if (shards == LAG_SHARDS_IID)
        return;
    assert(!has_parts(sampler) || n_samples >= n_workers);
    sampler->order = g_new(uint32_t, n_samples);
    sampler->first = g_new0(uint32_t, n_workers + 1);
    sampler->next = g_new(uint32_t, n_workers);
    sampler->weights = g_new(double, n_workers);
    for (uint32_t w = 0; w < n_workers; w++)
        sampler->weights[w] = weights == NULL || shards == LAG_SHARDS_STATIC ? 1 : weights[w];
}

void lag_sampler_clear(struct lag_sampler *sampler)
{
    g_free(sampler->streams);
    g_free(sampler->order);
    g_free(sampler->first);
    g_free(sampler->next);
    g_free(sampler->weights);
    *sampler = (struct lag_sampler){0};
}

/* Fisher and Yates. */
static void shuffle(uint32_t *list, uint32_t n, uint64_t *stream)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)(lag_splitmix_next(stream) % i), held = list[i - 1];
        list[i - 1] = list[j];
        list[j] = held;
    }
}

/* One sample for each worker, the others by weight. */
static void cut(struct lag_sampler *sampler, const double *weights)
{
    double total = 0, sum = 0, spare = sampler->n_samples - (double)sampler->n_workers;

    for (uint32_t w = 0; w < sampler->n_workers; w++)
        total += weights[w];
    for (uint32_t w = 0; w < sampler->n_workers; w++) {
        assert(weights[w] >= 0 && total > 0);
        sum += weights[w];
        sampler->next[w] = sampler->first[w];
        sampler->first[w + 1] = w + 1 + (uint32_t)(spare * (sum / total));
    }
    sampler->first[sampler->n_workers] = sampler->n_samples;
}

void lag_sampler_start(struct lag_sampler *sampler, uint64_t seed)
{
    for (uint32_t w = 0; w <= sampler->n_workers; w++)
        sampler->streams[w] = seed * 1000003 + w;
    if (sampler->shards == LAG_SHARDS_IID)
        return;
    for (uint32_t i = 0; i < sampler->n_samples; i++)
        sampler->order[i] = i;
    shuffle(sampler->order, sampler->n_samples, &sampler->streams[sampler->n_workers]);
    if (has_parts(sampler))
        cut(sampler, sampler->weights);
    else
        sampler->next[0] = 0;
}

void lag_sampler_set_weights(struct lag_sampler *sampler, const double *weights)
{
    if (sampler->shards == LAG_SHARDS_PROPORTIONAL)
        cut(sampler, weights);
}

/* One at a time from order[first .. last - 1], which is shuffled when it is used up. */
static uint32_t take(uint32_t *order, uint32_t first, uint32_t last, uint32_t *next,
                     uint64_t *stream)
{
    if (*next == last) {
        shuffle(&order[first], last - first, stream);
        *next = first;
    }
    return order[(*next)++];
}

void lag_sampler_draw(struct lag_sampler *sampler, uint32_t worker, uint32_t n, uint32_t *indices)
{
    uint64_t *stream = &sampler->streams[worker];
    uint64_t *common = &sampler->streams[sampler->n_workers];

    for (uint32_t i = 0; i < n; i++) {
        if (sampler->shards == LAG_SHARDS_IID)
            indices[i] = (uint32_t)(lag_splitmix_next(stream) % sampler->n_samples);
        else if (sampler->shards == LAG_SHARDS_QUEUE)
            indices[i] = take(sampler->order, 0, sampler->n_samples, &sampler->next[0], common);
        else
            indices[i] = take(sampler->order, sampler->first[worker], sampler->first[worker + 1],
                              &sampler->next[worker], stream);
    }
}
