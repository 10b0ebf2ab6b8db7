/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The check before timing: it passes each kernel of the host, and sees each that is wrong. */
#include <math.h>
#include <string.h>

#include <glib.h>

#include "kernels/check.h"
#include "kernels/matrix.h"

#define ARENA (1 << 20)

/* A host's back end whose kernels have a fault. */
struct faulty {
    struct lag_backend backend; /* the right one */
    int kind;
};
enum {
    RIGHT,
    NOTHING,
    LAST_ELEMENT,
    BEYOND,
    TWICE
};

static bool launch(struct lag_backend *backend, const struct lag_job *job,
                   const uint64_t offset[LAG_MAX_VECTORS])
{
    struct faulty *faulty = backend->state;
    struct lag_job other = *job;
    bool matrix = job->kernel->operation == LAG_MATRIX_PRODUCT;

    if (faulty->kind == NOTHING)
        return true;
    if (faulty->kind == LAST_ELEMENT)
        other.n--;
    if (faulty->kind == BEYOND && !matrix)
        other.n++;
    if (faulty->kind == TWICE)
        faulty->backend.launch(&faulty->backend, &other, offset);
    return faulty->backend.launch(&faulty->backend, &other, offset);
}

static bool upload(struct lag_backend *backend, uint64_t offset, const void *data, uint64_t bytes)
{
    struct faulty *faulty = backend->state;

    return faulty->backend.upload(&faulty->backend, offset, data, bytes);
}

static bool download(struct lag_backend *backend, const struct lag_job *job, uint64_t offset,
                     void *data, uint64_t bytes)
{
    struct faulty *faulty = backend->state;

    return faulty->backend.download(&faulty->backend, job, offset, data, bytes);
}

static bool start(struct lag_backend *backend)
{
    struct faulty *faulty = backend->state;

    return faulty->backend.start(&faulty->backend);
}

static bool stop(struct lag_backend *backend, struct lag_elapsed *ret)
{
    struct faulty *faulty = backend->state;

    return faulty->backend.stop(&faulty->backend, ret);
}

static bool passes(struct faulty *faulty, int kind, const struct lag_kernel *kernel,
                   enum lag_dtype dtype)
{
    struct lag_backend backend = {.launch = launch,
                                  .upload = upload,
                                  .download = download,
                                  .start = start,
                                  .stop = stop,
                                  .state = faulty};

    faulty->kind = kind;
    bool passed = lag_check(&backend, kernel, dtype);
    g_assert_true(passed || strstr(backend.why, kernel->name) != NULL);
    return passed;
}

static void open_host(struct faulty *faulty, uint32_t n_threads)
{
    struct lag_options options = {.threads = n_threads};
    struct lag_device device;

    lag_backend_init(&faulty->backend);
    g_assert_true(faulty->backend.open(&faulty->backend, &options, &device));
    g_assert_true(faulty->backend.reserve(&faulty->backend, ARENA));
    g_assert_cmpuint(device.threads, ==, n_threads);
    g_assert_cmpuint(device.memory, >, 0);
    g_assert_true(device.name[0] != '\0' && device.driver[0] != '\0');
}

static void test_kernels(void)
{
    struct faulty faulty;

    open_host(&faulty, 2);
    for (size_t i = 0; i < lag_n_kernels; i++)
        for (int dtype = 0; dtype < LAG_DTYPES; dtype++) {
            const struct lag_kernel *kernel = &lag_kernels[i];
            enum lag_dtype format = (enum lag_dtype)dtype;
            bool update = kernel->operation == LAG_AXPY || kernel->operation == LAG_REDUCE_ADD;
            if ((kernel->dtypes >> dtype & 1) == 0 ||
                faulty.backend.refusal(&faulty.backend, kernel, format) != NULL)
                continue;
            g_assert_true(passes(&faulty, RIGHT, kernel, format));
            g_assert_false(passes(&faulty, NOTHING, kernel, format));
            g_assert_false(passes(&faulty, LAST_ELEMENT, kernel, format));
            g_assert_true(kernel->operation == LAG_MATRIX_PRODUCT ||
                          !passes(&faulty, BEYOND, kernel, format));
            /* x / 1024 isn't lost in axpy, nor x in an add. */
            g_assert_cmpint(passes(&faulty, TWICE, kernel, format), ==, !update);
        }
    faulty.backend.close(&faulty.backend);
}

/* The blocked loop against the definition, over the borders of its blocks (128 rows, 512 columns)
 * and of its four rows at a time: whole numbers up to 7, so that sums are exact. */
static void test_blocked(void)
{
    static const uint64_t sizes[] = {1, 3, 4, 127, 130, 515};

    for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
        uint64_t n = sizes[s];
        g_autofree float *a = g_new(float, n *n), *b = g_new(float, n *n);
        g_autofree float *c = g_new(float, n *n);
        for (uint64_t i = 0; i < n * n; i++) {
            a[i] = (float)(i * 5 % 7);
            b[i] = (float)(i * 3 % 8);
        }
        lag_matrix_blocked(c, a, b, n, 0, n / 2);
        lag_matrix_blocked(c, a, b, n, n / 2, n);
        for (uint64_t i = 0; i < n * n; i += 1 + n / 16) {
            double sum = 0;
            for (uint64_t k = 0; k < n; k++)
                sum += (double)a[i / n * n + k] * (double)b[k * n + i % n];
            g_assert_cmpfloat_with_epsilon((double)c[i], sum, 1e-12);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/check/kernels", test_kernels);
    g_test_add_func("/check/blocked", test_blocked);
    return g_test_run();
}
