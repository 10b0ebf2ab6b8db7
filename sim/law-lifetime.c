/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/law-lifetime.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>

#include "sim/law-order.h"

/* shift + an exponential number. The exponential law is the same with shift 0. */
struct shifted {
    double shift, mean;
};

static struct shifted shifted(const struct lag_law *law)
{
    if (law->type == &lag_exponential_law)
        return (struct shifted){0, law->p[0]};
    return (struct shifted){law->p[0], law->p[1]};
}

/* How many means above the shift. */
static double means_above(const struct lag_law *law, double x)
{
    struct shifted of = shifted(law);

    if (x < of.shift)
        return 0;
    return of.mean > 0 ? (x - of.shift) / of.mean : INFINITY;
}

static double exponential_draw(const struct lag_law *law, const gsl_rng *rng)
{
    struct shifted of = shifted(law);

    return of.shift + gsl_ran_exponential(rng, of.mean);
}

static double exponential_mean(const struct lag_law *law)
{
    return shifted(law).shift + shifted(law).mean;
}

static double exponential_variance(const struct lag_law *law)
{
    return shifted(law).mean * shifted(law).mean;
}

static double exponential_cdf(const struct lag_law *law, double x)
{
    return gsl_cdf_exponential_P(means_above(law, x), 1);
}

static double exponential_survival(const struct lag_law *law, double x)
{
    return gsl_cdf_exponential_Q(means_above(law, x), 1);
}

static double exponential_quantile(const struct lag_law *law, double u)
{
    return shifted(law).shift + gsl_cdf_exponential_Pinv(u, shifted(law).mean);
}

static double exponential_log_density(const struct lag_law *law, double x)
{
    return x < shifted(law).shift ? -INFINITY : -means_above(law, x) - log(shifted(law).mean);
}

/* shift + mean (1/n + 1/(n-1) + ... + 1/(n-k+1)) */
static double exponential_mean_of_kth(const struct lag_law *law, uint32_t k, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < k; i++)
        sum += 1 / (double)(n - i);
    return shifted(law).shift + shifted(law).mean * sum;
}

/* clang-format off */
#define OF_EXPONENTIAL                                                                             \
    .draw = exponential_draw, .mean = exponential_mean, .variance = exponential_variance,          \
    .cdf = exponential_cdf, .survival = exponential_survival, .quantile = exponential_quantile,    \
    .log_density = exponential_log_density, .mean_of_kth = exponential_mean_of_kth
/* clang-format on */

const struct lag_law_type lag_exponential_law = {
    .name = "exponential",
    .summary = "a wait that has no memory",
    .mean_formula = "mean",
    .parameters = {{"mean", LAG_LAW_OWN_UNIT, "the mean"}},
    OF_EXPONENTIAL,
};

const struct lag_law_type lag_shifted_exponential_law = {
    .name = "shifted-exponential",
    .summary = "a fixed time, then a wait that has no memory",
    .source = "Lee et al.: Speeding up distributed machine learning using codes, arXiv 1512.02673",
    .mean_formula = "shift + mean",
    .parameters = {{"shift", LAG_LAW_OWN_UNIT, "the smallest"},
                   {"mean", LAG_LAW_OWN_UNIT, "the mean of what comes on top of it"}},
    OF_EXPONENTIAL,
};

/* (c - 1) log(x) without 0 x infinity */
static double power_term(double c, double x)
{
    return c == 1 ? 0 : (c - 1) * log(x);
}

static const char *weibull_objection(const struct lag_law *law)
{
    if (law->p[0] < 0.05 || law->p[0] > 1e3)
        return "shape is not between 0.05 and 1000";
    return law->p[1] > 0 ? NULL : "scale is not above 0";
}

static double weibull_draw(const struct lag_law *law, const gsl_rng *rng)
{
    return gsl_ran_weibull(rng, law->p[1], law->p[0]);
}

static double weibull_mean(const struct lag_law *law)
{
    return law->p[1] * gsl_sf_gamma(1 + 1 / law->p[0]);
}

static double weibull_variance(const struct lag_law *law)
{
    double g1 = gsl_sf_gamma(1 + 1 / law->p[0]), g2 = gsl_sf_gamma(1 + 2 / law->p[0]);

    return law->p[1] * law->p[1] * (g2 - g1 * g1);
}

static double weibull_cdf(const struct lag_law *law, double x)
{
    return gsl_cdf_weibull_P(x, law->p[1], law->p[0]);
}

static double weibull_survival(const struct lag_law *law, double x)
{
    return gsl_cdf_weibull_Q(x, law->p[1], law->p[0]);
}

static double weibull_quantile(const struct lag_law *law, double u)
{
    return gsl_cdf_weibull_Pinv(u, law->p[1], law->p[0]);
}

static double weibull_log_density(const struct lag_law *law, double x)
{
    double z = x / law->p[1];

    return log(law->p[0] / law->p[1]) + power_term(law->p[0], z) - pow(z, law->p[0]);
}

/* The smallest of i has the mean m i^(-1/shape), and the k-th of n is an alternating sum of such
 * (David and Nagaraja: Order statistics, 3rd edition, eq. 3.4.3). It loses digits as n grows. */
static double weibull_mean_of_kth(const struct lag_law *law, uint32_t k, uint32_t n)
{
    double sum = 0;

    if (n > 20)
        return NAN;
    for (uint32_t i = n - k + 1; i <= n; i++) {
        double sign = (i - (n - k + 1)) % 2 == 0 ? 1 : -1;
        sum += sign * gsl_sf_choose(i - 1, n - k) * gsl_sf_choose(n, i) * pow(i, -1 / law->p[0]);
    }
    return weibull_mean(law) * sum;
}

const struct lag_law_type lag_weibull_law = {
    .name = "weibull",
    .summary = "a wait that ages: a long tail below shape 1",
    .mean_formula = "scale Gamma(1 + 1 / shape)",
    .parameters = {{"shape", LAG_LAW_POSITIVE, "1 is exponential"},
                   {"scale", LAG_LAW_OWN_UNIT, "63.2 % are below it"}},
    .objection = weibull_objection,
    .draw = weibull_draw,
    .mean = weibull_mean,
    .variance = weibull_variance,
    .cdf = weibull_cdf,
    .survival = weibull_survival,
    .quantile = weibull_quantile,
    .log_density = weibull_log_density,
    .mean_of_kth = weibull_mean_of_kth,
};

static const char *pareto_objection(const struct lag_law *law)
{
    return law->p[1] > 0 ? NULL : "scale is not above 0";
}

static double pareto_draw(const struct lag_law *law, const gsl_rng *rng)
{
    return gsl_ran_pareto(rng, law->p[0], law->p[1]);
}

static double pareto_mean(const struct lag_law *law)
{
    double index = law->p[0];

    return index > 1 ? law->p[1] * index / (index - 1) : INFINITY;
}

static double pareto_variance(const struct lag_law *law)
{
    double index = law->p[0], part = law->p[1] / (index - 1);

    return index > 2 ? part * part * index / (index - 2) : INFINITY;
}

static double pareto_moments(const struct lag_law *law)
{
    return law->p[0];
}

static double pareto_cdf(const struct lag_law *law, double x)
{
    return x < law->p[1] ? 0 : -expm1(-law->p[0] * log(x / law->p[1]));
}

static double pareto_survival(const struct lag_law *law, double x)
{
    return x < law->p[1] ? 1 : gsl_cdf_pareto_Q(x, law->p[0], law->p[1]);
}

static double pareto_quantile(const struct lag_law *law, double u)
{
    return gsl_cdf_pareto_Pinv(u, law->p[0], law->p[1]);
}

static double pareto_log_density(const struct lag_law *law, double x)
{
    double index = law->p[0], scale = law->p[1];

    return x < scale ? -INFINITY : log(index / scale) - (index + 1) * log(x / scale);
}

/* scale G(n+1) G(m - 1/index) / (G(m) G(n+1 - 1/index)), m = n - k + 1, where that is finite */
static double pareto_mean_of_kth(const struct lag_law *law, uint32_t k, uint32_t n)
{
    double power = 1 / law->p[0], m = n - k + 1;

    if (m <= power)
        return INFINITY;
    return law->p[1] * exp(gsl_sf_lnpoch(n + 1 - power, power) - gsl_sf_lnpoch(m - power, power));
}

const struct lag_law_type lag_pareto_law = {
    .name = "pareto",
    .summary = "a long tail: P(X > x) = (scale / x)^index; no variance up to index 2",
    .mean_formula = "scale index / (index - 1), infinite up to index 1",
    .parameters = {{"index", LAG_LAW_POSITIVE, "how fast the tail falls"},
                   {"scale", LAG_LAW_OWN_UNIT, "the smallest"}},
    .objection = pareto_objection,
    .draw = pareto_draw,
    .mean = pareto_mean,
    .variance = pareto_variance,
    .moments = pareto_moments,
    .cdf = pareto_cdf,
    .survival = pareto_survival,
    .quantile = pareto_quantile,
    .log_density = pareto_log_density,
    .mean_of_kth = pareto_mean_of_kth,
};
