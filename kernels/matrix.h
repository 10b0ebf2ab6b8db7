/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrix product on a host: OpenBLAS's where it was found, else a blocked loop. */
#ifndef LAGGARD_KERNELS_MATRIX_H
#define LAGGARD_KERNELS_MATRIX_H

#include <stdint.h>

/* "OpenBLAS 0.3.21", or "no BLAS". Into `ret` of `size` bytes. */
void lag_matrix_describe(char *ret, uint32_t size);
void lag_matrix_threads(uint32_t n);

/* Rows `from` to `to` of C = A B, all n x n by rows, fp32. */
void lag_matrix_rows(float *c, const float *a, const float *b, uint64_t n, uint64_t from,
                     uint64_t to);
/* True where one call for all rows uses the threads by itself. */
extern const int lag_matrix_is_threaded;

/* The loop that is used without a BLAS; here for its test. */
void lag_matrix_blocked(float *c, const float *a, const float *b, uint64_t n, uint64_t from,
                        uint64_t to);

#endif
