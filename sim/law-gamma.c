/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/law-gamma.h"

#include <float.h>
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>

/* The sum of `shape` exponential numbers of mean `scale`, or what lies between. Erlang's law is the
 * same with a whole shape and its mean. */
struct gamma {
    double shape, scale;
};

static struct gamma gamma_of(const struct lag_law *law)
{
    bool is_erlang = law->type == &lag_erlang_law;

    return (struct gamma){law->p[0], is_erlang ? law->p[1] / law->p[0] : law->p[1]};
}

static const char *gamma_objection(const struct lag_law *law)
{
    if (law->p[0] < 0.05 || law->p[0] > 1e6)
        return "shape is not between 0.05 and 1e6";
    return law->p[1] > 0 ? NULL : "scale is not above 0";
}

static double gamma_draw(const struct lag_law *law, const gsl_rng *rng)
{
    return gsl_ran_gamma(rng, gamma_of(law).shape, gamma_of(law).scale);
}

static double gamma_mean(const struct lag_law *law)
{
    return gamma_of(law).shape * gamma_of(law).scale;
}

static double gamma_variance(const struct lag_law *law)
{
    return gamma_of(law).shape * gamma_of(law).scale * gamma_of(law).scale;
}

static double gamma_cdf(const struct lag_law *law, double x)
{
    return gsl_cdf_gamma_P(x, gamma_of(law).shape, gamma_of(law).scale);
}

static double gamma_survival(const struct lag_law *law, double x)
{
    return gsl_cdf_gamma_Q(x, gamma_of(law).shape, gamma_of(law).scale);
}

/* True where x is at or above the quantile of u. */
static bool gamma_reaches(const struct lag_law *law, double x, double u)
{
    return u < 0.5 ? gamma_cdf(law, x) >= u : gamma_survival(law, x) <= 1 - u;
}

/* By halving, from (u Gamma(shape + 1))^(1 / shape) on, which is below it. */
static double gamma_search(const struct lag_law *law, double u)
{
    struct gamma of = gamma_of(law);
    double low = of.scale * exp((log(u) + gsl_sf_lngamma(of.shape + 1)) / of.shape), high = low;

    while (!gamma_reaches(law, high, u))
        high = fmax(2 * high, DBL_MIN);
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return high;
        if (gamma_reaches(law, middle, u))
            high = middle;
        else
            low = middle;
    }
}

/* GSL's inverse, unless it has gone astray, as it does for small shapes. */
static double gamma_quantile(const struct lag_law *law, double u)
{
    struct gamma of = gamma_of(law);
    double x = u < 0.5 ? gsl_cdf_gamma_Pinv(u, of.shape, of.scale)
                       : gsl_cdf_gamma_Qinv(1 - u, of.shape, of.scale);
    double off = u < 0.5 ? gamma_cdf(law, x) / u - 1 : gamma_survival(law, x) / (1 - u) - 1;

    return fabs(off) < 1e-10 ? x : gamma_search(law, u);
}

static double gamma_log_density(const struct lag_law *law, double x)
{
    struct gamma of = gamma_of(law);

    double power = of.shape == 1 ? 0 : (of.shape - 1) * log(x / of.scale); /* not 0 x infinity */

    return power - x / of.scale - gsl_sf_lngamma(of.shape) - log(of.scale);
}

/* clang-format off */
#define OF_GAMMA                                                                                   \
    .draw = gamma_draw, .mean = gamma_mean, .variance = gamma_variance, .cdf = gamma_cdf,          \
    .survival = gamma_survival, .quantile = gamma_quantile, .log_density = gamma_log_density
/* clang-format on */

const struct lag_law_type lag_gamma_law = {
    .name = "gamma",
    .summary = "from exponential (shape 1) to almost constant (a large shape)",
    .mean_formula = "shape scale",
    .parameters = {{"shape", LAG_LAW_POSITIVE, "how many waits in a row, not always whole"},
                   {"scale", LAG_LAW_OWN_UNIT, "the mean of one of them"}},
    .objection = gamma_objection,
    OF_GAMMA,
};

static const char *erlang_objection(const struct lag_law *law)
{
    if (law->p[0] != floor(law->p[0]) || law->p[0] < 1 || law->p[0] > 1e6)
        return "shape is not a whole number from 1 to 1e6 (gamma takes any)";
    return law->p[1] > 0 ? NULL : "mean is not above 0";
}

const struct lag_law_type lag_erlang_law = {
    .name = "erlang",
    .summary = "the sum of so many exponential waits",
    .mean_formula = "mean",
    .parameters = {{"shape", LAG_LAW_POSITIVE, "how many waits in a row"},
                   {"mean", LAG_LAW_OWN_UNIT, "the mean of all of them together"}},
    .objection = erlang_objection,
    OF_GAMMA,
};
