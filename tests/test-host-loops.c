/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of kernels/arithmetic.h, which CUDA compiles too, and the loops around it. */
#include <math.h>
#include <string.h>

#include <glib.h>

#include "kernels/arithmetic.h"
#include "kernels/host-loops.h"

/* IEEE 754-2008, binary16: 5 bits of exponent (bias 15), 10 of fraction. The smallest subnormal
 * number is 2^-24, the smallest normal one 2^-14, the largest 65504. Between them ties go to the
 * even fraction: 1 + 2^-11 is half-way to 1 + 2^-10, and 65520 half-way to what would be 65536. */
static void test_fp16_table(void)
{
    static const struct {
        float value;
        uint16_t half;
    } table[] = {
        {0,                   0x0000},
        {1,                   0x3c00},
        {-2,                  0xc000},
        {0x1p-24f,            0x0001},
        {0x1p-25f,            0x0000}, /* half-way to 2^-24: even is 0 */
        {0x1.000002p-25f,     0x0001}, /* a little more */
        {0x3p-25f,            0x0002}, /* 1.5 x 2^-24: even is 2 */
        {0x1p-14f,            0x0400},
        {0x1.ff8p-15f,        0x03ff}, /* the largest subnormal: 1023 x 2^-24 */
        {0x1.ffcp-15f,        0x0400}, /* half-way between them: up to the even one */
        {1 + 0x1p-11f,        0x3c00},
        {1 + 0x1.000002p-11f, 0x3c00}, /* is 1 + 2^-11 as a float */
        {1 + 0x1.004p-11f,    0x3c01},
        {1 + 0x3p-11f,        0x3c02},
        {65504,               0x7bff},
        {65519.996F,          0x7bff},
        {65520,               0x7c00},
        {-1e30F,              0xfc00},
        {INFINITY,            0x7c00},
        {1.0F / 3,            0x3555},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        g_assert_cmphex(lag_to_fp16(table[i].value), ==, table[i].half);
    g_assert_cmphex(lag_to_fp16(NAN) & 0x7e00, ==, 0x7e00);
    g_assert_true(isnan(lag_from_fp16(0x7c01)) && isnan(lag_from_fp16(0xfe00)));
    g_assert_true(isinf(lag_from_fp16(0xfc00)) && lag_from_fp16(0xfc00) < 0);
    g_assert_true(signbit(lag_from_fp16(0x8000)) != 0);
}

/* The value of each of the 65536 halves by its definition; and it converts back. */
static void test_fp16_all(void)
{
    for (uint32_t half = 0; half <= 0xffff; half++) {
        int exponent = (int)(half >> 10 & 31), fraction = (int)(half & 0x3ff);
        if (exponent == 31)
            continue;
        double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
        double value = half >> 15 != 0 ? -size : size;
        g_assert_true(!((double)lag_from_fp16((uint16_t)half) < value) &&
                      !((double)lag_from_fp16((uint16_t)half) > value));
        g_assert_cmphex(lag_to_fp16(lag_from_fp16((uint16_t)half)), ==, half);
    }
}

/* Half-way between each two neighbours goes to the even one; a float's breadth beside it, to the
 * nearer. `from` and `to` convert; the largest finite number is `last`. */
static void assert_ties(float (*from)(uint16_t), uint16_t (*to)(float), uint32_t last)
{
    for (uint32_t low = 0; low < last; low++) {
        float a = from((uint16_t)low), b = from((uint16_t)(low + 1)), middle = a + (b - a) / 2;
        uint32_t even = (low & 1) == 0 ? low : low + 1;
        g_assert_cmphex(to(middle), ==, even);
        g_assert_cmphex(to(nextafterf(middle, 0)), ==, low);
        g_assert_cmphex(to(nextafterf(middle, INFINITY)), ==, low + 1);
        g_assert_cmphex(to(-middle), ==, even | 0x8000);
    }
}

static float from_fp16(uint16_t half)
{
    return lag_from_fp16(half);
}

static uint16_t to_fp16(float value)
{
    return lag_to_fp16(value);
}

static float from_bf16(uint16_t value)
{
    return lag_from_bf16(value);
}

static uint16_t to_bf16(float value)
{
    return lag_to_bf16(value);
}

static void test_ties(void)
{
    assert_ties(from_fp16, to_fp16, 0x7bff);
    assert_ties(from_bf16, to_bf16, 0x7f7f);
}

/* bfloat16 is the upper half of a float, 7 bits of fraction: 1 + 2^-8 is half-way. */
static void test_bf16_table(void)
{
    static const struct {
        float value;
        uint16_t bits;
    } table[] = {
        {0,               0x0000},
        {1,               0x3f80},
        {-2,              0xc000},
        {1 + 0x1p-8f,     0x3f80},
        {1 + 0x1.008p-8f, 0x3f81},
        {1 + 0x3p-8f,     0x3f82},
        {1.0F / 3,        0x3eab},
        {3.0e38F,         0x7f62},
        {0x1.fep127f,     0x7f7f},
        {0x1.ffp127f,     0x7f80}, /* half-way to 2^128 */
        {INFINITY,        0x7f80},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        g_assert_cmphex(lag_to_bf16(table[i].value), ==, table[i].bits);
    g_assert_true(isnan(lag_from_bf16(lag_to_bf16(NAN))));
    g_assert_true(isnan(lag_from_bf16(lag_to_bf16(lag_float_of(0x7f800001)))));
}

#define N 1037

static const struct lag_kernel *kernel_named(const char *name)
{
    for (size_t i = 0; i < lag_n_kernels; i++)
        if (strcmp(lag_kernels[i].name, name) == 0)
            return &lag_kernels[i];
    g_assert_not_reached();
}

/* By hand: 1.5 + 2.25; 1 - 2^-10 x 512; and of vectors k + 1 with coefficients k/4 + 1/8 the sum
 * 0.125 x 1 + 0.375 x 2 + 0.625 x 3 + 0.875 x 4 = 6.25. What lies outside the part stays. */
static void test_loops(void)
{
    static float x[4][N], y[N];
    static uint16_t hx[N], hy[N];
    void *vector[LAG_MAX_VECTORS] = {x[0], x[1], x[2], x[3], y};
    struct lag_job job = {kernel_named("weighted-sum-4"), LAG_FP32, N};

    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 4; k++)
            x[k][i] = (float)(k + 1);
        y[i] = -1;
        hx[i] = lag_to_fp16(1.5F);
        hy[i] = lag_to_fp16(2.25F);
    }
    lag_host_loop(&job, vector, 1, N - 1);
    g_assert_true(y[0] < 0 && y[N - 1] < 0);
    for (int i = 1; i < N - 1; i++)
        g_assert_cmpfloat_with_epsilon(y[i], 6.25F, 1e-12);
    job = (struct lag_job){kernel_named("reduce-add"), LAG_FP16, N};
    lag_host_loop(&job, (void *[LAG_MAX_VECTORS]){hx, hy}, 0, N);
    g_assert_cmphex(hy[0], ==, lag_to_fp16(3.75F));
    g_assert_cmphex(hy[N - 1], ==, lag_to_fp16(3.75F));
    job = (struct lag_job){kernel_named("axpy"), LAG_FP32, N};
    for (int i = 0; i < N; i++) {
        x[0][i] = 512;
        y[i] = 1;
    }
    lag_host_loop(&job, (void *[LAG_MAX_VECTORS]){x[0], y}, 0, N);
    for (int i = 0; i < N; i++)
        g_assert_cmpfloat_with_epsilon(y[i], 0.5F, 1e-12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/host-loops/fp16-table", test_fp16_table);
    g_test_add_func("/host-loops/fp16-all", test_fp16_all);
    g_test_add_func("/host-loops/ties", test_ties);
    g_test_add_func("/host-loops/bf16-table", test_bf16_table);
    g_test_add_func("/host-loops/loops", test_loops);
    return g_test_run();
}
