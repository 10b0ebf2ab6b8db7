/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means, their intervals, and how often each row is best when the steps are resampled. Steps that
 * depend on each other are taken in blocks: Künsch, The jackknife and the bootstrap for general
 * stationary observations, Annals of Statistics 17, 1989; circular, so that each step counts as
 * often. */
#include <math.h>

#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics.h>

#include "sim/rng.h"
#include "tools/advise.h"

#define CORRELATED   0.2
#define LEAST_BLOCKS 5
#define SAME         1e-9 /* relative difference of means that nobody would call one */

enum {
    OF_RESAMPLES = UINT16_MAX - 2 /* consumer of random numbers */
};

static double correlation_of(const double *values, uint32_t n)
{
    double r = n > 2 && gsl_stats_sd(values, 1, n) > SAME * fabs(gsl_stats_mean(values, 1, n))
                   ? gsl_stats_lag1_autocorrelation(values, 1, n)
                   : NAN;

    return isfinite(r) ? r : 0;
}

/* The length that is best for the variance of the mean of an autoregression of order 1, but
 * LEAST_BLOCKS of them at least. Recalled, not read again: Andrews, Heteroskedasticity and
 * autocorrelation consistent covariance matrix estimation, Econometrica 59, 1991, eq. 6.4 for the
 * Bartlett kernel. */
static uint32_t block_for(double r, uint32_t n)
{
    double length = 1.1447 * cbrt(n * pow(2 * r / (1 - r * r), 2));

    return (uint32_t)fmax(1, fmin(ceil(length), floor((double)n / LEAST_BLOCKS)));
}

static void choose_block(lag_advice *advice)
{
    uint32_t n = advice->n_replayed;

    advice->correlation = correlation_of(advice->delays[LAG_FROM_TRACE]->gap, n);
    for (uint32_t i = 0; i < advice->n_rows; i++)
        advice->correlation =
            fmax(advice->correlation, correlation_of(advice->rows[i].exposed[LAG_FROM_TRACE], n));
    advice->block =
        advice->correlation > CORRELATED ? block_for(fmin(advice->correlation, 0.999), n) : 1;
}

static void shift(struct lag_estimate *estimate, double to)
{
    double by = to - estimate->value;

    estimate->value += by;
    estimate->low += by;
    estimate->high += by;
}

/* Of a - b: over means of blocks, about the mean of all steps. */
static struct lag_paired pair(const lag_advice *advice, int from, const lag_seconds *a,
                              const lag_seconds *b)
{
    size_t n = advice->delays[from]->n_steps;
    struct lag_paired paired = lag_paired_of(a, b, n, from == LAG_FROM_TRACE ? advice->block : 1);

    shift(&paired.difference, paired.mean_a - paired.mean_b);
    return paired;
}

/* The row with the smallest mean, among those of another algorithm than row `not` (or all). */
static uint32_t best_of(const lag_advice *advice, const double *means, uint32_t not )
{
    uint32_t best = LAGGARD_NONE;

    for (uint32_t i = 0; i < advice->n_rows; i++) {
        bool other =
            not == LAGGARD_NONE || advice->rows[i].algorithm != advice->rows[not ].algorithm;
        if (other && (best == LAGGARD_NONE || means[i] < means[best] * (1 - SAME)))
            best = i;
    }
    return best;
}

static void compare(lag_advice *advice, int from)
{
    size_t n = advice->delays[from]->n_steps;
    g_autofree double *nothing = g_new0(double, n);
    g_autofree double *means = g_new(double, advice->n_rows);

    for (uint32_t i = 0; i < advice->n_rows; i++) {
        struct lag_advice_row *row = &advice->rows[i];
        row->mean[from] = pair(advice, from, row->exposed[from], nothing).difference;
        means[i] = row->mean[from].value;
    }
    uint32_t best = advice->best[from] = best_of(advice, means, LAGGARD_NONE);
    advice->second[from] = best_of(advice, means, best);
    for (uint32_t i = 0; i < advice->n_rows; i++) {
        struct lag_advice_row *row = &advice->rows[i];
        if (i != best)
            row->to_best[from] =
                pair(advice, from, row->exposed[from], advice->rows[best].exposed[from]);
        if (advice->ring != LAGGARD_NONE && i != advice->ring)
            row->to_ring[from] =
                pair(advice, from, row->exposed[from], advice->rows[advice->ring].exposed[from]);
    }
}

/* How often each step is in a resample. */
static void resample(const lag_advice *advice, const gsl_rng *rng, uint32_t *count)
{
    uint32_t n = advice->n_replayed;

    for (uint32_t i = 0; i < n; i++)
        count[i] = 0;
    for (uint32_t i = 0; i < n; i += advice->block) {
        uint32_t first = (uint32_t)gsl_rng_uniform_int(rng, n);
        for (uint32_t k = 0; k < advice->block && i + k < n; k++)
            count[(first + k) % n]++;
    }
}

static void count_best(lag_advice *advice)
{
    uint32_t n = advice->n_replayed;
    g_autofree uint32_t *count = g_new(uint32_t, n);
    g_autofree double *sums = g_new(double, advice->n_rows);
    g_autofree uint32_t *wins = g_new0(uint32_t, advice->n_rows);
    struct lag_stream stream;

    lag_stream_init(&stream, advice->question.seed, 0, LAG_PURPOSE_STRAGGLER, OF_RESAMPLES, 0);
    for (uint32_t draw = 0; draw < LAG_ADVICE_RESAMPLES; draw++) {
        resample(advice, &stream.rng, count);
        for (uint32_t i = 0; i < advice->n_rows; i++) {
            const lag_seconds *exposed = advice->rows[i].exposed[LAG_FROM_TRACE];
            sums[i] = 0;
            for (uint32_t step = 0; step < n; step++)
                sums[i] += count[step] * exposed[step];
        }
        wins[best_of(advice, sums, LAGGARD_NONE)]++;
    }
    uint32_t best = advice->best[LAG_FROM_TRACE], n_best = 0;
    for (uint32_t i = 0; i < advice->n_rows; i++) {
        struct lag_advice_row *row = &advice->rows[i];
        row->best_in = (double)wins[i] / LAG_ADVICE_RESAMPLES;
        n_best += row->algorithm == advice->rows[best].algorithm ? wins[i] : 0;
    }
    advice->confidence = (double)n_best / LAG_ADVICE_RESAMPLES;
}

void lag_advice_judge(lag_advice *advice)
{
    choose_block(advice);
    for (int from = 0; from < LAG_N_FROM; from++)
        compare(advice, from);
    count_best(advice);
    uint32_t second = advice->second[LAG_FROM_TRACE];
    if (second == LAGGARD_NONE)
        return;
    const struct lag_paired *difference = &advice->rows[second].to_best[LAG_FROM_TRACE];
    advice->shown = difference->difference.low > 0 && difference->ties < 1;
}
