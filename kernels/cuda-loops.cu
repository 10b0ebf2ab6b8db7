/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/arithmetic.h"
#include "kernels/cuda-loops.cuh"

#define THREADS 256 /* in a block */
#define WIDTH   16  /* bytes that a thread takes at a time */

/* The formats: what memory holds, and conversions. */
struct fp32 {
    typedef float type;
    static __device__ float from(float value)
    {
        return lag_from_fp32(value);
    }
    static __device__ float to(float value)
    {
        return lag_to_fp32(value);
    }
};

struct fp16 {
    typedef uint16_t type;
    static __device__ float from(uint16_t value)
    {
        return lag_from_fp16(value);
    }
    static __device__ uint16_t to(float value)
    {
        return lag_to_fp16(value);
    }
};

struct bf16 {
    typedef uint16_t type;
    static __device__ float from(uint16_t value)
    {
        return lag_from_bf16(value);
    }
    static __device__ uint16_t to(float value)
    {
        return lag_to_bf16(value);
    }
};

struct add {
    static __device__ float of(float y, float x)
    {
        return lag_element_add(y, x);
    }
};

struct axpy {
    static __device__ float of(float y, float x)
    {
        return lag_element_axpy(y, x);
    }
};

template <typename T> struct alignas(WIDTH) pack {
    T element[WIDTH / sizeof(T)];
};

template <typename T> static __device__ pack<T> load(const T *vector, uint64_t i)
{
    return reinterpret_cast<const pack<T> *>(vector)[i];
}

template <typename T> static __device__ void save(T *vector, uint64_t i, pack<T> value)
{
    reinterpret_cast<pack<T> *>(vector)[i] = value;
}

static __device__ uint64_t first_of_thread()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ uint64_t all_threads()
{
    return (uint64_t)gridDim.x * blockDim.x;
}

/* y = of y and x. What is left of the last 16 bytes goes element by element. */
template <typename Format, typename Element>
static __global__ void update(typename Format::type *y, const typename Format::type *x, uint64_t n)
{
    typedef typename Format::type type;
    const int width = WIDTH / sizeof(type);
    uint64_t n_packs = n / width, all = all_threads(), first = first_of_thread();

    for (uint64_t i = first; i < n_packs; i += all) {
        pack<type> a = load(y, i), b = load(x, i);
        for (int k = 0; k < width; k++)
            a.element[k] =
                Format::to(Element::of(Format::from(a.element[k]), Format::from(b.element[k])));
        save(y, i, a);
    }
    for (uint64_t i = n_packs * width + first; i < n; i += all)
        y[i] = Format::to(Element::of(Format::from(y[i]), Format::from(x[i])));
}

template <int Count> struct vectors {
    const float *x[Count];
};

template <int Count> static __global__ void weighted_sum(float *y, vectors<Count> in, uint64_t n)
{
    const int width = WIDTH / sizeof(float);
    uint64_t n_packs = n / width, all = all_threads(), first = first_of_thread();

    for (uint64_t i = first; i < n_packs; i += all) {
        pack<float> sum = {};
#pragma unroll
        for (int k = 0; k < Count; k++) {
            pack<float> x = load(in.x[k], i);
            for (int j = 0; j < width; j++)
                sum.element[j] = lag_element_weigh(sum.element[j], k, x.element[j]);
        }
        save(y, i, sum);
    }
    for (uint64_t i = n_packs * width + first; i < n; i += all) {
        float sum = 0;
        for (int k = 0; k < Count; k++)
            sum = lag_element_weigh(sum, k, in.x[k][i]);
        y[i] = sum;
    }
}

/* Enough blocks to give each thread 16 bytes, as far as there are any. */
static unsigned blocks_for(const struct lag_job *job, unsigned most)
{
    uint64_t packs = (lag_job_bytes(job) + WIDTH - 1) / WIDTH;
    uint64_t wanted = (packs + THREADS - 1) / THREADS;

    return wanted < most ? (unsigned)wanted : most;
}

template <typename Format, typename Element>
static void launch_update(const struct lag_job *job, void *const *vector, unsigned n_blocks,
                          cudaStream_t stream)
{
    typedef typename Format::type type;

    update<Format, Element><<<n_blocks, THREADS, 0, stream>>>(
        static_cast<type *>(vector[1]), static_cast<const type *>(vector[0]), job->n);
}

template <int Count>
static void launch_sum(const struct lag_job *job, void *const *vector, unsigned n_blocks,
                       cudaStream_t stream)
{
    vectors<Count> in;

    for (int k = 0; k < Count; k++)
        in.x[k] = static_cast<const float *>(vector[k]);
    weighted_sum<Count>
        <<<n_blocks, THREADS, 0, stream>>>(static_cast<float *>(vector[Count]), in, job->n);
}

cudaError_t lag_cuda_loop(const struct lag_job *job, void *const vector[LAG_MAX_VECTORS],
                          unsigned n_blocks, cudaStream_t stream)
{
    unsigned n = blocks_for(job, n_blocks);

    if (job->kernel->operation == LAG_AXPY)
        launch_update<fp32, axpy>(job, vector, n, stream);
    else if (job->kernel->operation == LAG_REDUCE_ADD && job->dtype == LAG_FP32)
        launch_update<fp32, add>(job, vector, n, stream);
    else if (job->kernel->operation == LAG_REDUCE_ADD && job->dtype == LAG_FP16)
        launch_update<fp16, add>(job, vector, n, stream);
    else if (job->kernel->operation == LAG_REDUCE_ADD)
        launch_update<bf16, add>(job, vector, n, stream);
    else if (job->kernel->n_read == 2)
        launch_sum<2>(job, vector, n, stream);
    else if (job->kernel->n_read == 4)
        launch_sum<4>(job, vector, n, stream);
    else
        launch_sum<8>(job, vector, n, stream);
    return cudaGetLastError();
}
