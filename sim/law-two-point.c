/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/law-two-point.h"

#include <math.h>

#include "sim/law-order.h"

/* The factor with its probability; the rest is 1. A chain counts in stationarity. */
struct two_point {
    double p, factor;
};

static struct two_point two_point(const struct lag_law *law)
{
    if (law->type == &lag_markov_law)
        return (struct two_point){law->p[1] / (law->p[1] + law->p[2]), law->p[0]};
    return (struct two_point){law->p[0], law->p[1]};
}

static double draw(const struct lag_law *law, const gsl_rng *rng)
{
    struct two_point law_of = two_point(law);

    return gsl_rng_uniform(rng) < law_of.p ? law_of.factor : 1;
}

static double mean(const struct lag_law *law)
{
    struct two_point law_of = two_point(law);

    return 1 + (law_of.factor - 1) * law_of.p;
}

static double variance(const struct lag_law *law)
{
    struct two_point law_of = two_point(law);
    double jump = law_of.factor - 1;

    return jump * jump * law_of.p * (1 - law_of.p);
}

/* The probability of the larger one of the two, which is above x or not. */
static double survival(const struct lag_law *law, double x)
{
    struct two_point law_of = two_point(law);
    double p_large = law_of.factor >= 1 ? law_of.p : 1 - law_of.p;

    if (x < fmin(1, law_of.factor))
        return 1;
    return x < fmax(1, law_of.factor) ? p_large : 0;
}

static double cdf(const struct lag_law *law, double x)
{
    struct two_point law_of = two_point(law);
    double p_small = law_of.factor >= 1 ? 1 - law_of.p : law_of.p;

    if (x < fmin(1, law_of.factor))
        return 0;
    return x < fmax(1, law_of.factor) ? p_small : 1;
}

static double quantile(const struct lag_law *law, double u)
{
    double factor = two_point(law).factor, small = fmin(1, factor);

    return u <= cdf(law, small) ? small : fmax(1, factor);
}

static double mean_of_kth(const struct lag_law *law, uint32_t k, uint32_t n)
{
    double factor = two_point(law).factor, small = fmin(1, factor);

    return small + (fmax(1, factor) - small) * lag_order_survival(survival(law, small), k, n);
}

/* clang-format off */
#define OF_TWO_POINTS                                                                              \
    .factor_only = true, .draw = draw, .mean = mean, .variance = variance, .cdf = cdf,             \
    .survival = survival, .quantile = quantile, .mean_of_kth = mean_of_kth
/* clang-format on */

static const char *two_point_objection(const struct lag_law *law)
{
    return two_point(law).factor > 0 ? NULL : "factor is not above 0";
}

const struct lag_law_type lag_bernoulli_law = {
    .name = "bernoulli",
    .summary = "slowed down by factor in a step, with probability p",
    .mean_formula = "1 + (factor - 1) p",
    .parameters = {{"p", LAG_LAW_PROBABILITY, "the probability of being slow in a step"},
                   {"factor", LAG_LAW_OWN_UNIT, "how many times slower it is then"}},
    .objection = two_point_objection,
    OF_TWO_POINTS,
};

const struct lag_law_type lag_two_speed_law = {
    .name = "two-speed",
    .summary = "slowed down by factor for a whole job, with probability share",
    .mean_formula = "1 + (factor - 1) share",
    .time = LAG_ONCE_A_JOB,
    .parameters = {{"share", LAG_LAW_PROBABILITY, "the probability of being slow in a job"},
                   {"factor", LAG_LAW_OWN_UNIT, "how many times slower it is then"}},
    .objection = two_point_objection,
    OF_TWO_POINTS,
};

static const char *markov_objection(const struct lag_law *law)
{
    if (law->p[0] <= 0)
        return "factor is not above 0";
    return law->p[1] + law->p[2] > 0 ? NULL
                                     : "enter and leave are both 0, so that nothing ever changes";
}

static double markov_move(const struct lag_law *law, double value, const gsl_rng *rng)
{
    double factor = law->p[0], u = gsl_rng_uniform(rng);

    if (value == factor)
        return u < law->p[2] ? 1 : factor;
    return u < law->p[1] ? factor : 1;
}

const struct lag_law_type lag_markov_law = {
    .name = "markov",
    .summary = "slow for some steps, then fast for some",
    .source = "Gilbert: Capacity of a burst-noise channel, Bell System Technical Journal 39, 1960",
    .mean_formula = "1 + (factor - 1) enter / (enter + leave)",
    .time = LAG_MARKOV,
    .parameters = {{"factor", LAG_LAW_OWN_UNIT, "how many times slower it is while it is slow"},
                   {"enter", LAG_LAW_PROBABILITY, "the probability that a fast one becomes slow"},
                   {"leave", LAG_LAW_PROBABILITY, "the probability that a slow one becomes fast"}},
    .objection = markov_objection,
    .move = markov_move,
    OF_TWO_POINTS,
};
