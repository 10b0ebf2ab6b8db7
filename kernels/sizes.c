/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/sizes.h"

#include <math.h>

#include "kernels/measure.h"

#define MIB           ((uint64_t)1 << 20)
#define GIB           ((uint64_t)1 << 30)
#define LEAST         1024.0    /* bytes of the smallest vector */
#define LEAST_ROWS    16.0      /* of a matrix */
#define MOST_QUICK    (4 * MIB) /* bytes of a vector */
#define FLOPS_QUICK   100       /* a quick matrix product is so much smaller */
#define UNKNOWN_CACHE (32 * MIB)
#define CACHES        4 /* in the arena */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t lag_arena_bytes(const struct lag_device *device, const struct lag_options *options)
{
    uint64_t cache = device->cache > 0 ? device->cache : UNKNOWN_CACHE;
    uint64_t share = device->memory > 0 ? device->memory / 8 : GIB;
    uint64_t most = options->quick ? CACHES * cache : 4 * GIB;

    if (!options->quick && most < CACHES * cache)
        most = CACHES * cache;
    most = least(most, share);
    if (options->most_bytes > 0)
        most = least(most, options->most_bytes);
    return most / MIB > 0 ? most / MIB * MIB : MIB;
}

/* Elements of size i: whole ones, of an even number of bytes. */
static uint64_t size_of(const struct lag_job *job, double factor, uint32_t i)
{
    double growth = pow(factor, i);

    if (job->kernel->operation == LAG_MATRIX_PRODUCT)
        return (uint64_t)(round(LEAST_ROWS * sqrt(growth) / 4) * 4);
    return (uint64_t)(round(LEAST * growth / 64) * 64) / lag_dtype_size(job->dtype);
}

uint32_t lag_sizes(const struct lag_job *job, const struct lag_device *device, bool quick,
                   uint64_t arena, uint64_t ret[LAG_MOST_SIZES])
{
    double factor = quick ? 2 : sqrt(2);
    uint64_t flops = quick ? device->most_flops / FLOPS_QUICK : device->most_flops;
    uint32_t n = 0;

    while (n < LAG_MOST_SIZES) {
        struct lag_job next = {job->kernel, job->dtype, size_of(job, factor, n)};
        if (lag_footprint(&next) > arena || (quick && lag_job_bytes(&next) > MOST_QUICK))
            break;
        if (job->kernel->operation == LAG_MATRIX_PRODUCT && lag_job_flops(&next) > flops)
            break;
        ret[n++] = next.n;
    }
    return n;
}
