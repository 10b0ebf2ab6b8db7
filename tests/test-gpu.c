/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/gpu/gpu.h"
#include "tests/helpers.h"

/* TC17 (astra-sim PR#217): 312 TFLOP/s and 2039 GB/s. At 10 FLOP/B memory allows 20.39 TFLOP/s, at
 * 200 the peak is reached, and the ridge is 312e12 / 2039e9 = 153.02 FLOP/B. */
static void tc17(void)
{
    const struct lag_roofline a100 = {
        .peak = 312e12, .memory_rate = 2039e9, .memory_efficiency = 1};

    assert_near(lag_roofline_speed(&a100, 10), 20.39e12, 1e-12);
    assert_near(lag_roofline_speed(&a100, 200), 312e12, 1e-12);
    g_assert_cmpfloat(fabs(lag_roofline_ridge(&a100) - 153.02), <=, 0.005);
}

/* 4 kernels, 12 TFLOP and 8 TB in all, on 10 TFLOP/s and 2 TB/s, 1 s a launch. One kernel: 3 TFLOP
 * take 0.3 s, 2 TB take 1 s: memory decides, 4 x (1 + 1). With half the memory's rate 4 x (1 + 2);
 * with a tenth of the peak 3 s decide: 4 x (1 + 3). */
static void times(void)
{
    const struct lag_work work = {.flops = 12e12, .bytes = 8e12, .kernels = 4};
    const struct lag_efficiency_point tenth = {1, 0.1};
    struct lag_roofline roofline = {
        .peak = 10e12, .memory_rate = 2e12, .memory_efficiency = 1, .launch = 1};

    assert_near(lag_roofline_time(&roofline, &work), 8, 1e-12);
    g_assert_false(lag_roofline_is_compute_bound(&roofline, &work));
    roofline.memory_efficiency = 0.5;
    assert_near(lag_roofline_time(&roofline, &work), 12, 1e-12);
    roofline.efficiency = (struct lag_efficiency){1, &tenth};
    assert_near(lag_roofline_time(&roofline, &work), 16, 1e-12);
    g_assert_true(lag_roofline_is_compute_bound(&roofline, &work));
}

/* Nothing to compute costs the launches alone, whatever the GPU can do. */
static void nothing(void)
{
    const struct lag_roofline unknown = {.launch = 2};

    g_assert_cmpfloat(lag_roofline_time(&unknown, &(struct lag_work){.kernels = 3}), ==, 6);
}

/* 0.2 at 1 GFLOP, 0.6 at 10 GFLOP: half way in log(work), sqrt(10) GFLOP, it is 0.4; outside the
 * ends hold. */
static void efficiencies(void)
{
    static const struct lag_efficiency_point points[] = {
        {1e9,  0.2},
        {1e10, 0.6},
    };
    const struct lag_efficiency efficiency = {G_N_ELEMENTS(points), points};

    assert_near(lag_efficiency_at(&efficiency, sqrt(10) * 1e9), 0.4, 1e-12);
    g_assert_cmpfloat(lag_efficiency_at(&efficiency, 1), ==, 0.2);
    g_assert_cmpfloat(lag_efficiency_at(&efficiency, 1e9), ==, 0.2);
    g_assert_cmpfloat(lag_efficiency_at(&efficiency, 1e10), ==, 0.6);
    g_assert_cmpfloat(lag_efficiency_at(&efficiency, INFINITY), ==, 0.6);
    g_assert_cmpfloat(lag_efficiency_at(&(struct lag_efficiency){0}, 5), ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gpu/tc17", tc17);
    g_test_add_func("/gpu/times", times);
    g_test_add_func("/gpu/nothing", nothing);
    g_test_add_func("/gpu/efficiencies", efficiencies);
    return g_test_run();
}
