/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/course.h"

#include <stdio.h>
#include <string.h>

#include "kernels/check.h"
#include "kernels/lines.h"
#include "kernels/pattern.h"
#include "kernels/sizes.h"

struct course {
    struct lag_backend *backend;
    struct lag_device device;
    const struct lag_options *options;
    struct lag_effort effort;
    uint64_t arena;
};

/* Is `name` among "copy,fill"? */
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    while (list != NULL) {
        if (strncmp(list, name, length) == 0 && (list[length] == ',' || list[length] == '\0'))
            return true;
        list = strchr(list, ',');
        list = list != NULL ? list + 1 : NULL;
    }
    return false;
}

static bool is_wanted(const struct course *course, const struct lag_kernel *kernel)
{
    return course->options->kernels == NULL || is_listed(course->options->kernels, kernel->name);
}

/* Why a kernel isn't timed; NULL where it is. What was named is told, the others are left out. */
static const char *refusal(const struct course *course, const struct lag_job *job)
{
    return course->backend->refusal(course->backend, job->kernel, job->dtype);
}

static bool time_sizes(struct course *course, struct lag_job *job, bool cold)
{
    uint64_t sizes[LAG_MOST_SIZES];
    struct lag_ring ring = {.bytes = course->arena, .cold = cold};
    uint32_t n = lag_sizes(job, &course->device, course->options->quick, course->arena, sizes);

    for (uint32_t i = 0; i < n; i++) {
        struct lag_measured measured;
        job->n = sizes[i];
        if (!lag_measure(course->backend, job, &ring, &course->effort, &measured))
            return false;
        lag_line_timing(job, cold, &measured);
    }
    lag_line_timed(job, cold);
    return true;
}

static bool time_kernel(struct course *course, struct lag_job *job)
{
    const char *reason = refusal(course, job);

    if (reason != NULL) {
        lag_line_skipped(job->kernel, job->dtype, reason);
        return true;
    }
    if (course->backend->provide != NULL &&
        !course->backend->provide(course->backend, job->kernel->operation)) {
        lag_line_skipped(job->kernel, job->dtype, course->backend->why);
        return true;
    }
    return lag_check(course->backend, job->kernel, job->dtype) &&
           lag_pattern_upload(course->backend, course->arena) && time_sizes(course, job, false) &&
           time_sizes(course, job, true);
}

/* Calls `visit` for all kernels and formats that are wanted, until one fails. */
static bool for_each(struct course *course,
                     bool (*visit)(struct course *, struct lag_job *, void *), void *data)
{
    for (size_t i = 0; i < lag_n_kernels; i++)
        for (int dtype = 0; dtype < LAG_DTYPES; dtype++) {
            struct lag_job job = {&lag_kernels[i], (enum lag_dtype)dtype, 0};
            if ((lag_kernels[i].dtypes >> dtype & 1) == 0 || !is_wanted(course, &lag_kernels[i]))
                continue;
            if (!visit(course, &job, data))
                return false;
        }
    return true;
}

static bool visit_count(struct course *course, struct lag_job *job, void *data)
{
    uint64_t sizes[LAG_MOST_SIZES];
    uint32_t *sum = data;

    if (refusal(course, job) == NULL)
        *sum += 2 * lag_sizes(job, &course->device, course->options->quick, course->arena, sizes);
    return true;
}

static bool visit_time(struct course *course, struct lag_job *job, void *data)
{
    (void)data;
    return time_kernel(course, job);
}

static bool run(struct course *course)
{
    struct lag_backend *backend = course->backend;
    uint32_t n_timings = 0;

    if (!backend->open(backend, course->options, &course->device))
        return false;
    course->arena = lag_arena_bytes(&course->device, course->options);
    if (!backend->reserve(backend, course->arena))
        return false;
    for_each(course, visit_count, &n_timings);
    lag_line_plan(n_timings);
    lag_line_device(backend->name, &course->device);
    if (!for_each(course, visit_time, NULL))
        return false;
    lag_line_end();
    return true;
}

int lag_course_run(struct lag_backend *backend, const struct lag_options *options)
{
    struct course course = {.backend = backend, .options = options};

    course.effort = lag_effort_of(options->quick);
    bool done = run(&course);
    if (!done)
        lag_line_error(backend->why[0] != '\0' ? backend->why : "out of memory");
    backend->close(backend);
    return done && !ferror(stdout) ? 0 : 1;
}
