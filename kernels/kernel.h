/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of kernels, kernels.def, and the elements of their vectors. */
#ifndef LAGGARD_KERNELS_KERNEL_H
#define LAGGARD_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAG_MAX_VECTORS 9 /* of one execution */

enum lag_operation {
    LAG_AXPY,           /* y -= rate x */
    LAG_COPY,           /* y = x */
    LAG_DEVICE_TO_HOST, /* y = x, y in pinned memory of the host */
    LAG_FILL,           /* y = a byte */
    LAG_HOST_TO_DEVICE,
    LAG_MATRIX_PRODUCT, /* C = A B, square, by rows */
    LAG_PEER_TO_PEER,   /* y on the next device */
    LAG_REDUCE_ADD,     /* y += x */
    LAG_WEIGHTED_SUM,   /* y = sum of coefficients times x_i */
};

enum lag_dtype {
    LAG_BYTE,
    LAG_FP32,
    LAG_FP16,
    LAG_BF16,
    LAG_DTYPES
};

struct lag_kernel {
    enum lag_operation operation;
    const char *name;
    unsigned dtypes; /* a bit for each enum lag_dtype */
    uint32_t n_read, n_written;
    const char *unit; /* of its amount: "B", of one vector, or "FLOP" */
    bool on_device_only;
};
extern const struct lag_kernel lag_kernels[];
extern const size_t lag_n_kernels;

const char *lag_dtype_name(enum lag_dtype dtype);
uint32_t lag_dtype_size(enum lag_dtype dtype); /* [B] */

/* One execution of a kernel. */
struct lag_job {
    const struct lag_kernel *kernel;
    enum lag_dtype dtype;
    uint64_t n; /* elements of a vector; rows of a matrix */
};
uint32_t lag_job_vectors(const struct lag_job *job); /* in memory; what is updated counts once */
uint64_t lag_job_bytes(const struct lag_job *job);   /* of one of them */
uint64_t lag_job_traffic(const struct lag_job *job); /* read and written */
uint64_t lag_job_flops(const struct lag_job *job);
uint64_t lag_job_amount(const struct lag_job *job); /* in the kernel's unit */

#ifdef __cplusplus
}
#endif

#endif
