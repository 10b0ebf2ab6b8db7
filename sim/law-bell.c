/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/law-bell.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>

/* The normal law, cut at 0: X = max(0, m + s Z), so that 0 has the probability P(Z <= -a) = Q(a)
 * with a = m / s >= 0. With the density f of Z and g = f(a) - a Q(a):
 *   E[X] = m + s g,   Var[X] = s^2 (1 + (a^2 - 1) Q(a) - a f(a) - g^2). */
static double standardised(const struct lag_law *law, double x)
{
    if (law->p[1] > 0)
        return (x - law->p[0]) / law->p[1];
    return x < law->p[0] ? -INFINITY : INFINITY;
}

static double normal_draw(const struct lag_law *law, const gsl_rng *rng)
{
    return fmax(0, law->p[0] + gsl_ran_gaussian(rng, law->p[1]));
}

static double excess(double a)
{
    return isinf(a) ? 0 : gsl_ran_ugaussian_pdf(a) - a * gsl_cdf_ugaussian_Q(a);
}

static double normal_mean(const struct lag_law *law)
{
    return law->p[1] > 0 ? law->p[0] + law->p[1] * excess(law->p[0] / law->p[1]) : law->p[0];
}

static double normal_variance(const struct lag_law *law)
{
    double a = law->p[0] / law->p[1], g = excess(a);

    if (law->p[1] <= 0 || isinf(a))
        return law->p[1] * law->p[1];
    return law->p[1] * law->p[1] *
           (1 + (a * a - 1) * gsl_cdf_ugaussian_Q(a) - a * gsl_ran_ugaussian_pdf(a) - g * g);
}

static double normal_cdf(const struct lag_law *law, double x)
{
    return gsl_cdf_ugaussian_P(standardised(law, x));
}

static double normal_survival(const struct lag_law *law, double x)
{
    return gsl_cdf_ugaussian_Q(standardised(law, x));
}

static double normal_quantile(const struct lag_law *law, double u)
{
    return fmax(0, law->p[0] + gsl_cdf_gaussian_Pinv(u, law->p[1]));
}

static double normal_log_density(const struct lag_law *law, double x)
{
    double z = standardised(law, x);

    return x > 0 ? -z * z / 2 - log(law->p[1] * sqrt(2 * M_PI)) : log(gsl_cdf_ugaussian_P(z));
}

const struct lag_law_type lag_normal_law = {
    .name = "normal",
    .summary = "the normal law; what would be below 0 is 0",
    .source = "docs/LAWS.md: moments of the cut law",
    .mean_formula = "mean + sd (f(a) - a Q(a)), a = mean / sd",
    .parameters = {{"mean", LAG_LAW_OWN_UNIT, "the mean before the cut"},
                   {"sd", LAG_LAW_OWN_UNIT, "the standard deviation before the cut"}},
    .draw = normal_draw,
    .mean = normal_mean,
    .variance = normal_variance,
    .cdf = normal_cdf,
    .survival = normal_survival,
    .quantile = normal_quantile,
    .log_density = normal_log_density,
};

static double log_normal_draw(const struct lag_law *law, const gsl_rng *rng)
{
    return gsl_ran_lognormal(rng, law->p[0], law->p[1]);
}

static double log_normal_mean(const struct lag_law *law)
{
    return exp(law->p[0] + law->p[1] * law->p[1] / 2);
}

static double log_normal_variance(const struct lag_law *law)
{
    double s2 = law->p[1] * law->p[1];

    return expm1(s2) * exp(2 * law->p[0] + s2);
}

static double log_normal_cdf(const struct lag_law *law, double x)
{
    return gsl_cdf_lognormal_P(x, law->p[0], law->p[1]);
}

static double log_normal_survival(const struct lag_law *law, double x)
{
    return x > 0 ? gsl_cdf_lognormal_Q(x, law->p[0], law->p[1]) : 1;
}

static double log_normal_quantile(const struct lag_law *law, double u)
{
    return gsl_cdf_lognormal_Pinv(u, law->p[0], law->p[1]);
}

static double log_normal_log_density(const struct lag_law *law, double x)
{
    double z = (log(x) - law->p[0]) / law->p[1];

    return x > 0 ? -z * z / 2 - log(x * law->p[1] * sqrt(2 * M_PI)) : -INFINITY;
}

const struct lag_law_type lag_log_normal_law = {
    .name = "log-normal",
    .summary = "its logarithm is normal: many small factors",
    .mean_formula = "exp(mu + sigma^2 / 2)",
    .parameters = {{"mu", LAG_LAW_REAL, "the mean of the logarithm (of seconds)"},
                   {"sigma", LAG_LAW_POSITIVE, "the standard deviation of the logarithm"}},
    .draw = log_normal_draw,
    .mean = log_normal_mean,
    .variance = log_normal_variance,
    .cdf = log_normal_cdf,
    .survival = log_normal_survival,
    .quantile = log_normal_quantile,
    .log_density = log_normal_log_density,
};
