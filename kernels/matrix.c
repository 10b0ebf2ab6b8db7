/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/matrix.h"

#include <stdio.h>
#include <string.h>

#ifdef LAG_HAVE_OPENBLAS
#    include <cblas.h>
#endif

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#    define VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#    define VECTOR_CLONES
#endif

#define DEPTH 128 /* rows of B in a block: 128 x 512 x 4 B stay in the second cache */
#define WIDTH 512

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* c[j] += a0 b0[j] + ... + a3 b3[j]: four rows of B at a time. */
VECTOR_CLONES
static void add_rows(float *restrict c, const float *restrict b, uint64_t stride, const float *a,
                     uint64_t width)
{
    const float *b0 = b, *b1 = b + stride, *b2 = b + 2 * stride, *b3 = b + 3 * stride;

    for (uint64_t j = 0; j < width; j++)
        c[j] += (a[0] * b0[j] + a[1] * b1[j]) + (a[2] * b2[j] + a[3] * b3[j]);
}

static void add_row(float *restrict c, const float *restrict b, float a, uint64_t width)
{
    for (uint64_t j = 0; j < width; j++)
        c[j] += a * b[j];
}

void lag_matrix_blocked(float *c, const float *a, const float *b, uint64_t n, uint64_t from,
                        uint64_t to)
{
    memset(c + from * n, 0, (to - from) * n * sizeof *c);
    for (uint64_t j = 0; j < n; j += WIDTH)
        for (uint64_t k0 = 0; k0 < n; k0 += DEPTH)
            for (uint64_t i = from; i < to; i++) {
                uint64_t width = least(WIDTH, n - j), end = least(k0 + DEPTH, n), k = k0;
                for (; k + 4 <= end; k += 4)
                    add_rows(c + i * n + j, b + k * n + j, n, a + i * n + k, width);
                for (; k < end; k++)
                    add_row(c + i * n + j, b + k * n + j, a[i * n + k], width);
            }
}

#ifdef LAG_HAVE_OPENBLAS

const int lag_matrix_is_threaded = 1;

void lag_matrix_describe(char *ret, uint32_t size)
{
    char config[128];

    /* "OpenBLAS 0.3.21 NO_LAPACKE ..." */
    snprintf(config, sizeof config, "%s", openblas_get_config());
    char *end = strchr(config, ' ');
    if (end != NULL && (end = strchr(end + 1, ' ')) != NULL)
        *end = '\0';
    snprintf(ret, size, "%s", config);
}

void lag_matrix_threads(uint32_t n)
{
    openblas_set_num_threads((int)n);
}

void lag_matrix_rows(float *c, const float *a, const float *b, uint64_t n, uint64_t from,
                     uint64_t to)
{
    int size = (int)n;

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(to - from), size, size, 1,
                a + from * n, size, b, size, 0, c + from * n, size);
}

#else

const int lag_matrix_is_threaded = 0;

void lag_matrix_describe(char *ret, uint32_t size)
{
    snprintf(ret, size, "no BLAS");
}

void lag_matrix_threads(uint32_t n)
{
    (void)n;
}

void lag_matrix_rows(float *c, const float *a, const float *b, uint64_t n, uint64_t from,
                     uint64_t to)
{
    lag_matrix_blocked(c, a, b, n, from, to);
}

#endif
