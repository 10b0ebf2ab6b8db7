/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/law-compound.h"

#include <math.h>

#include "sim/law-order.h"

static const char *mixture_objection(const struct lag_law *law)
{
    if (law->n_parts == 0)
        return "it has no parts";
    for (uint32_t i = 0; i < law->n_parts; i++) {
        const struct lag_law_part *part = &law->parts[i];
        if (!(part->weight > 0))
            return "a weight is not above 0";
        if (part->law.type->time != LAG_EACH_STEP)
            return "its laws must be such that are drawn for each step";
        if (lag_law_objection(&part->law) != NULL)
            return lag_law_objection(&part->law);
    }
    return NULL;
}

static double mixture_draw(const struct lag_law *law, const gsl_rng *rng)
{
    double u = gsl_rng_uniform(rng);
    uint32_t i = 0;

    while (i + 1 < law->n_parts && u >= law->parts[i].weight)
        u -= law->parts[i++].weight;
    return lag_law_draw(&law->parts[i].law, rng);
}

/* The weighted sum of what a function says of the parts. */
static double weighted(const struct lag_law *law, double (*of)(const struct lag_law *, double),
                       double x)
{
    double sum = 0;

    for (uint32_t i = 0; i < law->n_parts; i++)
        sum += law->parts[i].weight * of(&law->parts[i].law, x);
    return sum;
}

static double mean_of(const struct lag_law *law, double x)
{
    (void)x;
    return lag_law_mean(law);
}

/* The mean square of the distance to x. */
static double square_around(const struct lag_law *law, double x)
{
    double distance = lag_law_mean(law) - x, variance = lag_law_variance(law);

    return isinf(variance) ? INFINITY : variance + distance * distance;
}

static double density(const struct lag_law *law, double x)
{
    return exp(lag_law_log_density(law, x));
}

static double mixture_mean(const struct lag_law *law)
{
    return weighted(law, mean_of, 0);
}

static double mixture_variance(const struct lag_law *law)
{
    return weighted(law, square_around, mixture_mean(law));
}

static double mixture_moments(const struct lag_law *law)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < law->n_parts; i++)
        least = fmin(least, lag_law_moments(&law->parts[i].law));
    return least;
}

static double mixture_cdf(const struct lag_law *law, double x)
{
    return weighted(law, lag_law_cdf, x);
}

static double mixture_survival(const struct lag_law *law, double x)
{
    return weighted(law, lag_law_survival, x);
}

/* It lies between the smallest and the largest of the parts' quantiles, which halving narrows down
 * to two neighbouring numbers. Near 1 the survival function is the exact one. */
static double mixture_quantile(const struct lag_law *law, double u)
{
    double low = INFINITY, high = 0;

    for (uint32_t i = 0; i < law->n_parts; i++) {
        double quantile = lag_law_quantile(&law->parts[i].law, u);
        low = fmin(low, quantile);
        high = fmax(high, quantile);
    }
    for (;;) {
        double middle = low + (high - low) / 2;
        bool reached =
            u < 0.5 ? mixture_cdf(law, middle) >= u : mixture_survival(law, middle) <= 1 - u;
        if (middle <= low || middle >= high)
            return middle <= low && reached ? low : high;
        if (reached)
            high = middle;
        else
            low = middle;
    }
}

static double mixture_log_density(const struct lag_law *law, double x)
{
    return log(weighted(law, density, x));
}

const struct lag_law_type lag_mixture_law = {
    .name = "mixture",
    .summary = "one of several laws, chosen anew each time by weight",
    .mean_formula = "the weighted mean of the means",
    .made = LAG_LAW_OF_PARTS,
    .objection = mixture_objection,
    .draw = mixture_draw,
    .mean = mixture_mean,
    .variance = mixture_variance,
    .moments = mixture_moments,
    .cdf = mixture_cdf,
    .survival = mixture_survival,
    .quantile = mixture_quantile,
    .log_density = mixture_log_density,
};

static const char *empirical_objection(const struct lag_law *law)
{
    if (law->n_values == 0)
        return "it has no values";
    return law->values[0] >= 0 && isfinite(law->values[law->n_values - 1])
               ? NULL
               : "a value is negative or not finite";
}

static double empirical_draw(const struct lag_law *law, const gsl_rng *rng)
{
    return law->values[gsl_rng_uniform_int(rng, law->n_values)];
}

static double empirical_mean(const struct lag_law *law)
{
    double sum = 0;

    for (uint32_t i = 0; i < law->n_values; i++)
        sum += law->values[i];
    return sum / law->n_values;
}

static double empirical_variance(const struct lag_law *law)
{
    double mean = empirical_mean(law), sum = 0;

    for (uint32_t i = 0; i < law->n_values; i++)
        sum += (law->values[i] - mean) * (law->values[i] - mean);
    return sum / law->n_values;
}

/* How many values are up to x. */
static uint32_t rank_of(const struct lag_law *law, double x)
{
    uint32_t low = 0, high = law->n_values;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (law->values[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double empirical_cdf(const struct lag_law *law, double x)
{
    return rank_of(law, x) / (double)law->n_values;
}

static double empirical_survival(const struct lag_law *law, double x)
{
    return (law->n_values - rank_of(law, x)) / (double)law->n_values;
}

static double empirical_quantile(const struct lag_law *law, double u)
{
    double n = law->n_values;
    uint32_t i = (uint32_t)fmin(floor(u * n), n - 1);

    while (i > 0 && i / n >= u) /* the first i + 1 values are enough: (i + 1) / n >= u */
        i--;
    return law->values[i];
}

/* The smallest, and what is added where a value is followed by a larger one. */
static double empirical_mean_of_kth(const struct lag_law *law, uint32_t k, uint32_t n)
{
    double sum = law->values[0];

    for (uint32_t i = 1; i < law->n_values; i++) {
        double step = law->values[i] - law->values[i - 1];
        double above = (law->n_values - i) / (double)law->n_values;
        sum += step > 0 ? step * lag_order_survival(above, k, n) : 0;
    }
    return sum;
}

const struct lag_law_type lag_empirical_law = {
    .name = "empirical",
    .summary = "any of the measured values of a file, equally likely",
    .mean_formula = "the mean of the values",
    .made = LAG_LAW_OF_SAMPLE,
    .objection = empirical_objection,
    .draw = empirical_draw,
    .mean = empirical_mean,
    .variance = empirical_variance,
    .cdf = empirical_cdf,
    .survival = empirical_survival,
    .quantile = empirical_quantile,
    .mean_of_kth = empirical_mean_of_kth,
};
