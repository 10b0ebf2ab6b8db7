/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every law of the table, with a few sets of parameters each: what it draws against what it says
 * about itself, and what it says against itself. Seeds are fixed, and bounds are four standard
 * errors of what is compared, computed from the law: no test depends on luck anew. */
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

#include "sim/law-order.h"
#include "tests/helpers.h"

#define N_SETS  4
#define N_DRAWS (g_test_slow() ? 1000000u : 100000u)

/* Parameters to try; composite laws are made by hand. Every type of the table must be here. */
static const struct set {
    const char *name;
    double p[N_SETS][LAG_LAW_PARAMETERS];
    uint32_t n;
} sets[] = {
    {"bernoulli",           {{0.01, 1.5}, {0.5, 0.25}, {1, 3}, {0, 3}},              4},
    {"constant",            {{0}, {5e-3}, {3}},                                      3},
    {"empirical",           {{0}},                                                   1},
    {"erlang",              {{1, 2e-3}, {2, 1}, {40, 1e-6}},                         3},
    {"exponential",         {{2e-3}, {1}, {1e5}},                                    3},
    {"gamma",               {{0.05, 1}, {0.5, 2e-3}, {2.5, 1}, {1000, 1e-3}},        4},
    {"log-normal",          {{-7, 0.5}, {0, 0.25}, {0, 1}},                          3},
    {"markov",              {{2, 0.01, 0.1}, {0.5, 0.3, 0.3}, {4, 1, 1}, {2, 1, 0}}, 4},
    {"mixture",             {{0}, {1}, {2}},                                         3},
    {"normal",              {{1, 0.1}, {0, 1}, {1e-3, 2e-3}, {100, 1}},              4},
    {"pareto",              {{2.5, 1}, {5, 1e-3}, {1.5, 1}, {0.8, 1}},               4},
    {"shifted-exponential", {{1, 0.5}, {5e-3, 1e-3}, {0, 1}},                        3},
    {"two-speed",           {{0.2, 3}, {0.9, 0.5}},                                  2},
    {"uniform",             {{0, 1}, {1e-3, 5e-3}, {7, 7.5}},                        3},
    {"weibull",             {{0.5, 1}, {1, 1e-3}, {2, 1}, {40, 1}},                  4},
};

static struct lag_law simple(const char *name, double a, double b)
{
    struct lag_law law = {
        .type = lag_law_type_find(name), .p = {a, b}
    };

    g_assert_nonnull(law.type);
    return law;
}

/* Weights are normalised: 3 to 1. */
static void make_mixture(struct lag_law *law, uint32_t which)
{
    const struct lag_law_part of[][3] = {
        {{3, simple("constant", 1e-3, 0)}, {1, simple("exponential", 5e-3, 0)}},
        {{2, simple("gamma", 2, 1)},       {1, simple("normal", 10, 1)},        {1, simple("constant", 30, 0)}},
        {{3, simple("log-normal", 0, 0.25)},                                {1, simple("pareto", 2.5, 1)}                                 },
    };

    lag_law_set_parts(law, g_memdup2(of[which], sizeof of[which]), which == 1 ? 3 : 2);
}

static void make(struct lag_law *law, const struct set *set, uint32_t i)
{
    static const double sample[] = {4, 1, 1, 2, 0, 8, 1, 3};

    memset(law, 0, sizeof *law);
    law->type = lag_law_type_find(set->name);
    memcpy(law->p, set->p[i], sizeof law->p);
    if (law->type->made == LAG_LAW_OF_PARTS)
        make_mixture(law, i);
    else if (law->type->made == LAG_LAW_OF_SAMPLE)
        lag_law_set_sample(law, g_memdup2(sample, sizeof sample), G_N_ELEMENTS(sample));
    g_assert_null(lag_law_objection(law));
}

/* Runs a check on every law and set of parameters. */
static void for_all(void (*check)(const struct lag_law *law, struct lag_stream *stream))
{
    uint16_t consumer = 0;

    for (uint32_t s = 0; s < G_N_ELEMENTS(sets); s++) {
        for (uint32_t i = 0; i < sets[s].n; i++) {
            struct lag_law law;
            struct lag_stream stream;
            make(&law, &sets[s], i);
            lag_stream_init(&stream, 2026, 0, LAG_PURPOSE_STRAGGLER, consumer++, i);
            g_test_message("%s %g %g %g", sets[s].name, law.p[0], law.p[1], law.p[2]);
            check(&law, &stream);
            lag_law_clear(&law);
        }
    }
}

/* The table is sorted by name, complete in what every law needs, and all of it is tried here. */
static void table(void)
{
    uint32_t n = 0;

    for (; lag_law_types[n] != NULL; n++) {
        const struct lag_law_type *type = lag_law_types[n];
        g_assert_cmpuint(n, <, G_N_ELEMENTS(sets));
        g_assert_cmpstr(type->name, ==, sets[n].name);
        g_assert_true(n == 0 || strcmp(lag_law_types[n - 1]->name, type->name) < 0);
        g_assert_true(lag_law_type_find(type->name) == type);
        g_assert_true(type->summary != NULL && type->mean_formula != NULL);
        g_assert_true(type->draw != NULL && type->mean != NULL && type->variance != NULL);
        g_assert_true(type->cdf != NULL && type->survival != NULL && type->quantile != NULL);
        g_assert_true((type->move != NULL) == (type->time == LAG_MARKOV));
        for (uint32_t i = 0; i < lag_law_type_n_parameters(type); i++)
            g_assert_nonnull(type->parameters[i].help);
    }
    g_assert_cmpuint(n, ==, G_N_ELEMENTS(sets));
    g_assert_null(lag_law_type_find("poisson"));
}

static void assert_close(double got, double want, double standard_error, const char *what)
{
    if (!(fabs(got - want) <= 4 * standard_error + 1e-12 * fabs(want)))
        g_error("%s is %.10g, not %.10g: %.2f standard errors", what, got, want,
                (got - want) / standard_error);
}

/* N draws: the mean within 4 sd / sqrt(N); the mean square distance to the true mean, whose
 * standard error is sqrt((m4 - sd^4) / N) with the fourth central moment m4 taken from the draws
 * (where it exists); and the share of draws up to the quantile x of u, whose expectation is
 * cdf(x), also where the law jumps, within 4 sqrt(F (1 - F) / N). */
static void check_draws(const struct lag_law *law, struct lag_stream *stream)
{
    static const double levels[] = {0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999};
    double mean = lag_law_mean(law), variance = lag_law_variance(law), n = N_DRAWS;
    double sum = 0, squares = 0, fourth = 0, x[G_N_ELEMENTS(levels)];
    uint32_t below[G_N_ELEMENTS(levels)] = {0};

    for (size_t q = 0; q < G_N_ELEMENTS(levels); q++)
        x[q] = lag_law_quantile(law, levels[q]);
    for (uint32_t i = 0; i < N_DRAWS; i++) {
        double value = lag_law_draw(law, &stream->rng);
        double d = isinf(mean) ? 0 : value - mean;
        g_assert_true(value >= 0 && isfinite(value));
        sum += d;
        squares += d * d;
        fourth += d * d * d * d;
        for (size_t q = 0; q < G_N_ELEMENTS(levels); q++)
            below[q] += value <= x[q];
    }
    if (lag_law_moments(law) > 2)
        assert_close(mean + sum / n, mean, sqrt(variance / n), "the mean");
    if (lag_law_moments(law) > 4)
        assert_close(squares / n, variance, sqrt(fmax(fourth / n - variance * variance, 0) / n),
                     "the variance");
    for (size_t q = 0; q < G_N_ELEMENTS(levels); q++) {
        double f = lag_law_cdf(law, x[q]);
        assert_close(below[q] / n, f, sqrt(f * (1 - f) / n), "the share up to a quantile");
    }
}

static void draws(void)
{
    for_all(check_draws);
}

/* The quantile of u is the smallest x with F(x) >= u: F(x) is u where the law has a density (and
 * the number is not at the edge of what is possible), and F just below x is never above u. What
 * is not up to x is above it. Below 0 there is nothing. */
static void check_quantiles(const struct lag_law *law, struct lag_stream *stream)
{
    (void)stream;
    for (int i = 1; i < 200; i++) {
        double u = i < 100   ? i / 100.0
                   : i < 150 ? pow(10, 1 - i / 15.0)
                             : 1 - pow(2, 100 - i * 1.0);
        if (u >= 1)
            continue;
        double x = lag_law_quantile(law, u), f = lag_law_cdf(law, x);
        g_assert_cmpfloat(f, >=, u * (1 - 1e-9) - 1e-14);
        g_assert_true(x == 0 || lag_law_cdf(law, x * (1 - 1e-9)) <= u + 1e-15);
        g_assert_cmpfloat(fabs(f + lag_law_survival(law, x) - 1), <, 1e-14);
        if (lag_law_has_density(law) && x > 1e-100)
            g_assert_cmpfloat(fabs(f - u), <=, 1e-9 * u + 1e-14);
    }
    g_assert_cmpfloat(lag_law_cdf(law, -1), ==, 0);
    g_assert_cmpfloat(lag_law_survival(law, -1), ==, 1);
    g_assert_cmpfloat(lag_law_cdf(law, 1e100), ==, 1);
}

static void quantiles(void)
{
    for_all(check_quantiles);
}

/* Of the logarithm t, as some densities span many decades. */
static double density(double t, void *law)
{
    return exp(lag_law_log_density(law, exp(t)) + t);
}

/* Between neighbouring quantiles the density integrates to what F grows by. */
static void check_density(const struct lag_law *law, struct lag_stream *stream)
{
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    gsl_function function = {density, (void *)(uintptr_t)law};
    double from = lag_law_quantile(law, 0.01), total, error;

    (void)stream;
    g_assert_cmpint(lag_law_has_density(law), ==, !isnan(lag_law_log_density(law, from)));
    for (double u = 0.05; u < 1 && lag_law_has_density(law); u += 0.05) {
        double to = lag_law_quantile(law, u);
        double growth = lag_law_cdf(law, to) - lag_law_cdf(law, from);
        if (from > 0 && growth > 0) {
            gsl_integration_qags(&function, log(from), log(to), 0, 1e-10, 1000, space, &total,
                                 &error);
            assert_near(total, growth, 1e-8);
        }
        from = to;
    }
    gsl_integration_workspace_free(space);
    if (lag_law_has_density(law))
        g_assert_cmpfloat(lag_law_log_density(law, -1), ==, -INFINITY);
}

static void densities(void)
{
    for_all(check_density);
}

static double survival_at(double x, void *law)
{
    return lag_law_survival(law, x);
}

static double twice_x_survival_at(double x, void *law)
{
    return 2 * x * lag_law_survival(law, x);
}

/* What lies beyond x = from, by t = from / x. */
struct far {
    double (*of)(double, void *);
    void *law;
    double from;
};

static double far_integrand(double t, void *data)
{
    const struct far *far = data;

    return t > 0 ? far->of(far->from / t, far->law) * far->from / (t * t) : 0;
}

static double integral(const struct lag_law *law, double (*of)(double, void *))
{
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(5000);
    gsl_function function = {of, (void *)(uintptr_t)law};
    double from = 0, sum = 0, part, error, u = 1e-9;

    /* Each step halves what is left of the distribution: 45 of them leave 3e-14. */
    for (int i = 0; i < 46; i++, u += (1 - u) / 2) {
        double to = lag_law_quantile(law, u);
        if (to <= from)
            continue;
        gsl_integration_qags(&function, from, to, 0, 1e-11, 5000, space, &part, &error);
        sum += part;
        from = to;
    }
    struct far far = {of, function.params, from};
    function = (gsl_function){far_integrand, &far};
    gsl_integration_qags(&function, 0, 1, 1e-13 * sum, 1e-11, 5000, space, &part, &error);
    gsl_integration_workspace_free(space);
    return sum + part;
}

/* E[X] = integral of P(X > x), E[X^2] = integral of 2 x P(X > x), over x from 0 on. */
static void check_moments(const struct lag_law *law, struct lag_stream *stream)
{
    double mean = lag_law_mean(law), variance = lag_law_variance(law);

    (void)stream;
    g_assert_true(isfinite(mean) == (lag_law_moments(law) > 1));
    g_assert_true(isfinite(variance) == (lag_law_moments(law) > 2));
    if (isfinite(mean))
        assert_near(integral(law, survival_at), mean, 1e-8);
    if (isfinite(variance) && variance > 1e-6 * mean * mean)
        g_assert_cmpfloat(fabs(integral(law, twice_x_survival_at) - mean * mean - variance), <,
                          1e-7 * (mean * mean + variance));
}

static void moments(void)
{
    for_all(check_moments);
}

/* Numbers from outside: scipy-free identities by hand. Gamma(2, 1): F(2) = 1 - 3 e^-2. Weibull(2,
 * 1): F(1) = 1 - 1/e. Normal(0, 1) cut: mean 1/sqrt(2 pi), variance 1/2 - 1/(2 pi), P(0) = 1/2. A
 * mixture of 0.75 at 1 ms and 0.25 of mean 5 ms: mean 2 ms; variance 0.75 x 1 + 0.25 (25 + 9). */
static void by_hand(void)
{
    struct lag_law law = simple("gamma", 2, 1);

    assert_near(lag_law_cdf(&law, 2), 1 - 3 * exp(-2), 1e-14);
    law = simple("weibull", 2, 1);
    assert_near(lag_law_cdf(&law, 1), 1 - exp(-1), 1e-14);
    law = simple("normal", 0, 1);
    assert_near(lag_law_mean(&law), 1 / sqrt(2 * G_PI), 1e-14);
    assert_near(lag_law_variance(&law), 0.5 - 1 / (2 * G_PI), 1e-14);
    assert_near(lag_law_cdf(&law, 0), 0.5, 1e-15);
    law = simple("normal", 1e9, 1); /* the cut is out of reach */
    assert_near(lag_law_variance(&law), 1, 1e-12);
    law = simple("log-normal", 0, 0.5);
    assert_near(lag_law_quantile(&law, 0.5), 1, 1e-14);
    memset(&law, 0, sizeof law);
    make_mixture(&law, 0);
    assert_near(law.parts[0].weight, 0.75, 1e-15);
    assert_near(lag_law_mean(&law), 2e-3, 1e-14);
    assert_near(lag_law_variance(&law), (0.75 + 0.25 * (25 + 9)) * 1e-6, 1e-13);
    g_assert_cmpfloat(lag_law_quantile(&law, 0.5), ==, 1e-3);
    lag_law_clear(&law);
    g_assert_null(law.parts);
}

/* Where a width of 0 is allowed, it is a constant. */
static void no_width(void)
{
    const struct lag_law laws[] = {simple("normal", 2, 0), simple("uniform", 2, 2),
                                   simple("shifted-exponential", 2, 0)};
    struct lag_stream stream;

    lag_stream_init(&stream, 1, 0, LAG_PURPOSE_STRAGGLER, 0, 0);
    for (uint32_t i = 0; i < G_N_ELEMENTS(laws); i++) {
        g_assert_null(lag_law_objection(&laws[i]));
        g_assert_cmpfloat(lag_law_draw(&laws[i], &stream.rng), ==, 2);
        g_assert_cmpfloat(lag_law_mean(&laws[i]), ==, 2);
        g_assert_cmpfloat(lag_law_variance(&laws[i]), ==, 0);
        g_assert_cmpfloat(lag_law_quantile(&laws[i], 0.3), ==, 2);
        g_assert_cmpfloat(lag_law_cdf(&laws[i], 2), ==, 1);
        g_assert_cmpfloat(lag_law_cdf(&laws[i], 1.999), ==, 0);
        assert_near(lag_law_mean_of_max(&laws[i], 10), 2, 1e-12);
    }
}

/* Parameters that no law can have, and the word of the objection that tells which. */
static void objections(void)
{
    static const struct {
        const char *name;
        double p[LAG_LAW_PARAMETERS];
        const char *word;
    } wrong[] = {
        {"uniform",     {2, 1},        "max is below min"},
        {"exponential", {-1},          "negative"        },
        {"exponential", {NAN},         "not finite"      },
        {"exponential", {1e70},        "above 1e60"      },
        {"gamma",       {1e-3, 1},     "shape"           },
        {"gamma",       {2, 0},        "scale"           },
        {"erlang",      {2.5, 1},      "whole"           },
        {"erlang",      {2, 0},        "mean"            },
        {"weibull",     {0, 1},        "above 0"         },
        {"weibull",     {1e-3, 1},     "shape"           },
        {"pareto",      {0.1, 1},      "above 1e60"      },
        {"pareto",      {2, 0},        "scale"           },
        {"log-normal",  {0, 30},       "above 1e60"      },
        {"log-normal",  {0, 0},        "above 0"         },
        {"bernoulli",   {1.5, 2},      "probability"     },
        {"bernoulli",   {0.5, 0},      "factor"          },
        {"markov",      {2, 0, 0},     "ever changes"    },
        {"markov",      {0, 0.5, 0.5}, "factor"          },
        {"mixture",     {0},           "no parts"        },
        {"empirical",   {0},           "no values"       },
    };

    for (uint32_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        struct lag_law law = {.type = lag_law_type_find(wrong[i].name)};
        memcpy(law.p, wrong[i].p, sizeof law.p);
        const char *objection = lag_law_objection(&law);
        g_test_message("%s: %s", wrong[i].name, objection != NULL ? objection : "none");
        g_assert_true(objection != NULL && strstr(objection, wrong[i].word) != NULL);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/law/table", table);
    g_test_add_func("/law/draws", draws);
    g_test_add_func("/law/quantiles", quantiles);
    g_test_add_func("/law/densities", densities);
    g_test_add_func("/law/moments", moments);
    g_test_add_func("/law/by-hand", by_hand);
    g_test_add_func("/law/no-width", no_width);
    g_test_add_func("/law/objections", objections);
    return g_test_run();
}
