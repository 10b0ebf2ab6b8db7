/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "tools/break-even.h"

#define ALPHA 3e-6                   /* [s] */
#define RATE  (450.0 * 1073741824.0) /* [B/s] */

/* n GPUs on the switch of StragglAR's authors; sizes are divisible by n and n - 1 elements. */
static lag_scenario *make_scenario(unsigned n, unsigned size)
{
    g_autofree char *text = g_strdup_printf(
        "laggard: 1\n"
        "name: test\n"
        "cluster: {gpus: %u, network: {topology: switch, bandwidth: 450 GiB/s, latency: 3 us}}\n"
        "workload: {collective: allreduce, size: %u B}\n"
        "algorithms: [stragglar, ring]\n",
        n, size);
    const char *const none[] = {NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "test", ".", none, &error);

    g_assert_no_error(error);
    lag_scenario *scenario = lag_document_point(document, 0, &error);
    g_assert_no_error(error);
    return scenario;
}

static struct lag_break_even find(const lag_scenario *scenario, uint32_t a, uint32_t b)
{
    g_autoptr(lag_trial) trial = lag_trial_new();
    g_autoptr(lag_plan) plan_a = lag_trial_plan(scenario, a, NULL);
    g_autoptr(lag_plan) plan_b = lag_trial_plan(scenario, b, NULL);
    struct lag_duel duel = {scenario, plan_a, plan_b, scenario->n_ranks - 1};
    struct lag_break_even found;

    g_assert_true(lag_break_even_find(trial, &duel, &found, NULL));
    return found;
}

/* With L = log2 n, c = s / ((n - 1) B): StragglAR's exposed time is (n - 2) (alpha + c) - D +
 * (n + L - 2) (alpha + c) while D hides less than all, ring's 2 (n - 1) (alpha + s / (n B)).
 * Equal at D* = (L - 2) alpha + (n L - 2) / (n (n - 1)) s / B. */
static void test_closed_form(void)
{
    for (unsigned log = 2; log <= 6; log++) {
        unsigned n = 1u << log, size = 4 * n * (n - 1) * 60000;
        g_autoptr(lag_scenario) scenario = make_scenario(n, size);
        struct lag_break_even found = find(scenario, 0, 1), reverse = find(scenario, 1, 0);
        double expected =
            (log - 2.0) * ALPHA + (n * (double)log - 2) / (n * (n - 1.0)) * size / RATE;

        g_assert_cmpint(found.verdict, ==, LAG_A_FROM);
        g_assert_cmpfloat_with_epsilon(found.delay, expected, 1e-9 * expected);
        g_assert_cmpint(reverse.verdict, ==, LAG_B_FROM);
        g_assert_cmpfloat_with_epsilon(reverse.delay, expected, 1e-9 * expected);
    }
}

/* Two ranks swap once (alpha + s / B) where a ring takes two rounds of half (2 alpha + s / B). */
static void test_always(void)
{
    g_autoptr(lag_scenario) scenario = make_scenario(2, 1 << 20);
    struct lag_break_even found = find(scenario, 0, 1);

    g_assert_cmpint(found.verdict, ==, LAG_A_ALWAYS);
    g_assert_true(isnan(found.delay));
    g_assert_cmpint(find(scenario, 1, 0).verdict, ==, LAG_B_ALWAYS);
    g_assert_cmpint(find(scenario, 1, 1).verdict, ==, LAG_EQUAL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/break-even/closed-form", test_closed_form);
    g_test_add_func("/break-even/always", test_always);
    return g_test_run();
}
