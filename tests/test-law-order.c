/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The largest, and the k-th, of n draws: closed forms against published instances, quadrature
 * against closed forms, and both against draws. Checks K12 to K16. */
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>

#include "sim/law-order.h"
#include "tests/helpers.h"

#define N_TRIALS (g_test_slow() ? 200000u : 20000u)

/* The instances. `digit`: of the last printed digit; 0: exact to 1e-9 relative. Shifted
 * exponential a + Exp(mu): mean 1 / mu; Erlang(r, mu): mean r / mu. The normal law with mean 100
 * and sd 1 is cut where nothing is (e_n of the table, times sd, plus the mean). */
static const struct instance {
    const char *name;
    double p[LAG_LAW_PARAMETERS];
    uint32_t k, n;
    double mean, digit;
    bool closed;
} instances[] = {
    {"exponential",         {1},            16,  16,  2436559.0 / 720720, 0,    true },
    {"shifted-exponential", {1, 0.5},       16,  16,  2.690364496614497,  0,    true }, /* K12 */
    {"exponential",         {1},            96,  100, 3.104044184306287,  0,    true }, /* K13 */
    {"exponential",         {1},            100, 100, 5.187377517639621,  0,    true },
    {"erlang",              {2, 1},         8,   8,   2.180293,           1e-6, false},
    {"pareto",              {2.5, 1},       16,  16,  4.548295566065905,  0,    true }, /* K14 */
    {"pareto",              {2.5, 1},       15,  16,  2.7289773396395387, 0,    true },
    {"weibull",             {2, 1},         8,   8,   1.609208024071958,  0,    true },
    {"weibull",             {0.5, 1},       4,   4,   415.0 / 72,         0,    true },
    {"log-normal",          {0, 0.25},      2,   2,   1.176514,           1e-6, false},
    {"log-normal",          {0, 0.25},      8,   8,   1.444529,           1e-6, false},
    {"log-normal",          {0, 0.25},      16,  16,  1.569756,           1e-6, false},
    {"log-normal",          {0, 0.25},      64,  64,  1.808405,           1e-6, false},
    {"log-normal",          {0, 0.25},      256, 256, 2.037317,           1e-6, false},
    {"normal",              {100, 1},       2,   2,   100.564190,         1e-6, false},
    {"normal",              {100, 1},       8,   8,   101.423600,         1e-6, false},
    {"normal",              {100, 1},       16,  16,  101.765991,         1e-6, false},
    {"normal",              {100, 1},       64,  64,  102.343733,         1e-6, false},
    {"normal",              {100, 1},       256, 256, 102.826863,         1e-6, false},
    {"uniform",             {2, 5},         3,   4,   2 + 3 * 3 / 5.0,    0,    true },
    {"bernoulli",           {0.01, 1.5},    64,  64,  1.237201756237219,  0,    true }, /* K15 */
    {"markov",              {2, 0.01, 0.1}, 32,  32,  1.952637559255233,  0,    true }, /* K16 */
    {"two-speed",           {0.25, 3},      1,   2,   1 + 2 / 16.0,       0,    true },
    {"constant",            {3},            2,   5,   3,                  0,    true },
};

static struct lag_law law_of(const struct instance *instance)
{
    struct lag_law law = {.type = lag_law_type_find(instance->name)};

    memcpy(law.p, instance->p, sizeof law.p);
    g_assert_null(lag_law_objection(&law));
    return law;
}

static void known(void)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(instances); i++) {
        const struct instance *instance = &instances[i];
        struct lag_law law = law_of(instance);
        double mean = lag_law_mean_of_kth(&law, instance->k, instance->n);
        g_test_message("%s %u of %u: %.15g", instance->name, instance->k, instance->n, mean);
        g_assert_cmpint(lag_law_kth_is_closed(&law, instance->k, instance->n), ==,
                        instance->closed);
        if (instance->digit > 0)
            assert_prints(mean, instance->mean, instance->digit);
        else
            assert_near(mean, instance->mean, 1e-9);
    }
}

/* What has a closed form comes out of quadrature as well. */
static void quadrature(void)
{
    static const uint32_t n_of[] = {1, 2, 3, 8, 20, 64, 1000};

    for (uint32_t i = 0; i < G_N_ELEMENTS(instances); i++) {
        struct lag_law law = law_of(&instances[i]);
        g_test_message("%s", instances[i].name);
        for (uint32_t j = 0; j < G_N_ELEMENTS(n_of); j++) {
            const uint32_t n = n_of[j], k_of[] = {1, (n + 1) / 2, n};
            for (uint32_t l = 0; l < 3; l++) {
                uint32_t k = k_of[l];
                double mean = lag_law_mean_of_kth_by_quadrature(&law, k, n);
                assert_near(mean, lag_law_mean_of_kth(&law, k, n), 1e-9);
                g_assert_true(n > 1 || relative_error(mean, lag_law_mean(&law)) < 1e-9);
            }
        }
    }
}

/* In every unit: microseconds have the same digits. */
static void scales(void)
{
    struct lag_law slow = {
        .type = lag_law_type_find("gamma"), .p = {2.5, 1e4}
    };
    struct lag_law fast = {
        .type = lag_law_type_find("gamma"), .p = {2.5, 1e-9}
    };

    assert_near(lag_law_mean_of_max(&slow, 100), 1e13 * lag_law_mean_of_max(&fast, 100), 1e-10);
}

/* n draws at a time, their k-th smallest: its mean over many trials within 4 standard errors (from
 * the trials' own spread; all of these have a variance). */
static void simulated(void)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(instances); i++) {
        const struct instance *instance = &instances[i];
        struct lag_law law = law_of(instance);
        uint32_t n = instance->n, n_trials = MAX(N_TRIALS / (1 + n / 16), 2000);
        double draws[256], want = lag_law_mean_of_kth(&law, instance->k, n), sum = 0, squares = 0;
        struct lag_stream stream;
        lag_stream_init(&stream, 12, 0, LAG_PURPOSE_STRAGGLER, (uint16_t)i, 0);
        for (uint32_t trial = 0; trial < n_trials; trial++) {
            for (uint32_t j = 0; j < n; j++)
                draws[j] = lag_law_draw(&law, &stream.rng);
            gsl_sort(draws, 1, n);
            double d = draws[instance->k - 1] - want;
            sum += d;
            squares += d * d;
        }
        double error = sqrt(squares) / n_trials;
        g_test_message("%s: off by %.2f standard errors", instance->name,
                       error > 0 ? sum / n_trials / error : 0);
        g_assert_cmpfloat(fabs(sum / n_trials), <=, 4 * error + 1e-12 * want);
    }
}

/* Pareto up to index 1 has no mean, but the second largest of n may have: the k-th has one where
 * (n - k + 1) index > 1. */
static void without_mean(void)
{
    struct lag_law law = {
        .type = lag_law_type_find("pareto"), .p = {0.75, 1}
    };

    g_assert_cmpfloat(lag_law_mean(&law), ==, INFINITY);
    g_assert_cmpfloat(lag_law_mean_of_max(&law, 8), ==, INFINITY);
    g_assert_cmpfloat(lag_law_mean_of_kth_by_quadrature(&law, 8, 8), ==, INFINITY);
    assert_near(lag_law_mean_of_kth_by_quadrature(&law, 7, 8), lag_law_mean_of_kth(&law, 7, 8),
                1e-9);
}

/* A mixture: the largest of n, by quadrature, of what is 1 or more by a Pareto tail. With F = 1 -
 * (0.5 + 0.5 x^-3) below...: a constant 0 with weight 1/2 and Pareto(3, 1) with weight 1/2, n = 2:
 * E[max] = int 1 - F^2 with F = 1/2 on [0, 1), 1 - x^-3 / 2 beyond: 3/4 + int_1 x^-3 - x^-6 / 4
 * = 3/4 + 1/2 - 1/20 = 1.2. */
static void mixture(void)
{
    struct lag_law_part *parts = g_new0(struct lag_law_part, 2);
    struct lag_law law = {0};

    parts[0] = (struct lag_law_part){1, {.type = lag_law_type_find("constant")}};
    parts[1] = (struct lag_law_part){
        1, {.type = lag_law_type_find("pareto"), .p = {3, 1}}
    };
    lag_law_set_parts(&law, parts, 2);
    g_assert_false(lag_law_kth_is_closed(&law, 2, 2));
    assert_near(lag_law_mean_of_max(&law, 2), 1.2, 1e-9);
    lag_law_clear(&law);
}

/* A sample of 0, 1, 1, 4: F = 1/4, 3/4, 1. Of 2: E[max] = (1 - 1/16) + 3 (1 - 9/16) = 2.25. */
static void sample(void)
{
    static const double values[] = {1, 4, 0, 1};
    struct lag_law law = {0};

    lag_law_set_sample(&law, g_memdup2(values, sizeof values), 4);
    g_assert_true(lag_law_kth_is_closed(&law, 2, 2));
    assert_near(lag_law_mean_of_max(&law, 2), 2.25, 1e-14);
    assert_near(lag_law_mean_of_kth_by_quadrature(&law, 2, 2), 2.25, 1e-9);
    lag_law_clear(&law);
}

/* One of each: exponential of rates 1, 1, 2: 1 + 1 + 1/2 - 1/2 - 1/3 - 1/3 + 1/4 = 1.58333. */
static void different_laws(void)
{
    const struct lag_law_type *type = lag_law_type_find("exponential");
    const struct lag_law laws[] = {
        {.type = type, .p = {1}  },
        {.type = type, .p = {1}  },
        {.type = type, .p = {0.5}}
    };
    const struct lag_law same[] = {laws[0], laws[0], laws[0]};

    assert_near(lag_laws_mean_of_max(laws, 3), 1 + 1 + 0.5 - 0.5 - 2 / 3.0 + 0.25, 1e-9);
    assert_near(lag_laws_mean_of_max(same, 3), 11.0 / 6, 1e-9);
}

/* ln n + gamma, which H_n exceeds by 1 / (2n). */
static void gumbel(void)
{
    struct lag_law law = {.type = lag_law_type_find("exponential"), .p = {1}};

    for (uint32_t n = 10; n <= 1000000; n *= 10)
        g_assert_cmpfloat(fabs(lag_law_mean_of_max(&law, n) - log(n) - M_EULER - 0.5 / n), <,
                          0.1 / n / n + 1e-11);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/law-order/known", known);
    g_test_add_func("/law-order/quadrature", quadrature);
    g_test_add_func("/law-order/scales", scales);
    g_test_add_func("/law-order/simulated", simulated);
    g_test_add_func("/law-order/without-mean", without_mean);
    g_test_add_func("/law-order/mixture", mixture);
    g_test_add_func("/law-order/sample", sample);
    g_test_add_func("/law-order/different-laws", different_laws);
    g_test_add_func("/law-order/gumbel", gumbel);
    return g_test_run();
}
