/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/paired.h"

#include <math.h>
#include <stdbool.h>

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>

#define SAME 1e-12 /* relative difference of times that are equal but for rounding */

static const struct lag_estimate unknown = {NAN, NAN, NAN};

struct lag_estimate lag_wilson(double share, size_t n)
{
    double z = gsl_cdf_ugaussian_Pinv(0.975), count = (double)n;
    double middle = (share + z * z / (2 * count)) / (1 + z * z / count);
    double half =
        z / (1 + z * z / count) * sqrt(share * (1 - share) / count + z * z / (4 * count * count));

    if (n == 0)
        return unknown;
    return (struct lag_estimate){share, fmax(0, middle - half), fmin(1, middle + half)};
}

/* The means of blocks of n_each values; newly allocated. */
static double *block_means(const double *values, size_t n_blocks, size_t n_each)
{
    double *means = g_new(double, n_blocks);

    for (size_t i = 0; i < n_blocks; i++)
        means[i] = gsl_stats_mean(values + i * n_each, 1, n_each);
    return means;
}

/* Of the mean of a - b. */
static struct lag_estimate difference_of(const double *a, const double *b, size_t n)
{
    g_autofree double *d = g_new(double, n);

    for (size_t i = 0; i < n; i++)
        d[i] = a[i] - b[i];
    double mean = gsl_stats_mean(d, 1, n);
    if (n < 2)
        return (struct lag_estimate){mean, NAN, NAN};
    double t = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1));
    double half = t * gsl_stats_sd_m(d, 1, n, mean) / sqrt((double)n);
    return (struct lag_estimate){mean, mean - half, mean + half};
}

/* Fieller's interval: the ratios r for which the mean of a - r b is not told from 0. Fieller, Some
 * problems in interval estimation, JRSS B 16, 1954. */
static struct lag_estimate ratio_of(const double *a, const double *b, size_t n)
{
    double mean_a = gsl_stats_mean(a, 1, n), mean_b = gsl_stats_mean(b, 1, n);
    double ratio = mean_a / mean_b;

    if (n < 2)
        return (struct lag_estimate){ratio, NAN, NAN};
    double t = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1)), scale = t * t / (double)n;
    double aa = mean_a * mean_a - scale * gsl_stats_variance(a, 1, n);
    double bb = mean_b * mean_b - scale * gsl_stats_variance(b, 1, n);
    double ab = mean_a * mean_b - scale * gsl_stats_covariance(a, 1, b, 1, n);
    double root = sqrt(fmax(0, ab * ab - aa * bb));
    if (!(bb > 0))
        return (struct lag_estimate){ratio, NAN, NAN}; /* b may be 0: any ratio will do */
    return (struct lag_estimate){ratio, (ab - root) / bb, (ab + root) / bb};
}

struct lag_paired lag_paired_of(const double *a, const double *b, size_t n, size_t n_each)
{
    struct lag_paired paired = {0, 0, NAN, NAN, unknown, unknown, unknown, NAN};
    size_t n_wins = 0, n_ties = 0;

    if (n == 0)
        return paired;
    if (n_each == n)
        n_each = 1;
    size_t n_blocks = n / n_each;
    g_autofree double *means_a = block_means(a, n_blocks, n_each);
    g_autofree double *means_b = block_means(b, n_blocks, n_each);
    for (size_t i = 0; i < n; i++) {
        bool tie = fabs(a[i] - b[i]) <= SAME * fmax(a[i], b[i]);
        n_ties += tie;
        n_wins += !tie && a[i] < b[i];
    }
    paired.n = n;
    paired.n_independent = n_blocks;
    paired.mean_a = gsl_stats_mean(a, 1, n);
    paired.mean_b = gsl_stats_mean(b, 1, n);
    paired.difference = difference_of(means_a, means_b, n_blocks);
    paired.ratio = ratio_of(means_a, means_b, n_blocks);
    paired.wins = lag_wilson((double)n_wins / (double)n, n);
    paired.ties = (double)n_ties / (double)n;
    return paired;
}
