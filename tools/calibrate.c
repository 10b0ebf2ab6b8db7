/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/calibrate.h"

#include <math.h>
#include <string.h>

#include "tools/kernel-program.h"

#define PATIENCE 10000 /* with other processes that lock the database [ms] */

/* What goes on while lines come in. */
struct course {
    lag_calibration_report *report;
    lag_calibration_store *store; /* NULL: none */
    enum lag_progress_mode mode;
    lag_progress *progress; /* NULL: no plan yet */
};

static void free_kernel(gpointer data)
{
    struct lag_calibrated_kernel *kernel = data;

    g_free(kernel->kernel);
    g_free(kernel->dtype);
    g_free(kernel->unit);
    g_array_unref(kernel->timings);
    g_free(kernel);
}

static void free_skipped(gpointer data)
{
    struct lag_skipped_kernel *skipped = data;

    g_free(skipped->kernel);
    g_free(skipped->dtype);
    g_free(skipped->reason);
    g_free(skipped);
}

lag_calibration_report *lag_calibration_report_new(const char *db)
{
    lag_calibration_report *report = g_new0(lag_calibration_report, 1);

    report->db = db;
    report->kernels = g_ptr_array_new_with_free_func(free_kernel);
    report->skipped = g_ptr_array_new_with_free_func(free_skipped);
    return report;
}

void lag_calibration_report_free(lag_calibration_report *report)
{
    if (report == NULL)
        return;
    g_ptr_array_unref(report->kernels);
    g_ptr_array_unref(report->skipped);
    g_free(report->device.backend);
    g_free(report->device.name);
    g_free(report->device.uuid);
    g_free(report->device.driver);
    g_free(report->device.toolkit);
    g_free(report);
}

static char *text_of(JsonObject *object, const char *key)
{
    return g_strdup(json_object_get_string_member_with_default(object, key, ""));
}

static double number_of(JsonObject *object, const char *key)
{
    return json_object_get_double_member_with_default(object, key, NAN);
}

static uint64_t count_of(JsonObject *object, const char *key)
{
    return (uint64_t)MAX(json_object_get_int_member_with_default(object, key, 0), 0);
}

static bool take_plan(struct course *course, JsonNode *value, GError **error)
{
    (void)error;
    if (course->progress == NULL)
        course->progress =
            lag_progress_new(course->mode, stderr, (uint64_t)MAX(json_node_get_int(value), 0));
    return true;
}

static bool take_device(struct course *course, JsonNode *value, GError **error)
{
    JsonObject *object = json_node_get_object(value);
    lag_calibration_report *report = course->report;

    if (report->has_device)
        return true;
    report->device = (struct lag_calibration_device){
        .backend = text_of(object, "backend"),
        .name = text_of(object, "name"),
        .uuid = text_of(object, "uuid"),
        .driver = text_of(object, "driver"),
        .toolkit = text_of(object, "toolkit"),
        .threads = (uint32_t)count_of(object, "threads"),
        .memory = count_of(object, "memory_bytes"),
        .cache = count_of(object, "cache_bytes"),
        .clock = number_of(object, "clock_Hz"),
    };
    report->memory_clock = number_of(object, "memory_clock_Hz");
    report->has_device = true;
    if (report->db == NULL)
        return true;
    course->store = lag_calibration_store_open(report->db, PATIENCE, error);
    return course->store != NULL &&
           lag_calibration_store_begin(course->store, &report->device, report->memory_clock, error);
}

/* The kernel that a line is about: the last one, or a new one. */
static struct lag_calibrated_kernel *kernel_of(struct course *course, JsonObject *object)
{
    GPtrArray *kernels = course->report->kernels;
    g_autofree char *name = text_of(object, "kernel"), *dtype = text_of(object, "dtype");
    g_autofree char *cache_name = text_of(object, "cache");
    enum lag_cache cache = strcmp(cache_name, "cold") == 0 ? LAG_CACHE_COLD : LAG_CACHE_WARM;

    if (kernels->len > 0) {
        struct lag_calibrated_kernel *last = g_ptr_array_index(kernels, kernels->len - 1);
        if (strcmp(last->kernel, name) == 0 && strcmp(last->dtype, dtype) == 0 &&
            last->cache == cache)
            return last;
    }
    struct lag_calibrated_kernel *kernel = g_new0(struct lag_calibrated_kernel, 1);
    kernel->kernel = g_steal_pointer(&name);
    kernel->dtype = g_steal_pointer(&dtype);
    kernel->unit = text_of(object, "unit");
    kernel->cache = cache;
    kernel->timings = g_array_new(FALSE, FALSE, sizeof(struct lag_timing));
    g_ptr_array_add(kernels, kernel);
    return kernel;
}

static struct lag_calibration_key key_of(const struct lag_calibrated_kernel *kernel)
{
    return (struct lag_calibration_key){kernel->kernel, kernel->dtype, kernel->cache};
}

static bool take_timing(struct course *course, JsonNode *value, GError **error)
{
    JsonObject *object = json_node_get_object(value);
    struct lag_calibrated_kernel *kernel = kernel_of(course, object);
    double clock = number_of(object, "clock_Hz");
    const struct lag_timing timing = {
        .key = key_of(kernel),
        .unit = kernel->unit,
        .amount = count_of(object, "amount"),
        .traffic = count_of(object, "traffic_bytes"),
        .flops = count_of(object, "flops"),
        .repetitions = (uint32_t)count_of(object, "repetitions"),
        .batch = (uint32_t)count_of(object, "batch"),
        .outliers = (uint32_t)count_of(object, "outliers"),
        .median = number_of(object, "median_s"),
        .min = number_of(object, "min_s"),
        .p05 = number_of(object, "p05_s"),
        .p25 = number_of(object, "p25_s"),
        .p75 = number_of(object, "p75_s"),
        .p95 = number_of(object, "p95_s"),
        .max = number_of(object, "max_s"),
        .interval = number_of(object, "interval"),
        .clock = clock > 0 ? clock : NAN,
    };

    if (!(timing.median > 0) || timing.amount == 0) {
        g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED,
                    "%s, %s: the clock shows no time; nothing more is measured", kernel->kernel,
                    kernel->dtype);
        return false;
    }
    g_array_append_val(kernel->timings, timing);
    if (course->store != NULL && !lag_calibration_store_add(course->store, &timing, error))
        return false;
    if (course->progress != NULL)
        lag_progress_add(course->progress, 1);
    return true;
}

/* All timings of a kernel have come. */
static bool take_timed(struct course *course, JsonNode *value, GError **error)
{
    struct lag_calibrated_kernel *kernel = kernel_of(course, json_node_get_object(value));
    uint32_t n = kernel->timings->len;
    g_autofree double *amount = g_new(double, n + 1), *seconds = g_new(double, n + 1);
    struct lag_calibration_key key = key_of(kernel);

    if (n == 0)
        return true;
    for (uint32_t i = 0; i < n; i++) {
        amount[i] = (double)g_array_index(kernel->timings, struct lag_timing, i).amount;
        seconds[i] = g_array_index(kernel->timings, struct lag_timing, i).median;
    }
    kernel->n_segments = lag_calibration_fit(amount, seconds, n, kernel->segments);
    return course->store == NULL ||
           lag_calibration_store_add_fit(course->store, &key, kernel->unit, kernel->segments,
                                         kernel->n_segments, error);
}

static bool take_skipped(struct course *course, JsonNode *value, GError **error)
{
    JsonObject *object = json_node_get_object(value);
    struct lag_skipped_kernel *skipped = g_new0(struct lag_skipped_kernel, 1);

    (void)error;
    skipped->kernel = text_of(object, "kernel");
    skipped->dtype = text_of(object, "dtype");
    skipped->reason = text_of(object, "reason");
    g_ptr_array_add(course->report->skipped, skipped);
    return true;
}

static bool take(struct course *course, const char *name, JsonNode *value, GError **error)
{
    static const struct {
        const char *name;
        bool (*take)(struct course *course, JsonNode *value, GError **error);
        bool object;
    } facts[] = {
        {"plan",    take_plan,    false},
        {"device",  take_device,  true },
        {"timing",  take_timing,  true },
        {"timed",   take_timed,   true },
        {"skipped", take_skipped, true },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(facts); i++)
        if (strcmp(facts[i].name, name) == 0 &&
            (facts[i].object ? JSON_NODE_HOLDS_OBJECT(value) : JSON_NODE_HOLDS_VALUE(value)))
            return facts[i].take(course, value, error);
    return true; /* the end, or what a newer program has to say */
}

bool lag_calibrate(lag_calibration_report *report, const char *backend, char *const *arguments,
                   enum lag_progress_mode progress, GError **error)
{
    struct course course = {.report = report, .mode = progress};
    g_autoptr(GError) cause = NULL;
    const char *name;
    JsonNode *value;

    lag_kernel_program *program = lag_kernel_program_start(backend, arguments, &cause);
    while (cause == NULL && lag_kernel_program_next(program, &name, &value, &cause))
        if (!take(&course, name, value, &cause))
            break;
    lag_kernel_program_free(program);
    lag_progress_free(course.progress);
    lag_calibration_store_free(course.store);
    if (cause == NULL)
        return true;
    g_propagate_error(error, g_steal_pointer(&cause));
    return false;
}
