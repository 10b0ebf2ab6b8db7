/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The families that fit.h knows: where the search starts, or ends at once. Closed forms: Johnson,
 * Kotz and Balakrishnan, Continuous Univariate Distributions, volume 1. */
#include <math.h>

#include <gsl/gsl_math.h>

#include "results/fit.h"

static void guess_exponential(const lag_sample *sample, double *p)
{
    p[0] = sample->mean;
}

static void guess_shifted_exponential(const lag_sample *sample, double *p)
{
    p[0] = sample->min;
    p[1] = sample->mean - sample->min;
}

/* Minka 2002, Estimating a gamma distribution: within 1.5 % of the maximum. */
static void guess_gamma(const lag_sample *sample, double *p)
{
    double s = log(sample->mean) - sample->log_mean;

    p[0] = (3 - s + sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
    p[1] = sample->mean / p[0];
}

static void guess_log_normal(const lag_sample *sample, double *p)
{
    p[0] = sample->log_mean;
    p[1] = sample->log_sd;
}

static void guess_normal(const lag_sample *sample, double *p)
{
    p[0] = sample->mean;
    p[1] = sample->sd * sqrt(1 - 1 / (double)sample->n);
}

/* With both ends at the sample's. */
static void guess_uniform(const lag_sample *sample, double *p)
{
    p[0] = sample->min;
    p[1] = sample->max;
}

static void guess_pareto(const lag_sample *sample, double *p)
{
    p[0] = 1 / (sample->log_mean - log(sample->min));
    p[1] = sample->min;
}

/* Its logarithm has the mean log(scale) - Euler's constant / shape and the standard deviation
 * pi / (sqrt(6) shape). */
static void guess_weibull(const lag_sample *sample, double *p)
{
    p[0] = M_PI / (sqrt(6) * sample->log_sd);
    p[1] = exp(sample->log_mean + M_EULER / p[0]);
}

/* clang-format off */
const struct lag_family lag_families[] = {
    {"exponential", {LAG_FIT_REGULAR}, true, guess_exponential},
    {"shifted-exponential", {LAG_FIT_EDGE, LAG_FIT_REGULAR}, true, guess_shifted_exponential},
    {"gamma", {LAG_FIT_REGULAR, LAG_FIT_REGULAR}, false, guess_gamma},
    {"log-normal", {LAG_FIT_REGULAR, LAG_FIT_REGULAR}, true, guess_log_normal},
    {"weibull", {LAG_FIT_REGULAR, LAG_FIT_REGULAR}, false, guess_weibull},
    {"normal", {LAG_FIT_REGULAR, LAG_FIT_REGULAR}, true, guess_normal},
    {"uniform", {LAG_FIT_EDGE, LAG_FIT_EDGE}, true, guess_uniform},
    {"pareto", {LAG_FIT_REGULAR, LAG_FIT_EDGE}, true, guess_pareto},
    {0},
};
/* clang-format on */
