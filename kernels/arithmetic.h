/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernels do to one element, in C for the host and in CUDA for a device; and the formats
 * of 16 bits, IEEE 754 binary16 and bfloat16, rounded to nearest, ties to even. On a device the
 * conversions are its own instructions; the program checks their results before it times them. */
#ifndef LAGGARD_KERNELS_ARITHMETIC_H
#define LAGGARD_KERNELS_ARITHMETIC_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#    include <cuda_bf16.h>
#    include <cuda_fp16.h>
#    define LAG_ON_BOTH __host__ __device__ static inline
#else
#    define LAG_ON_BOTH static inline
#endif

#define LAG_LEARNING_RATE 0x1p-10f /* of axpy */
#define LAG_FILL_BYTE     0x3c     /* of fill: a normal number in each format */

LAG_ON_BOTH uint32_t lag_bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

LAG_ON_BOTH float lag_float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A half's exponent and fraction, read as a float's, are 2^-112 of the value, subnormal ones too;
 * infinity and what isn't a number lose their exponent by that and get it back. */
LAG_ON_BOTH float lag_from_fp16(uint16_t half)
{
#ifdef __CUDA_ARCH__
    return __half2float(__ushort_as_half(half));
#else
    float scaled = lag_float_of((uint32_t)(half & 0x7fff) << 13) * 0x1p112f;
    uint32_t bits = lag_bits_of(scaled);

    bits |= (half & 0x7c00) == 0x7c00 ? 0x7f800000U : 0;
    return lag_float_of(bits | (uint32_t)(half & 0x8000) << 16);
#endif
}

/* Three cases, all computed: a normal half (carry into the exponent is right, up to infinity), a
 * subnormal one (adding 0.5 puts its last place where the float's is), and what isn't a number. */
LAG_ON_BOTH uint16_t lag_to_fp16(float value)
{
#ifdef __CUDA_ARCH__
    return __half_as_ushort(__float2half_rn(value));
#else
    uint32_t bits = lag_bits_of(value);
    uint32_t size = bits & 0x7fffffff;
    uint32_t normal = (size - 0x38000000U + 0xfff + (size >> 13 & 1)) >> 13;
    uint32_t subnormal = lag_bits_of(lag_float_of(size) + 0.5f) - 0x3f000000U;
    uint32_t half = size < 0x38800000U ? subnormal : normal;

    half = size >= 0x477ff000U ? 0x7c00 : half; /* 65520 and more */
    half = size > 0x7f800000U ? 0x7e00 : half;
    return (uint16_t)(half | (bits >> 16 & 0x8000));
#endif
}

LAG_ON_BOTH float lag_from_bf16(uint16_t value)
{
    return lag_float_of((uint32_t)value << 16);
}

LAG_ON_BOTH uint16_t lag_to_bf16(float value)
{
#ifdef __CUDA_ARCH__
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
#else
    uint32_t bits = lag_bits_of(value);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000U ? (bits >> 16 | 0x40) : rounded);
#endif
}

LAG_ON_BOTH float lag_from_fp32(float value)
{
    return value;
}

LAG_ON_BOTH float lag_to_fp32(float value)
{
    return value;
}

/* The add of a reduce step. */
LAG_ON_BOTH float lag_element_add(float y, float x)
{
    return y + x;
}

/* The update of stochastic gradient descent. */
LAG_ON_BOTH float lag_element_axpy(float y, float x)
{
    return y - LAG_LEARNING_RATE * x;
}

/* Coefficient i of a gradient code; any will do, for time doesn't depend on it. */
LAG_ON_BOTH float lag_element_coefficient(int i)
{
    return (float)(i + 1) * 0.25f - 0.125f;
}

LAG_ON_BOTH float lag_element_weigh(float sum, int i, float x)
{
    return sum + lag_element_coefficient(i) * x;
}

#endif
