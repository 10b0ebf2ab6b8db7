/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of the optimizer by hand, on one or two parameters. */
#include "sim/learner/optimizer.h"
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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/optimizer/plain", plain);
    g_test_add_func("/optimizer/momentum", momentum);
    g_test_add_func("/optimizer/rules", rules);
    g_test_add_func("/optimizer/schedule", schedule);
    g_test_add_func("/optimizer/not-finite", not_finite);
    return g_test_run();
}
