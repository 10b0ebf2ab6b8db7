/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of the optimizer by hand, on one or two parameters, and where delayed ones blow up. */
#include <string.h>

#include "sim/learner/learner.h"
#include "tests/helpers.h"

static void start(struct lag_optimizer *optimizer, const struct lag_optimizer_setup *setup,
                  uint32_t n)
{
    lag_optimizer_init(optimizer, setup, n);
    lag_optimizer_start(optimizer);
}

/* x = (1, 2), sums (4, -8) of 4 samples, rate 0.5, scale 0.25: x -= 0.125 x (1, -2). */
static void plain(void)
{
    const struct lag_optimizer_setup setup = {.rate = 0.5};
    struct lag_optimizer optimizer;
    double x[] = {1, 2};

    start(&optimizer, &setup, 2);
    g_assert_true(lag_optimizer_step(&optimizer, x, (const double[]){4, -8}, 4, 0.25));
    g_assert_cmpfloat(x[0], ==, 0.875);
    g_assert_cmpfloat(x[1], ==, 2.25);
    g_assert_cmpfloat(optimizer.samples, ==, 4);
    g_assert_true(lag_optimizer_step_alone(&optimizer, x, (const double[]){4, -8}, 4, 1));
    g_assert_cmpfloat(x[0], ==, 0.375);
    g_assert_cmpfloat(optimizer.samples, ==, 4);
    lag_optimizer_clear(&optimizer);
}

/* Mean gradient 1 each time, momentum 0.5, rate 1: velocities 1, 1.5, 1.75. A copy's own step and a new
 * start know nothing of them. */
static void momentum(void)
{
    const struct lag_optimizer_setup setup = {.rate = 1, .momentum = 0.5};
    struct lag_optimizer optimizer;
    static const double after[] = {-1, -2.5, -4.25};
    double x = 0, sum = 2;

    start(&optimizer, &setup, 1);
    for (int i = 0; i < 3; i++) {
        g_assert_true(lag_optimizer_step(&optimizer, &x, &sum, 2, 1));
        g_assert_cmpfloat(x, ==, after[i]);
    }
    g_assert_true(lag_optimizer_step_alone(&optimizer, &x, &sum, 2, 1));
    g_assert_cmpfloat(x, ==, -5.25);
    lag_optimizer_start(&optimizer);
    g_assert_true(lag_optimizer_step(&optimizer, &x, &sum, 2, 1));
    g_assert_cmpfloat(x, ==, -6.25);
    lag_optimizer_clear(&optimizer);
}

/* Rules at 64 samples of a reference of 16, and of one of 64, with and without a limit of 2. */
static void rules(void)
{
    static const struct {
        enum lag_rate_rule rule;
        double reference, most, rate;
    } cases[] = {
        {LAG_RATE_CONSTANT, 16,  0, 0.5 },
        {LAG_RATE_LINEAR,   16,  0, 2   },
        {LAG_RATE_LINEAR,   16,  2, 1   },
        {LAG_RATE_LINEAR,   128, 2, 0.25},
        {LAG_RATE_SQRT,     16,  0, 1   },
        {LAG_RATE_SQRT,     1,   2, 1   },
        {LAG_RATE_SQRT,     64,  0, 0.5 },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const struct lag_optimizer_setup setup = {.rate = 0.5,
                                                  .rule = cases[i].rule,
                                                  .reference = cases[i].reference,
                                                  .most_scale = cases[i].most};
        struct lag_optimizer optimizer;
        start(&optimizer, &setup, 0);
        g_assert_cmpfloat(lag_optimizer_rate(&optimizer, 64), ==, cases[i].rate);
        lag_optimizer_clear(&optimizer);
    }
}

/* Rate 1, a tenth from 10 samples on, and a half of that from 20 on; updates of 8. */
static void schedule(void)
{
    const struct lag_rate_drop drops[] = {
        {10, 0.125},
        {20, 0.5  }
    };
    const struct lag_optimizer_setup setup = {.rate = 1, .n_drops = 2, .drops = drops};
    static const double rates[] = {1, 1, 0.125, 0.0625};
    struct lag_optimizer optimizer;
    double x = 0, sum = 0;

    start(&optimizer, &setup, 1);
    for (size_t i = 0; i < G_N_ELEMENTS(rates); i++) {
        g_assert_cmpfloat(lag_optimizer_rate(&optimizer, 8), ==, rates[i]);
        lag_optimizer_step(&optimizer, &x, &sum, 8, 1);
    }
    lag_optimizer_clear(&optimizer);
}

/* The first parameter that isn't finite is told, wherever it stands. */
static void not_finite(void)
{
    const struct lag_optimizer_setup setup = {.rate = 1};
    struct lag_optimizer optimizer;

    start(&optimizer, &setup, 3);
    for (int bad = 0; bad < 3; bad++) {
        double x[3] = {1, -1e308, 0}, sum[3] = {0};
        g_assert_true(lag_optimizer_step(&optimizer, x, sum, 1, 1));
        sum[bad] = bad == 1 ? 1e308 : NAN;
        g_assert_false(lag_optimizer_step(&optimizer, x, sum, 1, 1));
    }
    lag_optimizer_clear(&optimizer);
}

/* f(x) = (x - 1)^2 / 2, or with targets 1 + 1 and 1 - 1 in turn: gradient noise of variance 1. */
static lag_model *parabola(bool noisy)
{
    g_autoptr(lag_dataset) dataset = lag_dataset_new("parabola", 1, 0);
    g_autoptr(GError) error = NULL;
    struct lag_samples *train = &dataset->train;

    train->n = noisy ? 2 : 1;
    train->numbers = g_memdup2((const double[]){1, 1}, 2 * sizeof(double));
    train->targets = g_memdup2((const double[]){noisy ? 2 : 1, 0}, 2 * sizeof(double));
    lag_model *model = lag_model_new(lag_model_kind_find("least-squares"), dataset, 0, &error);
    g_assert_no_error(error);
    return model;
}

/* n updates by one sample's gradient each, taken `delay` versions ago; the mean of (x - 1)^2 over the last
 * half. */
static double delayed(lag_model *model, double rate, uint32_t delay, uint32_t n, uint64_t seed)
{
    const struct lag_learner_setup setup = {.model = model, .optimizer = {.rate = rate}};
    g_autoptr(lag_learner) learner = lag_learner_new(&setup, 1, NULL);
    double x[8] = {0}, squares = 0; /* x[0] is the newest version */
    uint32_t half = n / 2;

    lag_learner_start(learner, seed, 0, x);
    for (uint32_t k = 0; k < n; k++) {
        double sum = 0, newest = x[0];
        uint32_t index;
        lag_learner_draw(learner, 0, 1, &index);
        lag_learner_add_gradient(learner, &x[MIN(delay, k)], &index, 1, &sum);
        lag_learner_step(learner, &newest, &sum, 1, 1);
        memmove(&x[1], &x[0], 7 * sizeof *x);
        x[0] = newest;
        squares += k >= half ? (newest - 1) * (newest - 1) : 0;
    }
    return squares / (n - half);
}

/* Section 2.4 of the specification: x(k+1) = x(k) - a x(k-d) is stable iff
 * a < 2 sin(pi / (2 (2 d + 1))): 2, 1, 0.618034, 0.445042, and 0.241073 for d = 6. One hundredth
 * below 20,000 steps shrink the error, one hundredth above they blow it up. */
static void stability(void)
{
    static const struct {
        uint32_t delay;
        double limit;
    } cases[] = {
        {0, 2       },
        {1, 1       },
        {2, 0.618034},
        {3, 0.445042},
        {6, 0.241073}
    };
    g_autoptr(lag_model) model = parabola(false);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint32_t delay = cases[i].delay;
        assert_near(cases[i].limit, 2 * sin(G_PI / (2 * (2 * delay + 1.0))), 1e-5);
        g_assert_cmpfloat(delayed(model, 0.99 * cases[i].limit, delay, 20000, 1), <, 1e-3);
        g_assert_cmpfloat(delayed(model, 1.01 * cases[i].limit, delay, 20000, 1), >, 1e3);
    }
}

/* The same section: with noise of variance 1 the stationary variance of x is a / (2 - a) without
 * delay, and a (1 + a) / ((1 - a) (2 + a)) with a delay of one. A million steps, whose errors
 * are correlated over about 1/a of them: 4 standard errors are below 2 % (a = 0.1), and 4 % at
 * 0.9, where the error of a delayed step is near its limit of stability. */
static void stationary_variance(void)
{
    g_autoptr(lag_model) model = parabola(true);

    for (int i = 1; i <= 9; i += 4) {
        double a = i / 10.0;
        assert_near(delayed(model, a, 0, 1000000, 3), a / (2 - a), 0.02);
        assert_near(delayed(model, a, 1, 1000000, 3), a * (1 + a) / ((1 - a) * (2 + a)), 0.04);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/optimizer/plain", plain);
    g_test_add_func("/optimizer/momentum", momentum);
    g_test_add_func("/optimizer/rules", rules);
    g_test_add_func("/optimizer/schedule", schedule);
    g_test_add_func("/optimizer/not-finite", not_finite);
    g_test_add_func("/optimizer/stability", stability);
    g_test_add_func("/optimizer/stationary-variance", stationary_variance);
    return g_test_run();
}
