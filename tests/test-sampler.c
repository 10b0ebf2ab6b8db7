/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who takes which samples. */
#include <string.h>

#include "sim/learner/sampler.h"
#include "tests/helpers.h"

#define N 100

/* The first indices of workers 0 and 3 with seed 7 among 256 samples, from sgd_ref.py: streams seeded
 * 7 x 1000003 + worker, index = u64 % 256. */
static void iid_is_the_oracles(void)
{
    struct lag_sampler sampler;
    uint32_t drawn[4];
    static const uint32_t first[4] = {122, 191, 108, 26}, last[4] = {125, 83, 20, 97};

    lag_sampler_init(&sampler, LAG_SHARDS_IID, 256, 4, NULL);
    lag_sampler_start(&sampler, 7);
    lag_sampler_draw(&sampler, 3, 4, drawn);
    g_assert_true(memcmp(drawn, last, sizeof drawn) == 0);
    lag_sampler_draw(&sampler, 0, 4, drawn);
    g_assert_true(memcmp(drawn, first, sizeof drawn) == 0);
    lag_sampler_clear(&sampler);
}

/* Three workers that take turns, 4 samples each, empty the queue of 100 samples after 25 turns: each sample
 * once, then again. */
static void queue_deals_out_each_once(void)
{
    struct lag_sampler sampler;
    uint32_t times[N] = {0}, drawn[4], first[2];

    lag_sampler_init(&sampler, LAG_SHARDS_QUEUE, N, 3, NULL);
    lag_sampler_start(&sampler, 1);
    for (uint32_t turn = 0; turn < 50; turn++) {
        lag_sampler_draw(&sampler, turn % 3, 4, drawn);
        for (int i = 0; i < 4; i++)
            times[drawn[i]]++;
        if (turn % 25 == 0)
            first[turn / 25] = drawn[0];
        for (uint32_t i = 0; turn == 24 && i < N; i++)
            g_assert_cmpuint(times[i], ==, 1);
    }
    for (uint32_t i = 0; i < N; i++)
        g_assert_cmpuint(times[i], ==, 2);
    g_assert_cmpuint(first[0], !=, first[1]);
    lag_sampler_clear(&sampler);
}

/* owners[i] = the one worker that draws sample i within n_draws; counts = samples of each. */
static void find_owners(struct lag_sampler *sampler, uint32_t n_draws, uint32_t counts[3])
{
    uint32_t owners[N], index;

    memset(owners, 0xff, sizeof owners);
    memset(counts, 0, 3 * sizeof *counts);
    for (uint32_t worker = 0; worker < 3; worker++)
        for (uint32_t i = 0; i < n_draws; i++) {
            lag_sampler_draw(sampler, worker, 1, &index);
            g_assert_cmpuint(index, <, N);
            g_assert_true(owners[index] == UINT32_MAX || owners[index] == worker);
            counts[worker] += owners[index] == UINT32_MAX;
            owners[index] = worker;
        }
    g_assert_cmpuint(counts[0] + counts[1] + counts[2], ==, N);
}

/* 100 samples in 3 parts: one each, and the other 97 as floor(97/3) = 32, 32, 33. Whatever the weights. */
static void static_parts_are_equal(void)
{
    struct lag_sampler sampler;
    uint32_t counts[3];

    lag_sampler_init(&sampler, LAG_SHARDS_STATIC, N, 3, (const double[]){1, 2, 3});
    lag_sampler_start(&sampler, 5);
    find_owners(&sampler, 200, counts);
    g_assert_cmpuint(counts[0], ==, 33);
    g_assert_cmpuint(counts[1], ==, 33);
    g_assert_cmpuint(counts[2], ==, 34);
    lag_sampler_clear(&sampler);
}

/* Weights 1, 1, 2: 1 + floor(97/4) = 25, then up to 2 + floor(97/2) = 50, the rest 50. Other
 * weights cut anew, and a weight of nearly nothing leaves one sample. */
static void parts_by_weight(void)
{
    struct lag_sampler sampler;
    uint32_t counts[3];

    lag_sampler_init(&sampler, LAG_SHARDS_PROPORTIONAL, N, 3, (const double[]){1, 1, 2});
    lag_sampler_start(&sampler, 5);
    find_owners(&sampler, 200, counts);
    g_assert_cmpuint(counts[0], ==, 25);
    g_assert_cmpuint(counts[1], ==, 25);
    g_assert_cmpuint(counts[2], ==, 50);
    lag_sampler_set_weights(&sampler, (const double[]){0, 3, 1e-12});
    find_owners(&sampler, 400, counts);
    g_assert_cmpuint(counts[0], ==, 1);
    g_assert_cmpuint(counts[1], ==, 97);
    g_assert_cmpuint(counts[2], ==, 2);
    lag_sampler_start(&sampler, 5);
    find_owners(&sampler, 200, counts);
    g_assert_cmpuint(counts[2], ==, 50);
    lag_sampler_clear(&sampler);
}

/* What one worker draws changes no other's, but from the queue. */
static void workers_are_independent(void)
{
    for (int shards = 0; shards < LAG_N_SHARDS; shards++) {
        struct lag_sampler a, b;
        uint32_t of_a[40], of_b[40];
        lag_sampler_init(&a, (enum lag_shards)shards, N, 3, NULL);
        lag_sampler_init(&b, (enum lag_shards)shards, N, 3, NULL);
        lag_sampler_start(&a, 3);
        lag_sampler_start(&b, 3);
        lag_sampler_draw(&a, 1, 40, of_a);
        lag_sampler_draw(&a, 2, 40, of_a);
        lag_sampler_draw(&b, 2, 40, of_b);
        g_assert_cmpint(memcmp(of_a, of_b, sizeof of_a) == 0, ==, shards != LAG_SHARDS_QUEUE);
        lag_sampler_clear(&a);
        lag_sampler_clear(&b);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sampler/iid", iid_is_the_oracles);
    g_test_add_func("/sampler/queue", queue_deals_out_each_once);
    g_test_add_func("/sampler/static", static_parts_are_equal);
    g_test_add_func("/sampler/proportional", parts_by_weight);
    g_test_add_func("/sampler/independent", workers_are_independent);
    return g_test_run();
}
