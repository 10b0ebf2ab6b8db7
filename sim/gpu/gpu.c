/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/gpu/gpu.h"

#include <assert.h>
#include <math.h>

const char *lag_precision_name(enum lag_precision precision)
{
    static const char *const names[] = {
        [LAG_FP32] = "fp32",
        [LAG_TF32] = "tf32",
        [LAG_FP16] = "fp16",
        [LAG_FP8] = "fp8",
    };

    return names[precision];
}

void lag_gpu_clear(struct lag_gpu *gpu)
{
    if (gpu == NULL)
        return;
    g_free(gpu->name);
    g_free(gpu->architecture);
    g_free(gpu->links);
    g_free(gpu->host_link);
    g_free(gpu->source);
    g_free(gpu->notes);
    *gpu = (struct lag_gpu){0};
}

double lag_efficiency_at(const struct lag_efficiency *efficiency, double work)
{
    const struct lag_efficiency_point *points = efficiency->points;
    uint32_t n = efficiency->n, i = 0;

    if (n == 0)
        return 1;
    while (i < n && points[i].work <= work)
        i++;
    if (i == 0 || i == n)
        return points[i == 0 ? 0 : n - 1].share;
    double along = log(work / points[i - 1].work) / log(points[i].work / points[i - 1].work);
    return points[i - 1].share + along * (points[i].share - points[i - 1].share);
}

/* Of one kernel: on operations, and on memory. */
static lag_seconds on_operations(const struct lag_roofline *roofline, const struct lag_work *work)
{
    double flops = work->flops / work->kernels;

    assert(work->kernels > 0 && (flops == 0 || roofline->peak > 0));
    return flops == 0 ? 0
                      : flops / (lag_efficiency_at(&roofline->efficiency, flops) * roofline->peak);
}

static lag_seconds on_memory(const struct lag_roofline *roofline, const struct lag_work *work)
{
    double bytes = work->bytes / work->kernels;

    assert(bytes == 0 || roofline->memory_rate > 0);
    return bytes == 0 ? 0 : bytes / (roofline->memory_efficiency * roofline->memory_rate);
}

lag_seconds lag_roofline_time(const struct lag_roofline *roofline, const struct lag_work *work)
{
    lag_seconds busy = fmax(on_operations(roofline, work), on_memory(roofline, work));

    return work->kernels * (roofline->launch + busy);
}

bool lag_roofline_is_compute_bound(const struct lag_roofline *roofline, const struct lag_work *work)
{
    return on_operations(roofline, work) > on_memory(roofline, work);
}

/* Of a kernel as large as can be. */
static double reached_peak(const struct lag_roofline *roofline)
{
    return lag_efficiency_at(&roofline->efficiency, INFINITY) * roofline->peak;
}

double lag_roofline_speed(const struct lag_roofline *roofline, double flops_per_byte)
{
    return fmin(reached_peak(roofline),
                flops_per_byte * roofline->memory_efficiency * roofline->memory_rate);
}

double lag_roofline_ridge(const struct lag_roofline *roofline)
{
    return reached_peak(roofline) / (roofline->memory_efficiency * roofline->memory_rate);
}
