/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits against what the values were drawn from. Seeds are fixed. The slow cases repeat enough to
 * tell a rate from luck. */
#include <gsl/gsl_errno.h>

#include "results/fit.h"
#include "tests/helpers.h"

static const struct truth {
    const char *law;
    double p[LAG_LAW_PARAMETERS];
} truths[] = {
    {"exponential",         {2e-3}       },
    {"shifted-exponential", {5e-3, 1e-3} },
    {"gamma",               {2.5, 1e-3}  },
    {"gamma",               {0.6, 1}     },
    {"log-normal",          {-7, 0.5}    },
    {"log-normal",          {0.1, 1}     },
    {"weibull",             {1.7, 2e-3}  },
    {"weibull",             {0.7, 1}     },
    {"normal",              {10e-3, 1e-3}},
    {"uniform",             {1e-3, 5e-3} },
    {"pareto",              {2.5, 1e-3}  },
};
static const size_t sizes[] = {100, 1000, 10000};

static struct lag_law law_of(const struct truth *truth)
{
    struct lag_law law = {.type = lag_law_type_find(truth->law)};

    for (uint32_t i = 0; i < LAG_LAW_PARAMETERS; i++)
        law.p[i] = truth->p[i];
    g_assert_null(lag_law_objection(&law));
    return law;
}

static const struct lag_family *family_of(const char *law)
{
    for (const struct lag_family *family = lag_families; family->law != NULL; family++)
        if (strcmp(family->law, law) == 0)
            return family;
    g_assert_not_reached();
}

static lag_sample *draw(const struct truth *truth, size_t n, gsl_rng *rng)
{
    g_autofree double *values = g_new(double, n);
    struct lag_law law = law_of(truth);

    for (size_t i = 0; i < n; i++)
        values[i] = lag_law_draw(&law, rng);
    return lag_sample_new(values, n);
}

/* The mean distance of the n values from each other where the law ends: 1 / (n density there). */
static double spacing_at_edge(const struct lag_law *law, double edge, size_t n)
{
    return 1 / ((double)n * exp(lag_law_log_density(law, edge)));
}

/* How many parameters are off: by 3 standard errors, or 5 spacings. */
static uint32_t count_misses(const struct truth *truth, size_t n, gsl_rng *rng, uint32_t *n_all)
{
    g_autoptr(lag_sample) sample = draw(truth, n, rng);
    struct lag_law law = law_of(truth);
    struct lag_fit fit;
    uint32_t n_misses = 0;

    g_assert_true(lag_fit_family(family_of(truth->law), sample, &fit));
    for (uint32_t i = 0; i < lag_law_type_n_parameters(law.type); i++) {
        bool edge = fit.family->role[i] == LAG_FIT_EDGE;
        double unit = edge ? spacing_at_edge(&law, law.p[i], n) : fit.error[i];
        double off = fabs(fit.law.p[i] - law.p[i]) / unit;
        g_test_message("%s %s, n = %zu: %g for %g, off by %.2f", truth->law,
                       law.type->parameters[i].name, n, fit.law.p[i], law.p[i], off);
        n_misses += !(off <= (edge ? 5 : 3));
        (*n_all)++;
    }
    return n_misses;
}

/* Each parameter of each law at three sizes. */
static void test_recovery(void)
{
    g_autoptr(gsl_rng) rng = test_rng(1);
    uint32_t n_all = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(truths); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++)
            g_assert_cmpuint(count_misses(&truths[i], sizes[k], rng, &n_all), ==, 0);
}

/* A normal estimate is off by more than 3 errors 27 times in 10,000, an edge by more than 5
 * spacings exp(-5) = 67 times; at n = 100 an estimate is not quite normal yet. Of 200 repetitions
 * no more than 3 % may be. */
static void test_recovery_rate(void)
{
    g_autoptr(gsl_rng) rng = test_rng(2);

    for (size_t i = 0; i < G_N_ELEMENTS(truths); i++) {
        for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
            uint32_t n_all = 0, n_misses = 0;
            for (int repetition = 0; repetition < 200; repetition++)
                n_misses += count_misses(&truths[i], sizes[k], rng, &n_all);
            g_assert_cmpuint(n_misses * 100, <=, n_all * 3);
        }
    }
}

/* The families that contain a law: picking a wider one is no mistake. */
static bool contains(const char *wider, const char *law)
{
    if (strcmp(law, "exponential") == 0 &&
        (strcmp(wider, "gamma") == 0 || strcmp(wider, "weibull") == 0 ||
         strcmp(wider, "shifted-exponential") == 0))
        return true;
    return strcmp(wider, law) == 0;
}

static uint32_t count_right(const struct truth *truth, size_t n, uint32_t n_times, gsl_rng *rng)
{
    uint32_t n_right = 0;

    for (uint32_t i = 0; i < n_times; i++) {
        g_autoptr(lag_sample) sample = draw(truth, n, rng);
        struct lag_fit fits[LAG_FAMILIES];
        g_assert_cmpuint(lag_fit_all(sample, fits), >, 0);
        n_right += contains(fits[0].law.type->name, truth->law);
    }
    return n_right;
}

/* At 10^4 values BIC picks the right family 9 times in 10, at least. */
static void test_choice(void)
{
    g_autoptr(gsl_rng) rng = test_rng(3);
    uint32_t n_times = g_test_slow() ? 40 : 2;

    for (size_t i = 0; i < G_N_ELEMENTS(truths); i++) {
        uint32_t n_right = count_right(&truths[i], 10000, n_times, rng);
        g_test_message("%s: %u of %u", truths[i].law, n_right, n_times);
        g_assert_cmpuint(n_right * 10, >=, n_times * 9);
    }
}

/* Eight values of mean m = 4.5: log L = -8 (ln m + 1), BIC = ln 8 - 2 log L, the error of the mean
 * m / sqrt(8). The law is farthest from the steps just below x = 3, where 2 of 8 values are. */
static void test_by_hand(void)
{
    double values[] = {8, 1, 7, 2, 6, 3, 5, 4};
    g_autoptr(lag_sample) sample = lag_sample_new(values, 8);
    struct lag_fit fit;

    g_assert_true(lag_fit_family(family_of("exponential"), sample, &fit));
    assert_near(fit.law.p[0], 4.5, 1e-15);
    assert_near(fit.log_likelihood, -8 * (log(4.5) + 1), 1e-14);
    assert_near(fit.bic, log(8) + 16 * (log(4.5) + 1), 1e-14);
    assert_near(fit.error[0], 4.5 / sqrt(8), 1e-4);
    assert_near(fit.distance, 1 - exp(-3 / 4.5) - 0.25, 1e-14);
}

/* Standard errors of a log-normal law: sigma / sqrt(n) and sigma / sqrt(2 n). */
static void test_errors(void)
{
    const struct truth truth = {
        "log-normal", {0.1, 1}
    };
    g_autoptr(gsl_rng) rng = test_rng(4);
    g_autoptr(lag_sample) sample = draw(&truth, 1000, rng);
    struct lag_fit fit;

    g_assert_true(lag_fit_family(family_of("log-normal"), sample, &fit));
    assert_near(fit.error[0], fit.law.p[1] / sqrt(1000), 1e-4);
    assert_near(fit.error[1], fit.law.p[1] / sqrt(2000), 1e-4);
}

/* 10^5 values in at most 1,024 nodes: each is in one, the moments are exact, and the maximum is
 * where it is without blocks, to a tenth of its error: there the derivatives of the likelihood of
 * a Weibull law are 0 (scale^shape is the mean of x^shape). */
static void test_blocks(void)
{
    const struct truth truth = {
        "weibull", {1.7, 2e-3}
    };
    struct lag_law law = law_of(&truth);
    g_autoptr(gsl_rng) rng = test_rng(5);
    size_t n = 100000;
    g_autofree double *values = g_new(double, n);
    double sum = 0, powers = 0, weight = 0, last = -1;
    struct lag_fit fit;

    for (size_t i = 0; i < n; i++)
        sum += values[i] = lag_law_draw(&law, rng);
    g_autoptr(lag_sample) sample = lag_sample_new(values, n);
    g_assert_cmpuint(sample->n_nodes, <=, LAG_SAMPLE_NODES);
    for (uint32_t i = 0; i < sample->n_nodes; i++) {
        g_assert_cmpfloat(sample->nodes[i].value, >=, last);
        last = sample->nodes[i].value;
        weight += sample->nodes[i].weight;
    }
    g_assert_cmpfloat(weight, ==, (double)n);
    assert_near(sample->mean, sum / (double)n, 1e-12);
    g_assert_true(lag_fit_family(family_of("weibull"), sample, &fit));
    for (size_t i = 0; i < n; i++)
        powers += pow(values[i], fit.law.p[0]) / (double)n;
    g_assert_cmpfloat(fabs(pow(powers, 1 / fit.law.p[0]) - fit.law.p[1]), <, 0.1 * fit.error[1]);
}

/* Sorting digit by digit is sorting: beside a sample that is small enough for the other way. */
static void test_sorting(void)
{
    g_autoptr(gsl_rng) rng = test_rng(6);
    size_t n = 20000;
    g_autofree double *values = g_new(double, n);

    for (size_t i = 0; i < n; i++)
        values[i] =
            gsl_rng_uniform(rng) < 0.1 ? 0 : ldexp(gsl_rng_uniform(rng), (int)below(rng, 80) - 40);
    struct lag_quantiles q = lag_quantiles_of(values, n);
    for (size_t i = 1; i < n; i++)
        g_assert_cmpfloat(values[i - 1], <=, values[i]);
    g_assert_cmpfloat(q.min, ==, 0);
    g_assert_cmpfloat(q.max, ==, values[n - 1]);
}

/* Too few, all equal, and values of 0, which have no logarithm. */
static void test_nothing(void)
{
    double few[] = {1, 2, 3, 4, 5, 6, 7};
    double equal[] = {5, 5, 5, 5, 5, 5, 5, 5, 5};
    double zeros[] = {0, 0, 0, 0, 1, 2, 3, 4, 5};
    struct lag_fit fits[LAG_FAMILIES];
    g_autoptr(lag_sample) sample = lag_sample_new(few, G_N_ELEMENTS(few));
    g_autoptr(lag_sample) sample_of_equal = lag_sample_new(equal, G_N_ELEMENTS(equal));
    g_autoptr(lag_sample) sample_of_zeros = lag_sample_new(zeros, G_N_ELEMENTS(zeros));

    g_assert_cmpuint(lag_fit_all(sample, fits), ==, 0);
    g_assert_cmpuint(lag_fit_all(sample_of_equal, fits), ==, 0);
    g_assert_cmpuint(lag_fit_all(sample_of_zeros, fits), >, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(truths); i++) {
        struct lag_fit fit;
        bool needs_logs = strcmp(truths[i].law, "log-normal") == 0 ||
                          strcmp(truths[i].law, "pareto") == 0 ||
                          strcmp(truths[i].law, "weibull") == 0;
        if (needs_logs)
            g_assert_false(lag_fit_family(family_of(truths[i].law), sample_of_zeros, &fit));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/fit/choice", test_choice);
    if (g_test_slow()) {
        g_test_add_func("/fit/recovery-rate", test_recovery_rate);
        return g_test_run();
    }
    g_test_add_func("/fit/by-hand", test_by_hand);
    g_test_add_func("/fit/errors", test_errors);
    g_test_add_func("/fit/recovery", test_recovery);
    g_test_add_func("/fit/blocks", test_blocks);
    g_test_add_func("/fit/sorting", test_sorting);
    g_test_add_func("/fit/nothing", test_nothing);
    return g_test_run();
}
