/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a back end does: it owns one arena of memory on its device, and runs kernels on vectors
 * that lie in it. The rest (sizes, checks, repetitions, statistics, output) is common. A function
 * that can fail returns false and leaves a reason in `why`. */
#ifndef LAGGARD_KERNELS_BACKEND_H
#define LAGGARD_KERNELS_BACKEND_H

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAG_TEXT 256

struct lag_device {
    char name[LAG_TEXT], uuid[LAG_TEXT], driver[LAG_TEXT], toolkit[LAG_TEXT];
    uint32_t threads;           /* of a host */
    uint64_t memory, cache;     /* [B] the last level; 0: not known */
    double clock, memory_clock; /* the highest [Hz]; 0: not known */
    uint64_t most_flops;        /* of a matrix product */
};

struct lag_options {
    bool quick;
    const char *kernels; /* "copy,fill"; NULL: all */
    uint32_t threads;    /* of a host; 0: as many as there are processors */
    uint32_t device;     /* of CUDA */
    uint64_t most_bytes; /* of the arena; 0: a share of the memory */
};

struct lag_elapsed {
    double seconds;
    bool disturbed;     /* the system took the processor away meanwhile */
    double undisturbed; /* [s] without the time that was taken away, as far as that is known */
};

struct lag_backend {
    const char *name; /* "host" */
    /* Finds the device. Nothing else is called before, nor where it fails. */
    bool (*open)(struct lag_backend *backend, const struct lag_options *options,
                 struct lag_device *ret);
    /* Makes the arena. */
    bool (*reserve)(struct lag_backend *backend, uint64_t bytes);
    void (*close)(struct lag_backend *backend);
    /* NULL where a kernel runs here, or why it doesn't. */
    const char *(*refusal)(struct lag_backend *backend, const struct lag_kernel *kernel,
                           enum lag_dtype dtype);
    /* Gets what memory an operation needs elsewhere, before its vectors are filled. NULL: none. */
    bool (*provide)(struct lag_backend *backend, enum lag_operation operation);
    bool (*upload)(struct lag_backend *backend, uint64_t offset, const void *data, uint64_t bytes);
    /* Where a kernel writes elsewhere than into the arena, from the same place there. */
    bool (*download)(struct lag_backend *backend, const struct lag_job *job, uint64_t offset,
                     void *data, uint64_t bytes);
    /* Begins an execution; vector i is at offset[i] of the arena, what is written last. */
    bool (*launch)(struct lag_backend *backend, const struct lag_job *job,
                   const uint64_t offset[LAG_MAX_VECTORS]);
    /* Around launches: waits until they are done. */
    bool (*start)(struct lag_backend *backend);
    bool (*stop)(struct lag_backend *backend, struct lag_elapsed *ret);
    double (*clock_now)(struct lag_backend *backend); /* [Hz]; 0: not known */
    void *state;
    char why[2 * LAG_TEXT];
};

/* The back end of this program; close() it. */
void lag_backend_init(struct lag_backend *backend);

#ifdef __cplusplus
}
#endif

#endif
