/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/coding/quality.h"

#include <math.h>

#include <gsl/gsl_randist.h>

#define MOST_RUNS 20

static void add(struct lag_code_quality *quality, const struct lag_decoding *decoding)
{
    quality->amplification = fmax(quality->amplification, decoding->amplification);
    quality->residual = fmax(quality->residual, decoding->residual);
    quality->error += decoding->error;
    quality->n_sets++;
    quality->n_exact += decoding->exact;
}

/* `late` numbers n_late workers, whose last messages are missing. */
static void try_set(const lag_code *code, lag_decoder *decoder, const size_t *late, uint32_t n_late,
                    struct lag_code_quality *quality)
{
    g_autofree bool *arrived = g_new(bool, code->n_messages);

    for (uint32_t i = 0; i < code->n_messages; i++)
        arrived[i] = true;
    for (uint32_t k = 0; k < n_late; k++)
        arrived[code->n_messages - code->n_workers + late[k]] = false;
    struct lag_decoding decoding = lag_decoder_decode(decoder, arrived);
    add(quality, &decoding);
}

static void try_run(const lag_code *code, lag_decoder *decoder, uint32_t first, uint32_t n_late,
                    struct lag_code_quality *quality)
{
    g_autofree size_t *late = g_new(size_t, n_late + 1);

    for (uint32_t k = 0; k < n_late; k++)
        late[k] = (first + k) % code->n_workers;
    try_set(code, decoder, late, n_late, quality);
}

struct lag_code_quality lag_code_quality_of_runs(const lag_code *code, uint32_t n_runs)
{
    struct lag_code_quality quality = {0};
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);

    n_runs = MIN(n_runs, code->n_workers);
    for (uint32_t r = 0; r < n_runs; r++) {
        uint64_t first = (uint64_t)r * code->n_workers / n_runs;
        try_run(code, decoder, (uint32_t)first, code->n_stragglers, &quality);
    }
    quality.error /= fmax(1, (double)quality.n_sets);
    return quality;
}

/* The next set of n_late of n, in the order of the dictionary; false after the last. */
static bool next_set(size_t *late, uint32_t n_late, uint32_t n)
{
    for (uint32_t k = n_late; k > 0; k--)
        if (late[k - 1] < n - n_late + k - 1) {
            late[k - 1]++;
            for (uint32_t after = k; after < n_late; after++)
                late[after] = late[after - 1] + 1;
            return true;
        }
    return false;
}

/* True where there are at most `most` sets of k of n. */
static bool are_few(uint32_t n, uint32_t k, uint64_t most)
{
    double sets = 1;

    for (uint32_t i = 0; i < MIN(k, n - k); i++)
        sets = sets * (n - i) / (i + 1);
    return sets < (double)most + 0.5;
}

static void try_samples(const lag_code *code, lag_decoder *decoder, uint32_t n_late,
                        uint64_t n_sets, uint64_t seed, struct lag_code_quality *quality)
{
    uint32_t n = code->n_workers;
    g_autofree size_t *all = g_new(size_t, n), *late = g_new(size_t, n_late + 1);
    struct lag_stream stream;

    for (uint32_t r = 0; r < MIN(MIN(n, MOST_RUNS), n_sets); r++)
        try_run(code, decoder, r, n_late, quality);
    for (uint32_t i = 0; i < n; i++)
        all[i] = i;
    lag_stream_init(&stream, seed, 0, LAG_PURPOSE_CODE, UINT16_MAX, 0);
    while (quality->n_sets < n_sets) {
        gsl_ran_choose(&stream.rng, late, n_late, all, n, sizeof *all);
        try_set(code, decoder, late, n_late, quality);
    }
}

struct lag_code_quality lag_code_quality(const lag_code *code, uint32_t n_late, uint64_t n_sets,
                                         uint64_t seed)
{
    struct lag_code_quality quality = {.all = are_few(code->n_workers, n_late, n_sets)};
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);

    if (quality.all) {
        g_autofree size_t *late = g_new(size_t, n_late + 1);
        for (uint32_t k = 0; k < n_late; k++)
            late[k] = k;
        do
            try_set(code, decoder, late, n_late, &quality);
        while (next_set(late, n_late, code->n_workers));
    } else {
        try_samples(code, decoder, n_late, n_sets, seed, &quality);
    }
    quality.error /= fmax(1, (double)quality.n_sets);
    return quality;
}
