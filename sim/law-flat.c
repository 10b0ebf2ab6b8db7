/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/law-flat.h"

#include <math.h>

#include <gsl/gsl_randist.h>

static double constant_draw(const struct lag_law *law, const gsl_rng *rng)
{
    (void)rng;
    return law->p[0];
}

static double constant_mean(const struct lag_law *law)
{
    return law->p[0];
}

static double constant_variance(const struct lag_law *law)
{
    (void)law;
    return 0;
}

static double constant_cdf(const struct lag_law *law, double x)
{
    return x < law->p[0] ? 0 : 1;
}

static double constant_survival(const struct lag_law *law, double x)
{
    return x < law->p[0] ? 1 : 0;
}

static double constant_quantile(const struct lag_law *law, double u)
{
    (void)u;
    return law->p[0];
}

static double constant_mean_of_kth(const struct lag_law *law, uint32_t k, uint32_t n)
{
    (void)k;
    (void)n;
    return law->p[0];
}

const struct lag_law_type lag_constant_law = {
    .name = "constant",
    .summary = "always the same",
    .mean_formula = "value",
    .made = LAG_LAW_OF_VALUE,
    .parameters = {{"value", LAG_LAW_OWN_UNIT, "what it always is"}},
    .draw = constant_draw,
    .mean = constant_mean,
    .variance = constant_variance,
    .cdf = constant_cdf,
    .survival = constant_survival,
    .quantile = constant_quantile,
    .mean_of_kth = constant_mean_of_kth,
};

static const char *uniform_objection(const struct lag_law *law)
{
    return law->p[1] < law->p[0] ? "max is below min" : NULL;
}

static double uniform_draw(const struct lag_law *law, const gsl_rng *rng)
{
    return gsl_ran_flat(rng, law->p[0], law->p[1]);
}

static double uniform_mean(const struct lag_law *law)
{
    return (law->p[0] + law->p[1]) / 2;
}

static double uniform_variance(const struct lag_law *law)
{
    double width = law->p[1] - law->p[0];

    return width * width / 12;
}

static double uniform_cdf(const struct lag_law *law, double x)
{
    if (x < law->p[0])
        return 0;
    return x >= law->p[1] ? 1 : (x - law->p[0]) / (law->p[1] - law->p[0]);
}

static double uniform_survival(const struct lag_law *law, double x)
{
    if (x < law->p[0])
        return 1;
    return x >= law->p[1] ? 0 : (law->p[1] - x) / (law->p[1] - law->p[0]);
}

static double uniform_quantile(const struct lag_law *law, double u)
{
    return law->p[0] + u * (law->p[1] - law->p[0]);
}

static double uniform_log_density(const struct lag_law *law, double x)
{
    return x < law->p[0] || x > law->p[1] ? -INFINITY : -log(law->p[1] - law->p[0]);
}

static double uniform_mean_of_kth(const struct lag_law *law, uint32_t k, uint32_t n)
{
    return law->p[0] + (law->p[1] - law->p[0]) * k / (n + 1.0);
}

const struct lag_law_type lag_uniform_law = {
    .name = "uniform",
    .summary = "anything between min and max, equally likely",
    .mean_formula = "(min + max) / 2",
    .parameters = {{"min", LAG_LAW_OWN_UNIT, "the smallest"},
                   {"max", LAG_LAW_OWN_UNIT, "the largest"}},
    .objection = uniform_objection,
    .draw = uniform_draw,
    .mean = uniform_mean,
    .variance = uniform_variance,
    .cdf = uniform_cdf,
    .survival = uniform_survival,
    .quantile = uniform_quantile,
    .log_density = uniform_log_density,
    .mean_of_kth = uniform_mean_of_kth,
};
