/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/host-loops.h"

#include <assert.h>

#include "kernels/arithmetic.h"

/* One source for several vector widths; not under the sanitizers, which start after the choice. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#    define VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#    define VECTOR_CLONES
#endif

/* y = of y and x, element by element, through float. */
#define UPDATE(name, type, format, element)                                                        \
    VECTOR_CLONES                                                                                  \
    static void name(type *restrict y, const type *restrict x, uint64_t n)                         \
    {                                                                                              \
        for (uint64_t i = 0; i < n; i++)                                                           \
            y[i] = lag_to_##format(element(lag_from_##format(y[i]), lag_from_##format(x[i])));     \
    }

UPDATE(add_fp32, float, fp32, lag_element_add)
UPDATE(add_fp16, uint16_t, fp16, lag_element_add)
UPDATE(add_bf16, uint16_t, bf16, lag_element_add)
UPDATE(axpy_fp32, float, fp32, lag_element_axpy)

/* y = sum of coefficients times the first vectors, in a loop whose inner one the compiler unrolls. */
#define WEIGHTED_SUM(count)                                                                        \
    VECTOR_CLONES                                                                                  \
    static void weighted_sum_##count(float *restrict y, void *const *x, uint64_t from, uint64_t n) \
    {                                                                                              \
        const float *restrict in[count];                                                           \
        for (int k = 0; k < (count); k++)                                                          \
            in[k] = (const float *)x[k] + from;                                                    \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            float sum = 0;                                                                         \
            for (int k = 0; k < (count); k++)                                                      \
                sum = lag_element_weigh(sum, k, in[k][i]);                                         \
            y[i] = sum;                                                                            \
        }                                                                                          \
    }

WEIGHTED_SUM(2)
WEIGHTED_SUM(4)
WEIGHTED_SUM(8)

static void weighted_sum(uint32_t count, void *const *vector, uint64_t from, uint64_t n)
{
    float *y = (float *)vector[count] + from;

    if (count == 2)
        weighted_sum_2(y, vector, from, n);
    else if (count == 4)
        weighted_sum_4(y, vector, from, n);
    else
        weighted_sum_8(y, vector, from, n);
}

static void reduce_add(enum lag_dtype dtype, void *const *vector, uint64_t from, uint64_t n)
{
    if (dtype == LAG_FP32)
        add_fp32((float *)vector[1] + from, (const float *)vector[0] + from, n);
    else if (dtype == LAG_FP16)
        add_fp16((uint16_t *)vector[1] + from, (const uint16_t *)vector[0] + from, n);
    else
        add_bf16((uint16_t *)vector[1] + from, (const uint16_t *)vector[0] + from, n);
}

void lag_host_loop(const struct lag_job *job, void *const vector[LAG_MAX_VECTORS], uint64_t from,
                   uint64_t to)
{
    uint64_t n = to - from;

    switch (job->kernel->operation) {
    case LAG_AXPY:
        axpy_fp32((float *)vector[1] + from, (const float *)vector[0] + from, n);
        return;
    case LAG_COPY:
        memcpy((char *)vector[1] + from, (const char *)vector[0] + from, n);
        return;
    case LAG_FILL:
        memset((char *)vector[0] + from, LAG_FILL_BYTE, n);
        return;
    case LAG_REDUCE_ADD:
        reduce_add(job->dtype, vector, from, n);
        return;
    case LAG_WEIGHTED_SUM:
        weighted_sum(job->kernel->n_read, vector, from, n);
        return;
    case LAG_DEVICE_TO_HOST:
    case LAG_HOST_TO_DEVICE:
    case LAG_MATRIX_PRODUCT:
    case LAG_PEER_TO_PEER:
        assert(!"a kernel of another place");
    }
}
