/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels on a device's memory: threads take 16 bytes at a time. */
#ifndef LAGGARD_KERNELS_CUDA_LOOPS_H
#define LAGGARD_KERNELS_CUDA_LOOPS_H

#include <cuda_runtime.h>

#include "kernels/kernel.h"

/* Puts an axpy, a reduce-add or a weighted sum on a stream; vector[i] as in backend.h, on
 * boundaries of 16 bytes. `n_blocks` of threads at most. */
cudaError_t lag_cuda_loop(const struct lag_job *job, void *const vector[LAG_MAX_VECTORS],
                          unsigned n_blocks, cudaStream_t stream);

#endif
