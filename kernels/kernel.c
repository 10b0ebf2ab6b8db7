/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernel.h"

#include <string.h>

enum {
    ON_BYTES = 1 << LAG_BYTE,
    ON_FP32 = 1 << LAG_FP32,
    ON_FLOATS = 1 << LAG_FP32 | 1 << LAG_FP16 | 1 << LAG_BF16,
    ANYWHERE = false,
    DEVICE = true,
};

const struct lag_kernel lag_kernels[] = {
#define KERNEL(operation, name, dtypes, n_read, n_written, unit, on_device_only)                   \
    {LAG_##operation, name, dtypes, n_read, n_written, unit, on_device_only},
#include "kernels/kernels.def"
#undef KERNEL
};
const size_t lag_n_kernels = sizeof lag_kernels / sizeof lag_kernels[0];

const char *lag_dtype_name(enum lag_dtype dtype)
{
    static const char *const names[LAG_DTYPES] = {"byte", "fp32", "fp16", "bf16"};

    return names[dtype];
}

uint32_t lag_dtype_size(enum lag_dtype dtype)
{
    static const uint32_t sizes[LAG_DTYPES] = {1, 4, 2, 2};

    return sizes[dtype];
}

static bool updates(const struct lag_job *job)
{
    return job->kernel->operation == LAG_AXPY || job->kernel->operation == LAG_REDUCE_ADD;
}

uint32_t lag_job_vectors(const struct lag_job *job)
{
    return job->kernel->n_read + job->kernel->n_written - (updates(job) ? 1 : 0);
}

uint64_t lag_job_bytes(const struct lag_job *job)
{
    uint64_t n = job->kernel->operation == LAG_MATRIX_PRODUCT ? job->n * job->n : job->n;

    return n * lag_dtype_size(job->dtype);
}

uint64_t lag_job_traffic(const struct lag_job *job)
{
    return lag_job_bytes(job) * (job->kernel->n_read + job->kernel->n_written);
}

uint64_t lag_job_flops(const struct lag_job *job)
{
    switch (job->kernel->operation) {
    case LAG_MATRIX_PRODUCT:
        return 2 * job->n * job->n * job->n;
    case LAG_AXPY:
        return 2 * job->n;
    case LAG_REDUCE_ADD:
        return job->n;
    case LAG_WEIGHTED_SUM:
        return 2 * job->n * job->kernel->n_read;
    case LAG_COPY:
    case LAG_DEVICE_TO_HOST:
    case LAG_FILL:
    case LAG_HOST_TO_DEVICE:
    case LAG_PEER_TO_PEER:
        break;
    }
    return 0;
}

uint64_t lag_job_amount(const struct lag_job *job)
{
    return strcmp(job->kernel->unit, "FLOP") == 0 ? lag_job_flops(job) : lag_job_bytes(job);
}
