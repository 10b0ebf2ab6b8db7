/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/gpus.h"

#include <string.h>

#include "scenarios/calibrated.h"

static bool read_gpu(const struct lag_at *at, void *into, GError **error);
static bool read_adding(const struct lag_at *at, void *into, GError **error);

static const struct lag_form count_form = {
    .shape = LAG_INTEGER, .what = "a number of GPUs", .least = 1, .most = LAG_MOST_RANKS};
static const struct lag_form batch_form = {
    .shape = LAG_INTEGER, .what = "a number of samples", .least = 1, .most = 1u << 30};
static const struct lag_form pace_form = {
    .shape = LAG_NUMBER, .what = "samples a second", .above_min = true};
static const struct lag_form spread_form = {
    .shape = LAG_QUANTITY, .what = "a share", .dimension = LAG_SHARE, .max = 0.3};

static const struct lag_form calibrated_form = {
    .shape = LAG_CHOICE, .what = "the word calibrated", .choices = "calibrated"};
static const struct lag_form *const adding_alternatives[] = {&lag_form_rate, &calibrated_form,
                                                             NULL};
static const struct lag_form adding_form = {.shape = LAG_ONE_OF,
                                            .what = "a rate, 600 GB/s, or calibrated",
                                            .alternatives = adding_alternatives};

#define CLASS(member) offsetof(struct lag_gpu_class, member)
static const struct lag_key calibration_keys[] = {
    {.name = "calibration",
     .form = &lag_form_text,
     .required = true,
     .offset = CLASS(calibration),
     .help = "a database that `laggard calibrate` has made"},
    {.name = "device",
     .form = &lag_form_text,
     .offset = CLASS(device),
     .help = "which of its devices: name, UUID or number; needed where it holds several"},
    {.name = NULL},
};
static const struct lag_form calibration_form = {
    .shape = LAG_MAPPING_OF, .what = "{calibration: FILE, device: NAME}", .keys = calibration_keys};
static const struct lag_form *const gpu_alternatives[] = {&lag_form_text, &calibration_form, NULL};
static const struct lag_form gpu_form = {.shape = LAG_ONE_OF,
                                         .what = "a GPU's name, or its calibration",
                                         .alternatives = gpu_alternatives};
static const struct lag_key class_keys[] = {
    {.name = "count",
     .form = &count_form,
     .required = true,
     .offset = CLASS(count),
     .help = "how many GPUs are of this class"},
    {.name = "gpu",
     .form = &gpu_form,
     .read = read_gpu,
     .help = "which GPU, by a name of `laggard list gpus` or of gpu_types; or its calibration"},
    {.name = "speed",
     .form = &lag_form_factor,
     .default_text = "1",
     .offset = CLASS(speed),
     .help = "how fast they compute; workload.compute is for speed 1"},
    {.name = "spread",
     .form = &spread_form,
     .default_text = "0 %",
     .offset = CLASS(spread),
     .help = "how unequal they are: standard deviation of the compute time, drawn once a job"},
    {.name = "samples_per_s",
     .form = &pace_form,
     .offset = CLASS(samples_per_s),
     .help = "measured pace of one GPU, for a workload.compute in samples"},
    {.name = "adding",
     .form = &adding_form,
     .read = read_adding,
     .help =
         "bytes a second at which one adds what it receives; or as calibrated. Left out: no time"},
    {.name = "batch",
     .form = &batch_form,
     .offset = CLASS(batch),
     .help = "samples of one GPU in a step, where it isn't workload.compute.samples"},
    {.name = NULL                   },
};
static const struct lag_form class_form = {
    .shape = LAG_MAPPING_OF, .what = "a class, {count: 4, speed: 0.5}", .keys = class_keys};
static const struct lag_form classes_form = {
    .shape = LAG_LIST_OF, .what = "a list of classes", .item = &class_form};
static const struct lag_form *const gpus_alternatives[] = {&count_form, &classes_form, NULL};
const struct lag_form lag_form_gpus = {.shape = LAG_ONE_OF,
                                       .what = "a number of GPUs, or a list of classes",
                                       .alternatives = gpus_alternatives};

/* A type as a user gives it. */
struct own_type {
    const char *name;
    struct lag_gpu gpu;
};

static const struct lag_form peak_form = {.shape = LAG_QUANTITY,
                                          .what = "a speed of computing",
                                          .dimension = LAG_SPEED,
                                          .above_min = true};
#define TYPE(member)    (offsetof(struct own_type, gpu) + offsetof(struct lag_gpu, member))
#define PEAK(precision) (TYPE(peak) + (precision) * sizeof(double))
static const struct lag_key type_keys[] = {
    {.name = "name",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct own_type, name),
     .help = "a new name, or one of the catalogue's, which it replaces"},
    {.name = "fp32",
     .form = &peak_form,
     .offset = PEAK(LAG_FP32),
     .help = "dense peak in fp32, for example 67 TFLOP/s"},
    {.name = "tf32",                                               .form = &peak_form, .offset = PEAK(LAG_TF32), .help = "dense peak in tf32"},
    {.name = "fp16",
     .form = &peak_form,
     .offset = PEAK(LAG_FP16),
     .help = "dense peak in fp16 and bf16"},
    {.name = "fp8",                                   .form = &peak_form, .offset = PEAK(LAG_FP8), .help = "dense peak in fp8"},
    {.name = "memory_bandwidth",
     .form = &lag_form_rate,
     .offset = TYPE(memory_rate),
     .help = "of its own memory, for example 3.35 TB/s"},
    {.name = "memory",                                       .form = &lag_form_size, .offset = TYPE(memory), .help = "how much it has"},
    {.name = NULL                           },
};
static const struct lag_form type_form = {
    .shape = LAG_MAPPING_OF,
    .what = "a type of GPU, {name: mine, fp16: 100 TFLOP/s, memory_bandwidth: 1 TB/s}",
    .keys = type_keys};
const struct lag_form lag_form_gpu_types = {
    .shape = LAG_LIST_OF, .what = "a list of types of GPU", .item = &type_form};

bool lag_read_gpu_types(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;

    if (!lag_expect(at, LAG_SEQUENCE, lag_form_gpu_types.what, error))
        return false;
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(at, i);
        struct own_type type = {.gpu.trust = LAG_VERIFIED};
        if (!lag_read_form(&entry, &type_form, &type, error))
            return false;
        type.gpu.name = g_strdup(type.name);
        type.gpu.source = g_strdup("the scenario");
        lag_catalogue_add_gpu(lag_draft_catalogue(draft), &type.gpu);
    }
    return true;
}

static bool read_gpu(const struct lag_at *at, void *into, GError **error)
{
    struct lag_gpu_class *class = into;

    if (at->node->kind == LAG_SCALAR)
        return lag_read_form(at, &lag_form_text, &class->name, error);
    return lag_read_form(at, &calibration_form, class, error);
}

static bool read_adding(const struct lag_at *at, void *into, GError **error)
{
    struct lag_gpu_class *class = into;

    if (at->node->kind != LAG_SCALAR)
        return lag_expect(at, LAG_SCALAR, adding_form.what, error);
    class->adding_calibrated = strcmp(at->node->text, "calibrated") == 0;
    return class->adding_calibrated || lag_read_form(at, &lag_form_rate, &class->adding, error);
}

bool lag_gpus_calibration(const struct lag_at *entry, struct lag_at *ret)
{
    const lag_node *gpu = lag_node_get(entry->node, "gpu");

    *ret = (struct lag_at){entry, "gpu.calibration", 0, NULL};
    if (gpu != NULL)
        ret->node = lag_node_get(gpu, "calibration");
    return ret->node != NULL && ret->node->kind == LAG_SCALAR && !lag_node_is_null(ret->node);
}

/* Finds the class's GPU; figures that nobody has read in a source are warned of. */
static bool find_gpu(const struct lag_at *at, struct lag_draft *draft, struct lag_gpu_class *class,
                     GError **error)
{
    struct lag_at name = {at, "gpu", 0, lag_node_get(at->node, "gpu")};

    class->gpu = lag_catalogue_find_gpu(lag_draft_catalogue(draft), class->name, error);
    if (class->gpu == NULL)
        return lag_refuse_prefix(&name, error);
    if (class->gpu->trust != LAG_VERIFIED) {
        g_autofree char *where = lag_place_text(name.node->place);
        g_ptr_array_add(draft->scenario->warnings,
                        g_strdup_printf("%s: %s: some of its figures are %s, not read in a source",
                                        where, class->gpu->name, lag_trust_name(LAG_RECALLED)));
    }
    return true;
}

/* Reads one class and appends its GPUs' speeds. */
static bool read_class(const struct lag_at *at, struct lag_draft *draft, GArray *speeds,
                       GError **error)
{
    struct lag_gpu_class class = {.place = at->node->place};

    if (!lag_read_form(at, &class_form, &class, error))
        return false;
    if (speeds->len + class.count > LAG_MOST_RANKS)
        return lag_refuse(at, error, "more than %u GPUs in all", LAG_MOST_RANKS);
    if (class.name != NULL && !find_gpu(at, draft, &class, error))
        return false;
    if (class.speed != 1 && draft->speed == NULL)
        draft->speed = lag_node_get(at->node, "speed");
    for (uint64_t i = 0; i < class.count; i++)
        g_array_append_val(speeds, class.speed);
    uint32_t end = speeds->len;
    g_array_append_val(draft->class_ends, end);
    g_array_append_val(draft->classes, class);
    return true;
}

bool lag_read_gpus(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;
    g_autoptr(GArray) speeds = g_array_new(FALSE, FALSE, sizeof(double));
    uint64_t count;

    draft->gpus = at->node;
    if (at->node->kind == LAG_SCALAR) {
        if (!lag_read_form(at, &count_form, &count, error))
            return false;
        draft->scenario->n_ranks = (uint32_t)count;
        return true;
    }
    if (!lag_expect(at, LAG_SEQUENCE, lag_form_gpus.what, error))
        return false;
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at class = lag_at_entry(at, i);
        if (!read_class(&class, draft, speeds, error))
            return false;
    }
    if (speeds->len == 0)
        return lag_refuse(at, error, "the list is empty; expected %s", lag_form_gpus.what);
    draft->scenario->n_ranks = speeds->len;
    draft->scenario->lateness.speed =
        (const double *)(void *)g_array_free(g_steal_pointer(&speeds), FALSE);
    return true;
}

void lag_gpus_spread(struct lag_draft *draft)
{
    uint32_t first = 0;

    for (guint c = 0; c < draft->classes->len; c++) {
        const struct lag_gpu_class *class = &g_array_index(draft->classes, struct lag_gpu_class, c);
        uint32_t n = (uint32_t) class->count;
        struct lag_straggler straggler = {
            .effect = LAG_SLOWDOWN,
            .law = {.type = lag_law_type_find("normal"), .p = {1, class->spread}},
            .n_ranks = n,
            .once = true,
        };
        if (class->spread > 0) {
            straggler.ranks = g_new(uint32_t, n);
            for (uint32_t i = 0; i < n; i++)
                straggler.ranks[i] = first + i;
            g_array_append_val(draft->stragglers, straggler);
        }
        first += n;
    }
}

/* Of one class at speed 1, whose first rank is known. */
static bool sample_time(const struct lag_at *workload, const struct lag_draft *draft,
                        const struct lag_gpu_class *class, uint32_t rank, lag_seconds *ret,
                        GError **error)
{
    const lag_seconds *own = draft->scenario->lateness.own_compute;
    lag_seconds given = own != NULL ? own[rank] : draft->workload.compute;

    if (class->samples_per_s > 0 && given > 0)
        return lag_refuse(workload, error,
                          "samples_per_s in cluster.gpus and compute both say how fast a GPU is; "
                          "leave one of them out");
    *ret = class->samples_per_s > 0 ? 1 / class->samples_per_s : given;
    return *ret > 0 ||
           lag_refuse(workload, error,
                      "how fast the GPUs are is not said; give cluster.gpus as [{count: %u, "
                      "samples_per_s: 100}], or compute, the time of one sample",
                      draft->scenario->n_gpus);
}

bool lag_gpus_time_samples(const struct lag_at *workload, struct lag_draft *draft, GError **error)
{
    struct lag_lateness *lateness = &draft->scenario->lateness;
    struct lag_gpu_class all = {.count = draft->scenario->n_gpus};
    bool alike = draft->classes->len == 0;
    g_autofree lag_seconds *times = g_new(lag_seconds, draft->scenario->n_gpus);
    uint32_t rank = 0;

    if (draft->scenario->samples > 0)
        return lag_refuse(workload, error, "compute is of one sample here; leave its samples out");
    for (guint c = 0; c < (alike ? 1 : draft->classes->len); c++) {
        const struct lag_gpu_class *class =
            alike ? &all : &g_array_index(draft->classes, struct lag_gpu_class, c);
        lag_seconds time = 0;
        if (!sample_time(workload, draft, class, rank, &time, error))
            return false;
        for (uint64_t i = 0; i < class->count; i++)
            times[rank++] = time;
    }
    g_free((void *)(uintptr_t)lateness->own_compute);
    lateness->own_compute = g_steal_pointer(&times);
    return true;
}

static void free_adding(void *of)
{
    struct lag_adding *adding = of;

    g_free(adding->bytes);
    g_free(adding->seconds);
    g_free(adding);
}

/* How a class adds, newly allocated. */
static struct lag_adding *adding_of(const struct lag_at *gpus, const struct lag_draft *draft,
                                    guint c, GError **error)
{
    const struct lag_gpu_class *class = &g_array_index(draft->classes, struct lag_gpu_class, c);
    struct lag_at entry = lag_at_entry(gpus, c);
    struct lag_at at = {&entry, "adding", 0, lag_node_get(entry.node, "adding")};
    struct lag_adding *adding = g_new0(struct lag_adding, 1);

    adding->slope = class->adding > 0 ? 1 / class->adding : 0;
    if (!class->adding_calibrated)
        return adding;
    if (class->calibration == NULL) {
        lag_refuse(&at, error, "the class has no calibration; give gpu: {calibration: FILE}");
    } else {
        g_autofree char *path = lag_draft_path(draft, class->calibration);
        if (lag_calibrated_adding(path, class->device, adding, error))
            return adding;
        lag_refuse_prefix(&at, error);
    }
    free_adding(adding);
    return NULL;
}

bool lag_gpus_add(const struct lag_at *cluster, struct lag_draft *draft, GError **error)
{
    struct lag_at gpus = {cluster, "gpus", 0, draft->gpus};
    lag_scenario *scenario = draft->scenario;
    bool any = false;
    uint32_t rank = 0;

    for (guint c = 0; c < draft->classes->len; c++) {
        const struct lag_gpu_class *class = &g_array_index(draft->classes, struct lag_gpu_class, c);
        any = any || class->adding > 0 || class->adding_calibrated;
    }
    if (!any)
        return true;
    scenario->adding_classes = g_ptr_array_new_with_free_func(free_adding);
    scenario->adding = g_new(const struct lag_adding *, scenario->n_ranks + scenario->n_servers);
    for (guint c = 0; c < draft->classes->len; c++) {
        struct lag_adding *adding = adding_of(&gpus, draft, c, error);
        if (adding == NULL)
            return false;
        g_ptr_array_add(scenario->adding_classes, adding);
        uint64_t n = g_array_index(draft->classes, struct lag_gpu_class, c).count;
        for (uint64_t i = 0; i < n; i++)
            scenario->adding[rank++] = adding;
    }
    if (scenario->n_servers > 0) /* they add at once */
        g_ptr_array_add(scenario->adding_classes, g_new0(struct lag_adding, 1));
    for (uint32_t i = 0; i < scenario->n_servers; i++)
        scenario->adding[rank++] = scenario->adding_classes->pdata[draft->classes->len];
    scenario->network.adding = scenario->adding;
    return true;
}
