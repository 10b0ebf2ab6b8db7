/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a GPU computes.
 *
 * Roofline (Williams, Waterman, Patterson, CACM 2009): a kernel of F operations that moves M bytes
 * through the GPU's memory takes max(F / (e P), M / (e_m B)): P operations a second at its
 * precision, B bytes a second, of which the shares e and e_m are reached; and each kernel costs its
 * launch. On 312 TFLOP/s and 2039 GB/s (A100) the two are equal at 153.02 FLOP/B. */
#ifndef LAGGARD_SIM_GPU_GPU_H
#define LAGGARD_SIM_GPU_GPU_H

#include <stdbool.h>

#include <glib.h>

#include "sim/units.h"

enum lag_precision {
    LAG_FP32,
    LAG_TF32,
    LAG_FP16, /* and bf16 */
    LAG_FP8,
    LAG_N_PRECISIONS
};
const char *lag_precision_name(enum lag_precision precision);

/* Where a figure is from, in words of the catalogue: read in a primary source, seen in somebody's
 * notes of it, or recalled. */
enum lag_trust {
    LAG_VERIFIED,
    LAG_PARTLY_RECALLED,
    LAG_RECALLED,
};

/* One GPU as its data sheet has it; dense operations. Not known: 0. Strings are owned. */
struct lag_gpu {
    char *name, *architecture, *links, *host_link, *source, *notes;
    uint32_t year;
    double peak[LAG_N_PRECISIONS]; /* [FLOP/s] */
    lag_rate memory_rate;          /* [B/s] */
    double memory;                 /* [B] */
    lag_rate link_rate;            /* to other GPUs, all links together, per direction [B/s] */
    double power;                  /* thermal design power [W] */
    double measured_matmul;        /* fp16 product of matrices, the best measured [FLOP/s] */
    enum lag_trust trust;
};
void lag_gpu_clear(struct lag_gpu *gpu);

/* A share of the peak that grows with the size of a kernel: points by ascending work, between
 * which the share is interpolated over log(work), and held outside. */
struct lag_efficiency {
    uint32_t n;
    const struct lag_efficiency_point {
        double work;  /* of one kernel [FLOP] */
        double share; /* 0 < share <= 1 */
    } * points;
};

/* What a GPU does in a step: `kernels` equal ones. */
struct lag_work {
    double flops, bytes; /* of all kernels together */
    uint32_t kernels;    /* >= 1 */
    enum lag_precision precision;
};

struct lag_roofline {
    double peak;                      /* [FLOP/s] > 0 where there are operations */
    lag_rate memory_rate;             /* [B/s] > 0 where there are bytes */
    struct lag_efficiency efficiency; /* of the peak; n 0: all of it */
    double memory_efficiency;         /* of the memory's rate */
    lag_seconds launch;               /* of one kernel [s] */
};

/* The time for all kernels, one after another. */
lag_seconds lag_roofline_time(const struct lag_roofline *roofline, const struct lag_work *work);

/* True where operations, not memory, decide the time. */
bool lag_roofline_is_compute_bound(const struct lag_roofline *roofline,
                                   const struct lag_work *work);

/* Operations a second of large kernels at so many operations a byte, without launches. */
double lag_roofline_speed(const struct lag_roofline *roofline, double flops_per_byte);

/* Operations a byte at which both take equally long. */
double lag_roofline_ridge(const struct lag_roofline *roofline);

/* The share that is reached by a kernel of so much work. */
double lag_efficiency_at(const struct lag_efficiency *efficiency, double work);

#endif
