/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The back end of a GPU: one stream, timed by events; cuBLAS for the matrix product. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "kernels/arithmetic.h"
#include "kernels/backend.h"
#include "kernels/cuda-loops.cuh"
#include "kernels/nvml.h"

#define BLOCKS_PER_PROCESSOR 16
#define NONE                 (-1)

struct cuda {
    int device, peer; /* peer: NONE where no other can be reached */
    unsigned n_blocks;
    char *arena, *pinned, *peer_arena; /* of the same size; the latter on their first use */
    uint64_t bytes;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cublasHandle_t blas;
    struct lag_nvml nvml;
};

static struct cuda *state_of(struct lag_backend *backend)
{
    return static_cast<struct cuda *>(backend->state);
}

/* True where a call went well. */
static bool holds(struct lag_backend *backend, cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        snprintf(backend->why, sizeof backend->why, "%s: %s", what, cudaGetErrorString(status));
    return status == cudaSuccess;
}

static bool holds_blas(struct lag_backend *backend, cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        snprintf(backend->why, sizeof backend->why, "%s: %s", what, cublasGetStatusString(status));
    return status == CUBLAS_STATUS_SUCCESS;
}

/* The runtime calls a driver too old that isn't there at all. */
static bool refuse_device(struct lag_backend *backend, cudaError_t status)
{
    int driver = 0;
    bool none = cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;

    snprintf(backend->why, sizeof backend->why, "no CUDA device: %s",
             none                    ? "no NVIDIA driver is installed"
             : status == cudaSuccess ? "the driver knows none"
                                     : cudaGetErrorString(status));
    return false;
}

static void name_uuid(const cudaUUID_t *uuid, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "GPU-");

    for (int i = 0; i < 16; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%02x",
                                 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                                 (unsigned)(unsigned char)uuid->bytes[i]);
}

static double attribute(int device, enum cudaDeviceAttr which)
{
    int value = 0;

    return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

static bool describe(struct lag_backend *backend, struct lag_device *ret)
{
    struct cuda *cuda = state_of(backend);
    struct cudaDeviceProp properties;
    int driver = 0, runtime = 0, blas = 0;

    if (!holds(backend, cudaGetDeviceProperties(&properties, cuda->device), "device properties"))
        return false;
    *ret = {};
    snprintf(ret->name, sizeof ret->name, "%.200s", properties.name);
    name_uuid(&properties.uuid, ret->uuid, sizeof ret->uuid);
    lag_nvml_open(&cuda->nvml, ret->uuid, ret->driver, sizeof ret->driver);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cublasGetVersion(cuda->blas, &blas);
    if (ret->driver[0] == '\0')
        snprintf(ret->driver, sizeof ret->driver, "for CUDA %d.%d", driver / 1000,
                 driver % 1000 / 10);
    snprintf(ret->toolkit, sizeof ret->toolkit, "CUDA %d.%d, cuBLAS %d.%d.%d", runtime / 1000,
             runtime % 1000 / 10, blas / 10000, blas / 100 % 100, blas % 100);
    ret->memory = properties.totalGlobalMem;
    ret->cache = (uint64_t)properties.l2CacheSize;
    ret->clock = attribute(cuda->device, cudaDevAttrClockRate) * 1e3;
    ret->memory_clock = attribute(cuda->device, cudaDevAttrMemoryClockRate) * 1e3;
    ret->most_flops = 2000000000000;
    cuda->n_blocks = (unsigned)properties.multiProcessorCount * BLOCKS_PER_PROCESSOR;
    return true;
}

/* The next device that this one can write to; NONE where there isn't any. */
static int find_peer(int device, int n_devices)
{
    for (int i = 1; i < n_devices; i++) {
        int peer = (device + i) % n_devices, can = 0;
        if (cudaDeviceCanAccessPeer(&can, device, peer) == cudaSuccess && can != 0 &&
            cudaDeviceEnablePeerAccess(peer, 0) == cudaSuccess)
            return peer;
    }
    return NONE;
}

static bool cuda_open(struct lag_backend *backend, const struct lag_options *options,
                      struct lag_device *ret)
{
    struct cuda *cuda = static_cast<struct cuda *>(calloc(1, sizeof *cuda));
    int n_devices = 0;

    backend->state = cuda;
    if (cuda == nullptr)
        return false;
    cudaError_t status = cudaGetDeviceCount(&n_devices);
    if (status != cudaSuccess || n_devices == 0)
        return refuse_device(backend, status);
    if (options->device >= (uint32_t)n_devices) {
        snprintf(backend->why, sizeof backend->why, "no CUDA device %u: there %s %d",
                 options->device, n_devices == 1 ? "is" : "are", n_devices);
        return false;
    }
    cuda->device = (int)options->device;
    if (!holds(backend, cudaSetDevice(cuda->device), "cannot use the device") ||
        !holds(backend, cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking),
               "no stream") ||
        !holds(backend, cudaEventCreate(&cuda->begin), "no event") ||
        !holds(backend, cudaEventCreate(&cuda->end), "no event") ||
        !holds_blas(backend, cublasCreate(&cuda->blas), "no cuBLAS") ||
        !holds_blas(backend, cublasSetStream(cuda->blas, cuda->stream), "no stream for cuBLAS"))
        return false;
    cuda->peer = find_peer(cuda->device, n_devices);
    cudaGetLastError(); /* of a peer that couldn't be had */
    return describe(backend, ret);
}

static bool cuda_reserve(struct lag_backend *backend, uint64_t bytes)
{
    struct cuda *cuda = state_of(backend);

    cuda->bytes = bytes;
    return holds(backend, cudaMalloc(&cuda->arena, bytes), "cannot get memory on the device");
}

static void cuda_close(struct lag_backend *backend)
{
    struct cuda *cuda = state_of(backend);

    if (cuda == nullptr)
        return;
    if (cuda->blas != nullptr)
        cublasDestroy(cuda->blas);
    if (cuda->begin != nullptr)
        cudaEventDestroy(cuda->begin);
    if (cuda->end != nullptr)
        cudaEventDestroy(cuda->end);
    if (cuda->stream != nullptr)
        cudaStreamDestroy(cuda->stream);
    if (cuda->arena != nullptr)
        cudaFree(cuda->arena);
    if (cuda->pinned != nullptr)
        cudaFreeHost(cuda->pinned);
    if (cuda->peer_arena != nullptr)
        cudaFree(cuda->peer_arena);
    lag_nvml_close(&cuda->nvml);
    free(cuda);
    backend->state = nullptr;
}

static const char *cuda_refusal(struct lag_backend *backend, const struct lag_kernel *kernel,
                                enum lag_dtype dtype)
{
    (void)dtype;
    if (kernel->operation == LAG_PEER_TO_PEER && state_of(backend)->peer == NONE)
        return "no second GPU can be reached";
    return nullptr;
}

/* The other memory of a transfer, made when it is first needed. */
static bool provide(struct lag_backend *backend, enum lag_operation operation)
{
    struct cuda *cuda = state_of(backend);

    if (operation == LAG_PEER_TO_PEER && cuda->peer_arena == nullptr) {
        bool made = holds(backend, cudaSetDevice(cuda->peer), "cannot use the other device") &&
                    holds(backend, cudaMalloc(&cuda->peer_arena, cuda->bytes),
                          "cannot get memory on the other device");
        return holds(backend, cudaSetDevice(cuda->device), "cannot use the device") && made;
    }
    if ((operation == LAG_HOST_TO_DEVICE || operation == LAG_DEVICE_TO_HOST) &&
        cuda->pinned == nullptr) {
        if (!holds(backend, cudaMallocHost(&cuda->pinned, cuda->bytes), "cannot pin memory"))
            return false;
        memset(cuda->pinned, LAG_FILL_BYTE, cuda->bytes);
    }
    return true;
}

static bool cuda_upload(struct lag_backend *backend, uint64_t offset, const void *data,
                        uint64_t bytes)
{
    struct cuda *cuda = state_of(backend);

    if (cuda->pinned != nullptr)
        memcpy(cuda->pinned + offset, data, bytes);
    if (cuda->peer_arena != nullptr &&
        !holds(backend, cudaMemcpy(cuda->peer_arena + offset, data, bytes, cudaMemcpyDefault),
               "cannot write to the other device"))
        return false;
    return holds(backend, cudaMemcpy(cuda->arena + offset, data, bytes, cudaMemcpyHostToDevice),
                 "cannot write to the device");
}

static bool cuda_download(struct lag_backend *backend, const struct lag_job *job, uint64_t offset,
                          void *data, uint64_t bytes)
{
    struct cuda *cuda = state_of(backend);
    const char *from = cuda->arena;

    if (job->kernel->operation == LAG_DEVICE_TO_HOST)
        from = cuda->pinned;
    else if (job->kernel->operation == LAG_PEER_TO_PEER)
        from = cuda->peer_arena;
    return holds(backend, cudaMemcpy(data, from + offset, bytes, cudaMemcpyDefault),
                 "cannot read from the device");
}

/* By columns, as cuBLAS has it, the product of the transposes: C' = B' A'. */
static bool multiply(struct lag_backend *backend, const struct lag_job *job, const uint64_t *offset)
{
    struct cuda *cuda = state_of(backend);
    static const cudaDataType_t types[LAG_DTYPES] = {CUDA_R_8U, CUDA_R_32F, CUDA_R_16F,
                                                     CUDA_R_16BF};
    cudaDataType_t type = types[job->dtype];
    float one = 1, zero = 0;
    int n = (int)job->n;

    return holds_blas(backend,
                      cublasGemmEx(cuda->blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one,
                                   cuda->arena + offset[1], type, n, cuda->arena + offset[0], type,
                                   n, &zero, cuda->arena + offset[2], type, n, CUBLAS_COMPUTE_32F,
                                   CUBLAS_GEMM_DEFAULT),
                      "matrix product");
}

static bool cuda_launch(struct lag_backend *backend, const struct lag_job *job,
                        const uint64_t offset[LAG_MAX_VECTORS])
{
    struct cuda *cuda = state_of(backend);
    void *vector[LAG_MAX_VECTORS] = {};
    uint64_t n = lag_job_bytes(job);
    char *x = cuda->arena + offset[0];
    cudaStream_t stream = cuda->stream;

    for (uint32_t i = 0; i < lag_job_vectors(job); i++)
        vector[i] = cuda->arena + offset[i];
    switch (job->kernel->operation) {
    case LAG_COPY:
        return holds(backend, cudaMemcpyAsync(vector[1], x, n, cudaMemcpyDeviceToDevice, stream),
                     "copy");
    case LAG_DEVICE_TO_HOST:
        return holds(
            backend,
            cudaMemcpyAsync(cuda->pinned + offset[1], x, n, cudaMemcpyDeviceToHost, stream),
            "device-to-host");
    case LAG_FILL:
        return holds(backend, cudaMemsetAsync(x, LAG_FILL_BYTE, n, stream), "fill");
    case LAG_HOST_TO_DEVICE:
        return holds(
            backend,
            cudaMemcpyAsync(vector[1], cuda->pinned + offset[0], n, cudaMemcpyHostToDevice, stream),
            "host-to-device");
    case LAG_MATRIX_PRODUCT:
        return multiply(backend, job, offset);
    case LAG_PEER_TO_PEER:
        return holds(backend,
                     cudaMemcpyPeerAsync(cuda->peer_arena + offset[1], cuda->peer, x, cuda->device,
                                         n, stream),
                     "peer-to-peer");
    case LAG_AXPY:
    case LAG_REDUCE_ADD:
    case LAG_WEIGHTED_SUM:
        break;
    }
    return holds(backend, lag_cuda_loop(job, vector, cuda->n_blocks, stream), job->kernel->name);
}

static bool cuda_start(struct lag_backend *backend)
{
    struct cuda *cuda = state_of(backend);

    return holds(backend, cudaEventRecord(cuda->begin, cuda->stream), "event");
}

static bool cuda_stop(struct lag_backend *backend, struct lag_elapsed *ret)
{
    struct cuda *cuda = state_of(backend);
    float milliseconds = 0;

    if (!holds(backend, cudaEventRecord(cuda->end, cuda->stream), "event") ||
        !holds(backend, cudaEventSynchronize(cuda->end), "kernel") ||
        !holds(backend, cudaEventElapsedTime(&milliseconds, cuda->begin, cuda->end), "events"))
        return false;
    ret->seconds = ret->undisturbed = milliseconds * 1e-3;
    ret->disturbed = false;
    return true;
}

static double cuda_clock_now(struct lag_backend *backend)
{
    return lag_nvml_clock(&state_of(backend)->nvml);
}

extern "C" void lag_backend_init(struct lag_backend *backend)
{
    memset(backend, 0, sizeof *backend);
    backend->name = "cuda";
    backend->open = cuda_open;
    backend->provide = provide;
    backend->reserve = cuda_reserve;
    backend->close = cuda_close;
    backend->refusal = cuda_refusal;
    backend->upload = cuda_upload;
    backend->download = cuda_download;
    backend->launch = cuda_launch;
    backend->start = cuda_start;
    backend->stop = cuda_stop;
    backend->clock_now = cuda_clock_now;
}
