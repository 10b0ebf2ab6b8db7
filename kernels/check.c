/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/arithmetic.h"
#include "kernels/pattern.h"

#define ELEMENTS  4099
#define ROWS      61
#define SPACE     20480 /* bytes for a vector; 4099 floats, and 61 x 61 */
#define SENTINEL  0x35  /* behind the result: nothing may be written there */
#define ELSEWHERE 0x55  /* behind the other vectors: what changes the sentinel, in each format */

/* Vectors before and after; what is not a multiple of the pattern's 2 bytes doesn't occur. */
struct trial {
    const struct lag_job *job;
    uint64_t n_elements; /* of a vector */
    uint32_t result;     /* which vector is written */
    unsigned char before[LAG_MAX_VECTORS][SPACE];
    unsigned char after[SPACE];
};

static double element(enum lag_dtype dtype, const unsigned char *vector, uint64_t i)
{
    float value;
    uint16_t word;

    if (dtype == LAG_FP32) {
        memcpy(&value, vector + 4 * i, 4);
        return (double)value;
    }
    memcpy(&word, vector + 2 * i, 2);
    return (double)(dtype == LAG_FP16 ? lag_from_fp16(word) : lag_from_bf16(word));
}

/* Element i of the result, and the sum of its terms' sizes. */
static double reference(const struct trial *trial, uint64_t i, double *ret_size)
{
    const struct lag_job *job = trial->job;
    enum lag_dtype dtype = job->dtype;
    double sum = 0, size = 0;

    for (uint32_t k = 0; k < job->kernel->n_read; k++) {
        double factor = 1;
        if (job->kernel->operation == LAG_AXPY)
            factor = k == 0 ? (double)-LAG_LEARNING_RATE : 1;
        else if (job->kernel->operation == LAG_WEIGHTED_SUM)
            factor = (double)lag_element_coefficient((int)k);
        double term = factor * element(dtype, trial->before[k], i);
        sum += term;
        size += fabs(term);
    }
    *ret_size = size;
    return sum;
}

static double product(const struct trial *trial, uint64_t i, double *ret_size)
{
    uint64_t n = trial->job->n, row = i / n, column = i % n;
    double sum = 0;

    for (uint64_t k = 0; k < n; k++)
        sum += element(trial->job->dtype, trial->before[0], row * n + k) *
               element(trial->job->dtype, trial->before[1], k * n + column);
    *ret_size = sum; /* the pattern is positive */
    return sum;
}

/* Of the terms' size: rounding of the sum in fp32, one for each term, and of the result. */
static double tolerance(const struct lag_job *job)
{
    static const double unit[LAG_DTYPES] = {0, 0x1p-24, 0x1p-11, 0x1p-8};
    uint64_t n_terms =
        job->kernel->operation == LAG_MATRIX_PRODUCT ? job->n : 2 * (uint64_t)job->kernel->n_read;

    return 1.01 * unit[job->dtype] + (double)n_terms * 0x1p-24;
}

static bool is_close(const struct trial *trial, uint64_t i)
{
    bool matrix = trial->job->kernel->operation == LAG_MATRIX_PRODUCT;
    double size, expected = matrix ? product(trial, i, &size) : reference(trial, i, &size);
    double found = element(trial->job->dtype, trial->after, i);

    return fabs(found - expected) <= tolerance(trial->job) * size;
}

static bool is_right(const struct trial *trial, uint64_t i)
{
    if (trial->job->dtype != LAG_BYTE)
        return is_close(trial, i);
    if (trial->job->kernel->operation == LAG_FILL)
        return trial->after[i] == LAG_FILL_BYTE;
    return trial->after[i] == trial->before[0][i];
}

static bool compare(struct lag_backend *backend, const struct trial *trial)
{
    const struct lag_job *job = trial->job;

    for (uint64_t i = 0; i < trial->n_elements; i++)
        if (!is_right(trial, i)) {
            snprintf(backend->why, sizeof backend->why,
                     "%s, %s: element %llu of %llu is wrong; nothing is timed", job->kernel->name,
                     lag_dtype_name(job->dtype), (unsigned long long)i,
                     (unsigned long long)trial->n_elements);
            return false;
        }
    for (uint64_t i = lag_job_bytes(job); i < SPACE; i++)
        if (trial->after[i] != SENTINEL) {
            snprintf(backend->why, sizeof backend->why, "%s, %s: writes beyond its vector",
                     job->kernel->name, lag_dtype_name(job->dtype));
            return false;
        }
    return true;
}

static bool run(struct lag_backend *backend, struct trial *trial)
{
    const struct lag_job *job = trial->job;
    uint64_t offset[LAG_MAX_VECTORS], bytes = lag_job_bytes(job);
    struct lag_elapsed elapsed;

    for (uint32_t k = 0; k < lag_job_vectors(job); k++) {
        uint16_t words[SPACE / 2];
        offset[k] = (uint64_t)k * SPACE;
        lag_pattern_fill(words, SPACE / 2, offset[k]);
        memcpy(trial->before[k], words, SPACE);
        memset(trial->before[k] + bytes, k == trial->result ? SENTINEL : ELSEWHERE, SPACE - bytes);
        if (!backend->upload(backend, offset[k], trial->before[k], SPACE))
            return false;
    }
    return backend->start(backend) && backend->launch(backend, job, offset) &&
           backend->stop(backend, &elapsed) &&
           backend->download(backend, job, offset[trial->result], trial->after, SPACE);
}

bool lag_check(struct lag_backend *backend, const struct lag_kernel *kernel, enum lag_dtype dtype)
{
    bool matrix = kernel->operation == LAG_MATRIX_PRODUCT;
    struct lag_job job = {kernel, dtype, matrix ? ROWS : ELEMENTS};
    struct trial trial = {.job = &job, .n_elements = matrix ? ROWS * ROWS : ELEMENTS};

    trial.result = lag_job_vectors(&job) - 1;
    return run(backend, &trial) && compare(backend, &trial);
}
