/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/compute.h"

#include <string.h>

#include "scenarios/calibrated.h"
#include "scenarios/gpus.h"

/* Work as it is written; 0: not given. */
struct work {
    double flops, bytes, memory_efficiency, launch;
    uint64_t kernels, samples;
    int precision;
    GArray *efficiency;    /* of struct lag_efficiency_point */
    const lag_node *given; /* `efficiency`, or NULL */
};

/* In the order of enum lag_precision, but for the last, another name of fp16. */
#define PRECISIONS "fp32|tf32|fp16|fp8|bf16"

static bool read_efficiency(const struct lag_at *at, void *into, GError **error);

static const struct lag_form flops_form = {
    .shape = LAG_QUANTITY, .what = "a number of operations", .dimension = LAG_WORK};
static const struct lag_form kernel_size_form = {.shape = LAG_QUANTITY,
                                                 .what = "a number of operations",
                                                 .dimension = LAG_WORK,
                                                 .above_min = true};
static const struct lag_form precision_form = {
    .shape = LAG_CHOICE, .what = "a precision", .choices = PRECISIONS};
static const struct lag_form samples_form = {
    .shape = LAG_INTEGER, .what = "a number of samples", .least = 1, .most = 1u << 30};
static const struct lag_form share_form = {
    .shape = LAG_QUANTITY, .what = "a share", .dimension = LAG_SHARE, .max = 1, .above_min = true};
static const struct lag_key point_keys[] = {
    {.name = "flops",
     .form = &kernel_size_form,
     .required = true,
     .offset = offsetof(struct lag_efficiency_point, work),
     .help = "operations of one kernel"},
    {.name = "share",
     .form = &share_form,
     .required = true,
     .offset = offsetof(struct lag_efficiency_point, share),
     .help = "of the peak, that such a kernel reaches"},
    {.name = NULL          },
};
static const struct lag_form point_form = {
    .shape = LAG_MAPPING_OF, .what = "{flops: 1 GFLOP, share: 40 %}", .keys = point_keys};
static const struct lag_form points_form = {
    .shape = LAG_LIST_OF, .what = "a list of shares by size", .item = &point_form};
static const struct lag_form *const efficiency_alternatives[] = {&share_form, &points_form, NULL};
static const struct lag_form efficiency_form = {.shape = LAG_ONE_OF,
                                                .what = "a share, or shares by size",
                                                .alternatives = efficiency_alternatives};

static const struct lag_key work_keys[] = {
    {.name = "samples",
     .form = &samples_form,
     .offset = offsetof(struct work, samples),
     .help = "samples of one GPU in a step; needs samples_per_s of its class"},
    {.name = "flops",
     .form = &flops_form,
     .offset = offsetof(struct work, flops),
     .help = "operations of one GPU in a step"},
    {.name = "bytes",
     .form = &lag_form_size,
     .offset = offsetof(struct work, bytes),
     .help = "what one GPU reads and writes in its memory in a step"},
    {.name = "precision",
     .form = &precision_form,
     .default_text = "fp16",
     .offset = offsetof(struct work, precision),
     .help = "whose peak counts"},
    {.name = "kernels",
     .form = &lag_form_count,
     .default_text = "1",
     .offset = offsetof(struct work, kernels),
     .help = "launches that the work is cut into, all equal"},
    {.name = "efficiency",
     .form = &efficiency_form,
     .read = read_efficiency,
     .help = "share of the peak that is reached; 100 % where it isn't given, which is a bound"},
    {.name = "memory_efficiency",
     .form = &share_form,
     .default_text = "100 %",
     .offset = offsetof(struct work, memory_efficiency),
     .help = "share of the memory's rate that is reached"},
    {.name = "launch",
     .form = &lag_form_duration,
     .default_text = "0 s",
     .offset = offsetof(struct work, launch),
     .help = "start-up of one kernel"},
    {.name = NULL         },
};
static const struct lag_form work_form = {
    .shape = LAG_MAPPING_OF,
    .what = "work, {flops: 1 PFLOP, bytes: 2 TB}, or {samples: 32}",
    .keys = work_keys};
static const struct lag_form *const compute_alternatives[] = {&lag_form_duration, &work_form, NULL};
const struct lag_form lag_form_compute = {
    .shape = LAG_ONE_OF, .what = "a time, or work", .alternatives = compute_alternatives};

static bool read_efficiency(const struct lag_at *at, void *into, GError **error)
{
    struct work *work = into;
    struct lag_efficiency_point point = {.work = 1};

    work->given = at->node;
    if (at->node->kind == LAG_SCALAR) {
        if (!lag_read_form(at, &share_form, &point.share, error))
            return false;
        g_array_append_val(work->efficiency, point);
        return true;
    }
    if (!lag_expect(at, LAG_SEQUENCE, efficiency_form.what, error))
        return false;
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(at, i);
        double before = point.work;
        if (!lag_read_form(&entry, &point_form, &point, error))
            return false;
        if (i > 0 && point.work <= before)
            return lag_refuse(&entry, error, "sizes must rise from entry to entry");
        g_array_append_val(work->efficiency, point);
    }
    return at->node->n_entries > 0 || lag_refuse(at, error, "the list is empty");
}

/* By the class's calibration database, beside the scenario where its name is relative. */
static bool time_measured(const struct lag_at *at, const struct work *work,
                          const struct lag_gpu_class *class, struct lag_draft *draft,
                          lag_seconds *ret_time, GError **error)
{
    static const char *const dtypes[] = {"fp32", "tf32", "fp16", "fp8", "bf16"};
    g_autofree char *path = lag_draft_path(draft, class->calibration);
    const struct lag_work all = {
        .flops = work->flops, .bytes = work->bytes, .kernels = (uint32_t)work->kernels};
    struct lag_calibrated_time time;

    if (work->given != NULL || work->memory_efficiency < 1 || work->launch > 0)
        return lag_refuse(at, error,
                          "a calibrated GPU has its own launch and efficiency; leave "
                          "launch, efficiency and memory_efficiency out");
    if (!lag_calibrated_work(path, class->device, dtypes[work->precision], &all, &time, error))
        return lag_refuse_prefix(at, error);
    if (time.extrapolates) {
        g_autofree char *where = lag_place_text(at->node->place);
        g_ptr_array_add(draft->scenario->warnings,
                        g_strdup_printf("%s: workload.compute: its kernels are smaller or larger "
                                        "than what %s has measured: extrapolated",
                                        where, class->calibration));
    }
    *ret_time = time.seconds;
    return true;
}

/* The time of the class's GPUs for the work. */
static bool time_work(const struct lag_at *at, const struct work *work,
                      const struct lag_gpu_class *class, struct lag_draft *draft,
                      lag_seconds *ret_time, GError **error)
{
    const struct lag_gpu *gpu = class->gpu;
    enum lag_precision precision =
        work->precision == LAG_N_PRECISIONS ? LAG_FP16 : (enum lag_precision)work->precision;
    g_autofree char *where = lag_place_text(class->place);

    if (class->calibration != NULL)
        return time_measured(at, work, class, draft, ret_time, error);
    if (gpu == NULL)
        return lag_refuse(at, error, "which GPU computes is not said; give gpu in the class of %s",
                          where);
    if (work->flops > 0 && gpu->peak[precision] == 0)
        return lag_refuse(at, error, "the peak of %s in %s is not known; give it in gpu_types",
                          gpu->name, lag_precision_name(precision));
    if (work->bytes > 0 && gpu->memory_rate == 0)
        return lag_refuse(at, error, "the memory rate of %s is not known; give it in gpu_types",
                          gpu->name);
    const struct lag_roofline roofline = {
        .peak = gpu->peak[precision],
        .memory_rate = gpu->memory_rate,
        .efficiency = {work->efficiency->len,
                       (const struct lag_efficiency_point *)(void *)work->efficiency->data},
        .memory_efficiency = work->memory_efficiency,
        .launch = work->launch,
    };
    *ret_time =
        lag_roofline_time(&roofline, &(struct lag_work){work->flops, work->bytes,
                                                        (uint32_t)work->kernels, precision});
    return true;
}

static bool time_samples(const struct lag_at *at, const struct work *work,
                         const struct lag_gpu_class *class, struct lag_draft *draft,
                         lag_seconds *ret_time, GError **error)
{
    (void)draft;
    g_autofree char *where = lag_place_text(class->place);
    uint64_t batch = class->batch > 0 ? class->batch : work->samples;

    if (class->samples_per_s == 0)
        return lag_refuse(
            at, error, "how fast the GPUs are is not said; give samples_per_s in the class of %s",
            where);
    *ret_time = (double)batch / class->samples_per_s;
    return true;
}

/* Fills each rank's time, class by class. */
static bool time_classes(const struct lag_at *at, const struct work *work, struct lag_draft *draft,
                         GError **error)
{
    lag_scenario *scenario = draft->scenario;
    g_autofree lag_seconds *times = g_new(lag_seconds, scenario->n_gpus);
    g_autofree bool *takes_part = g_new0(bool, scenario->n_gpus);
    uint32_t rank = 0;

    for (uint32_t i = 0; i < scenario->n_ranks; i++)
        takes_part[lag_scenario_rank(scenario, i)] = true;

    if (draft->classes->len == 0)
        return lag_refuse(at, error,
                          "which GPUs compute is not said; give cluster.gpus as a list, for "
                          "example [{gpu: H100-SXM, count: %u}]",
                          scenario->n_gpus);
    for (guint c = 0; c < draft->classes->len; c++) {
        const struct lag_gpu_class *class = &g_array_index(draft->classes, struct lag_gpu_class, c);
        lag_seconds time;
        if (!(work->samples > 0 ? time_samples : time_work)(at, work, class, draft, &time, error))
            return false;
        uint64_t batch = class->batch > 0 ? class->batch : work->samples;
        for (uint64_t i = 0; i < class->count; i++) {
            scenario->samples += takes_part[rank] ? (double)batch : 0;
            times[rank++] = time;
        }
    }
    scenario->lateness.own_compute = g_steal_pointer(&times);
    return true;
}

static bool check_work(const struct lag_at *at, const struct work *work, GError **error)
{
    bool roofline = work->flops > 0 || work->bytes > 0;

    if (roofline == (work->samples > 0))
        return lag_refuse(at, error, "give either flops and bytes, or samples; expected %s",
                          work_form.what);
    if (work->given != NULL && work->flops == 0)
        return lag_refuse(at, error, "efficiency is of the peak; give flops, or leave it out");
    return true;
}

/* Where several classes have several sources, all are named. */
static const char *source_of(const struct work *work, const struct lag_draft *draft)
{
    bool measured = false, looked_up = false;

    if (work->samples > 0)
        return "given";
    for (guint c = 0; c < draft->classes->len; c++) {
        const struct lag_gpu_class *class = &g_array_index(draft->classes, struct lag_gpu_class, c);
        measured = measured || class->calibration != NULL;
        looked_up = looked_up || class->calibration == NULL;
    }
    if (measured)
        return looked_up ? "data sheet and calibration" : "calibration";
    return work->given == NULL && work->flops > 0 ? "data sheet, at its peak" : "data sheet";
}

static bool read_work(const struct lag_at *at, struct lag_draft *draft, GError **error)
{
    g_autoptr(GArray) efficiency = g_array_new(FALSE, FALSE, sizeof(struct lag_efficiency_point));
    struct work work = {.efficiency = efficiency};

    if (!lag_read_form(at, &work_form, &work, error) || !check_work(at, &work, error) ||
        !time_classes(at, &work, draft, error))
        return false;
    draft->scenario->source_of_times = source_of(&work, draft);
    return true;
}

bool lag_read_compute(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;

    if (at->node->kind != LAG_SCALAR)
        return read_work(at, draft, error);
    if (!lag_read_form(at, &lag_form_duration, &draft->workload.compute, error))
        return false;
    draft->scenario->source_of_times = draft->workload.compute > 0 ? "given" : NULL;
    return true;
}
