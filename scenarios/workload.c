/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `workload:` what is asked for, and how large it is. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "scenarios/compute.h"
#include "scenarios/draft.h"
#include "scenarios/gpus.h"
#include "sim/gradient/gradient.h"

/* Elements of a buffer: name, bytes. The first is the default. */
#define DTYPES(X)                                                                                  \
    X(fp32, 4)                                                                                     \
    X(fp64, 8)                                                                                     \
    X(fp16, 2)                                                                                     \
    X(bf16, 2)                                                                                     \
    X(fp8, 1)                                                                                      \
    X(int8, 1)                                                                                     \
    X(uint8, 1)                                                                                    \
    X(int32, 4)                                                                                    \
    X(uint32, 4)                                                                                   \
    X(int64, 8)                                                                                    \
    X(uint64, 8)
#define AS_CHOICE(name, bytes) "|" #name
#define AS_ENTRY(name, bytes)  {#name, bytes},

static const struct {
    const char *name;
    uint32_t bytes;
} dtypes[] = {DTYPES(AS_ENTRY)};

/* In the order of enum laggard_collective; a test compares it with laggard_collective_name(). */
static const struct lag_form collective_form = {
    .shape = LAG_CHOICE,
    .what = "a collective",
    .choices = "allreduce|reduce-scatter|all-gather|broadcast|reduce"};
const struct lag_form lag_form_dtype = {
    .shape = LAG_CHOICE, .what = "a type of element", .choices = &("" DTYPES(AS_CHOICE))[1]};
static const struct lag_form rank_form = {
    .shape = LAG_INTEGER, .what = "a rank", .most = LAG_MOST_RANKS - 1};

/* Who takes part is known before all else. */
static bool read_group(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;
    const char *name;

    if (!lag_read_form(at, &lag_form_text, &name, error))
        return false;
    if (draft->in_job)
        return lag_refuse(at, error, "a job has its ranks; leave 'group' out");
    return lag_find_group(at, draft, &draft->scenario->ranks, &draft->scenario->n_ranks, error);
}

static const struct lag_key workload_keys[] = {
    {.name = "group",
     .form = &lag_form_text,
     .read = read_group,
     .help = "who take part, the name of one of groups; all where it is left out"},
    {.name = "collective",
     .form = &collective_form,
     .default_text = "allreduce",
     .offset = offsetof(struct lag_draft, workload.collective),
     .help = "what the ranks do together"},
    {.name = "size",
     .form = &lag_form_size,
     .offset = offsetof(struct lag_draft, workload.size),
     .help = "of a collective, needed: the whole buffer of one rank, for example 1 GiB"},
    {.name = "dtype",
     .form = &lag_form_dtype,
     .default_text = "fp32",
     .offset = offsetof(struct lag_draft, workload.dtype),
     .help = "the elements of the buffer; chunks are whole elements"},
    {.name = "root",
     .form = &rank_form,
     .default_text = "0",
     .offset = offsetof(struct lag_draft, workload.root),
     .help = "the rank that a broadcast starts from, or a reduce ends at; by its number in the "
             "cluster"},
    {.name = "compute",
     .form = &lag_form_compute,
     .read = lag_read_compute,
     .help = "how long a GPU of speed 1 computes before the collective, in each step, or its work"},
    {.name = "steps",
     .form = &lag_form_count,
     .offset = offsetof(struct lag_draft, workload.steps),
     .help = "steps of one job; a trace brings its own number"},
    {.name = NULL },
};
const struct lag_form lag_form_workload = {.shape = LAG_MAPPING_OF,
                                           .what = "a mapping with size",
                                           .keys = workload_keys,
                                           .one_of = "size|training|gradient"};

/* Keys that say something in a workload of that kind. */
static bool belongs(const char *key, enum laggard_workload workload)
{
    return strcmp(key, laggard_workload_name(workload)) == 0 ||
           (workload == LAGGARD_TRAINING && strcmp(key, "compute") == 0);
}

/* A workload is of one kind. */
static bool check_kind(const struct lag_at *at, const struct lag_draft *draft, GError **error)
{
    enum laggard_workload workload = draft->scenario->workload;
    const char *name = laggard_workload_name(workload);

    if (workload == LAGGARD_COMMUNICATION)
        return true;
    if (draft->in_job)
        return lag_refuse(at, error, "is for %s; side by side only collectives can run", name);
    for (const struct lag_key *key = workload_keys; key->name != NULL; key++) {
        struct lag_at given = {at, key->name, 0, lag_node_get(at->node, key->name)};
        if (given.node != NULL && !belongs(key->name, workload))
            return lag_refuse(&given, error,
                              "stands beside '%s', where it means nothing; leave one "
                              "of them out",
                              name);
    }
    return true;
}

static struct lag_at child(const struct lag_at *at, const char *key)
{
    const lag_node *node = lag_node_get(at->node, key);

    return (struct lag_at){at, key, 0, node != NULL ? node : at->node};
}

bool lag_take_size(const struct lag_at *at, struct lag_draft *draft, GError **error)
{
    struct lag_at size = child(at, "size");
    lag_scenario *scenario = draft->scenario;
    double bytes = round(draft->workload.size);
    uint64_t element = dtypes[draft->workload.dtype].bytes, rest;

    scenario->dtype = dtypes[draft->workload.dtype].name;
    scenario->element_bytes = dtypes[draft->workload.dtype].bytes;
    if (fabs(draft->workload.size - bytes) > 1e-9 * bytes)
        return lag_refuse(&size, error, "'%s' is not a whole number of bytes", size.node->text);
    scenario->size = (lag_bytes)bytes;
    rest = scenario->size % element;
    if (rest != 0) {
        return lag_refuse(&size, error,
                          "'%s' is %" PRIu64 " B, not a whole number of %s elements of %" PRIu64
                          " B; the nearest are %" PRIu64 " B and %" PRIu64 " B",
                          size.node->text, scenario->size, scenario->dtype, element,
                          scenario->size - rest, scenario->size - rest + element);
    }
    if (scenario->size == 0) {
        g_autofree char *where = lag_place_text(size.node->place);
        g_autofree char *path = lag_at_path(&size);
        g_ptr_array_add(
            scenario->warnings,
            g_strdup_printf("%s: %s: a collective of 0 bytes takes no time", where, path));
    }
    return true;
}

static bool check_root(const struct lag_at *at, struct lag_draft *draft, GError **error)
{
    struct lag_at root = child(at, "root");

    if (lag_node_get(at->node, "root") == NULL)
        return true;
    if (!laggard_collective_has_root(draft->scenario->collective)) {
        return lag_refuse(&root, error, "%s has no root; leave it out",
                          laggard_collective_name(draft->scenario->collective));
    }
    return lag_find_member(&root, draft->scenario, draft->workload.root, &draft->scenario->root,
                           error);
}

static bool check_compute(const struct lag_at *at, struct lag_draft *draft, GError **error)
{
    bool computes = draft->workload.compute > 0 || draft->scenario->lateness.own_compute != NULL;

    if (draft->speed != NULL && !computes && !draft->in_job) {
        g_autofree char *where = lag_place_text(draft->speed->place);
        return lag_refuse(
            at, error,
            "compute is 0, so that the speed in cluster.gpus (%s) has no effect; give "
            "compute, for example 100 ms, or leave out speed",
            where);
    }
    draft->scenario->lateness.compute = draft->workload.compute;
    return true;
}

/* The collective, with its buffer. */
static bool take_collective(const struct lag_at *at, struct lag_draft *draft, GError **error)
{
    lag_scenario *scenario = draft->scenario;

    scenario->collective = (enum laggard_collective)draft->workload.collective;
    scenario->n_steps = (uint32_t)MAX(draft->workload.steps, 1);
    if (draft->steps == NULL)
        draft->steps = lag_node_get(at->node, "steps");
    return lag_take_size(at, draft, error) && check_root(at, draft, error) &&
           check_compute(at, draft, error);
}

/* What a collective that sums gradients does: one step an iteration, a vector's bytes. */
static void take_gradient(lag_scenario *scenario)
{
    double bytes = scenario->gradient->bytes_per_parameter;
    uint32_t i = 0;

    scenario->collective = LAGGARD_ALLREDUCE;
    scenario->size = lag_gradient_bytes(scenario->gradient);
    scenario->n_steps = scenario->gradient->n_iterations;
    while (i + 1 < G_N_ELEMENTS(dtypes) && dtypes[i].bytes != bytes)
        i++;
    scenario->dtype = dtypes[i].bytes == bytes ? dtypes[i].name : "uint8";
    scenario->element_bytes = dtypes[i].bytes == bytes ? dtypes[i].bytes : 1;
}

bool lag_read_workload(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;
    lag_scenario *scenario = draft->scenario;

    scenario->workload = lag_outlook_workload(at->node);
    scenario->n_steps = 1;
    if (!check_kind(at, draft, error) || !lag_read_form(at, &lag_form_workload, draft, error))
        return false;
    if (scenario->workload == LAGGARD_TRAINING)
        return lag_gpus_time_samples(at, draft, error);
    if (scenario->workload == LAGGARD_GRADIENT) {
        take_gradient(scenario);
        return true;
    }
    return take_collective(at, draft, error);
}
