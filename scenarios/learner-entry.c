/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/learner-entry.h"

#include <math.h>
#include <string.h>

#include "scenarios/dataset-shelf.h"
#include "scenarios/nearest.h"

/* As it is written; what stays NULL or 0 is the data set's, or the model's, default. */
struct draft {
    const char *name, *file, *label, *folder;
    uint64_t samples, features, classes, seed, hidden;
    double noise, rate, momentum, reference, most_scale, test_every;
    int model, rule, shards;
    GArray *drops; /* of struct lag_rate_drop, borrowed */
};

/* In the order of lag_model_kinds, of enum lag_rate_rule and of enum lag_shards; a test compares. */
static const struct lag_form model_form = {
    .shape = LAG_CHOICE, .what = "a model", .choices = "least-squares|logistic|mlp|softmax"};
static const struct lag_form rule_form = {
    .shape = LAG_CHOICE, .what = "a rule", .choices = "constant|linear|sqrt"};
static const struct lag_form shards_form = {.shape = LAG_CHOICE,
                                            .what = "who takes which samples",
                                            .choices = "iid|queue|static|proportional"};
static const struct lag_form momentum_form = {
    .shape = LAG_NUMBER, .what = "a number from 0 to 1", .max = 1};
static const struct lag_form samples_form = {.shape = LAG_NUMBER, .what = "a number of samples"};
static const struct lag_form seed_form = {
    .shape = LAG_INTEGER, .what = "a whole number", .least = 1, .most = INT64_MAX};

static const struct lag_key source_keys[] = {
    {.name = "name",
     .form = &lag_form_text,
     .offset = offsetof(struct draft, name),
     .help = "one that laggard knows: digits, fashion-mnist, generated"},
    {.name = "file",
     .form = &lag_form_text,
     .offset = offsetof(struct draft, file),
     .help = "a table (CSV, .gz or not) in the scenario's folder"},
    {.name = "label",
     .form = &lag_form_text,
     .offset = offsetof(struct draft, label),
     .help = "the table's column with what is learnt: its name, first or last"},
    {.name = "folder",
     .form = &lag_form_text,
     .offset = offsetof(struct draft, folder),
     .help = "of four files in IDX format, with MNIST's names"},
    {.name = "samples",
     .form = &lag_form_count,
     .offset = offsetof(struct draft, samples),
     .help = "of generated data; 256 where it is left out"},
    {.name = "features",
     .form = &lag_form_count,
     .offset = offsetof(struct draft, features),
     .help = "of generated data; 8 where it is left out"},
    {.name = "classes",
     .form = &lag_form_count,
     .offset = offsetof(struct draft, classes),
     .help = "of generated data, if the model tells classes; 2 where it is left out"},
    {.name = "seed",
     .form = &seed_form,
     .offset = offsetof(struct draft, seed),
     .help = "of generated data; 1 where it is left out"},
    {.name = "noise",
     .form = &lag_form_factor,
     .offset = offsetof(struct draft, noise),
     .help = "of generated data; 0.5 where it is left out"},
    {.name = NULL                                                         },
};
static const struct lag_form source_form = {.shape = LAG_MAPPING_OF,
                                            .what = "{name: ...}, {file: ...} or {folder: ...}",
                                            .keys = source_keys};
static const struct lag_form *const dataset_alternatives[] = {&lag_form_text, &source_form, NULL};
static const struct lag_form dataset_form = {.shape = LAG_ONE_OF,
                                             .what = "a data set: digits, or {file: samples.csv}",
                                             .alternatives = dataset_alternatives};

static bool read_dataset(const struct lag_at *at, void *into, GError **error)
{
    struct draft *draft = into;

    if (at->node->kind == LAG_SCALAR)
        return lag_read_form(at, &lag_form_text, &draft->name, error);
    return lag_read_form(at, &source_form, draft, error);
}

static const struct lag_key drop_keys[] = {
    {.name = "samples",
     .form = &samples_form,
     .required = true,
     .offset = offsetof(struct lag_rate_drop, samples),
     .help = "after so many samples"},
    {.name = "factor",
     .form = &lag_form_factor,
     .required = true,
     .offset = offsetof(struct lag_rate_drop, factor),
     .help = "the rate is multiplied by it"},
    {.name = NULL        },
};
static const struct lag_form drop_form = {
    .shape = LAG_MAPPING_OF, .what = "{samples: 60000, factor: 0.1}", .keys = drop_keys};
static const struct lag_form drops_form = {
    .shape = LAG_LIST_OF, .what = "a list of drops", .item = &drop_form};

static bool read_drops(const struct lag_at *at, void *into, GError **error)
{
    struct draft *draft = into;

    if (!lag_expect(at, LAG_SEQUENCE, drops_form.what, error))
        return false;
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(at, i);
        struct lag_rate_drop drop;
        if (!lag_read_form(&entry, &drop_form, &drop, error))
            return false;
        g_array_append_val(draft->drops, drop);
    }
    return true;
}

static const struct lag_key learner_keys[] = {
    {.name = "dataset",
     .form = &dataset_form,
     .required = true,
     .read = read_dataset,
     .help = "what is learnt from: digits, fashion-mnist, generated, or a file of yours"},
    {.name = "model",
     .form = &model_form,
     .required = true,
     .offset = offsetof(struct draft, model),
     .help = "what learns"},
    {.name = "hidden",
     .form = &lag_form_count,
     .offset = offsetof(struct draft, hidden),
     .help = "hidden units of an mlp"},
    {.name = "learning_rate",
     .form = &lag_form_factor,
     .required = true,
     .offset = offsetof(struct draft, rate),
     .help = "x -= learning_rate x mean gradient"},
    {.name = "momentum",
     .form = &momentum_form,
     .default_text = "0",
     .offset = offsetof(struct draft, momentum),
     .help = "v = momentum v + mean gradient, and v takes its place"},
    {.name = "rate_rule",
     .form = &rule_form,
     .default_text = "constant",
     .offset = offsetof(struct draft, rule),
     .help = "how the rate follows an update's samples n: times n / reference, or its root"},
    {.name = "reference",
     .form = &lag_form_factor,
     .default_text = "1",
     .offset = offsetof(struct draft, reference),
     .help = "samples, for the rules"},
    {.name = "most_scale",
     .form = &lag_form_factor,
     .offset = offsetof(struct draft, most_scale),
     .help = "the most that a rule multiplies by; no limit where it is left out"},
    {.name = "drops",
     .form = &drops_form,
     .read = read_drops,
     .help = "of the rate, by the samples that updates were made of"},
    {.name = "shards",
     .form = &shards_form,
     .default_text = "iid",
     .offset = offsetof(struct draft, shards),
     .help = "who takes which samples"},
    {.name = "test_every",
     .form = &samples_form,
     .default_text = "0",
     .offset = offsetof(struct draft, test_every),
     .help = "samples from one test to the next; 0: after each update"},
    {.name = NULL                                                    },
};
const struct lag_form lag_form_learner = {
    .shape = LAG_MAPPING_OF,
    .what = "{dataset: digits, model: softmax, learning_rate: 0.1}",
    .keys = learner_keys};

/* Exactly one of the three says where data come from. */
static bool check_source(const struct lag_at *at, const struct draft *draft, GError **error)
{
    int n = (draft->name != NULL) + (draft->file != NULL) + (draft->folder != NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    if (n != 1)
        return lag_refuse(at, error, "expected one of name, file and folder");
    if (draft->name == NULL)
        return true;
    for (size_t i = 0; lag_dataset_kinds[i].name != NULL; i++) {
        if (strcmp(lag_dataset_kinds[i].name, draft->name) == 0)
            return true;
        g_ptr_array_add(names, (gpointer)(uintptr_t)lag_dataset_kinds[i].name);
    }
    g_autofree char *hint =
        lag_nearest_hint(draft->name, (const char *const *)names->pdata, names->len);
    return lag_refuse(at, error, "unknown data set '%s'%s", draft->name, hint);
}

static lag_dataset *load(const struct lag_at *at, const struct draft *draft,
                         const struct lag_draft *scenario, GError **error)
{
    g_autofree char *file = draft->file == NULL ? NULL : lag_draft_path(scenario, draft->file);
    g_autofree char *folder =
        draft->folder == NULL ? NULL : lag_draft_path(scenario, draft->folder);
    struct lag_dataset_source source = {
        .name = draft->name,
        .file = file,
        .label = draft->label,
        .folder = folder,
        .classes = lag_model_kinds[draft->model]->max_classes > 0,
        .n_samples = (uint32_t)draft->samples,
        .n_features = (uint32_t)draft->features,
        .n_classes = (uint32_t)draft->classes,
        .seed = draft->seed,
        .noise = draft->noise,
    };

    if (!check_source(at, draft, error))
        return NULL;
    lag_dataset *dataset = scenario->sources->shelf != NULL
                               ? lag_dataset_shelf_load(scenario->sources->shelf, &source, error)
                               : lag_dataset_load(&source, error);
    if (dataset == NULL)
        lag_refuse_prefix(at, error);
    return dataset;
}

static bool make(const struct lag_at *at, const struct draft *draft,
                 const struct lag_draft *scenario, lag_learner_entry *entry, GError **error)
{
    struct lag_at source = {at, "dataset", 0, lag_node_get(at->node, "dataset")};
    struct lag_at model = {at, "model", 0, lag_node_get(at->node, "model")};
    g_autoptr(lag_dataset) dataset = load(&source, draft, scenario, error);

    if (dataset == NULL)
        return false;
    entry->model =
        lag_model_new(lag_model_kinds[draft->model], dataset, (uint32_t)draft->hidden, error);
    if (entry->model == NULL)
        return lag_refuse_prefix(&model, error);
    entry->setup = (struct lag_learner_setup){
        .model = entry->model,
        .optimizer =
            {
                        .rate = draft->rate,
                        .momentum = draft->momentum,
                        .rule = (enum lag_rate_rule)draft->rule,
                        .reference = draft->reference,
                        .most_scale = draft->most_scale,
                        .n_drops = entry->drops->len,
                        .drops = (const struct lag_rate_drop *)(const void *)entry->drops->data,
                        },
        .shards = (enum lag_shards)draft->shards,
        .test_every = draft->test_every,
    };
    return true;
}

lag_learner_entry *lag_learner_entry_read(const struct lag_at *at, const struct lag_draft *draft,
                                          GError **error)
{
    g_autoptr(lag_learner_entry) entry = g_new0(lag_learner_entry, 1);
    struct draft own = {0};

    entry->drops = g_array_new(FALSE, FALSE, sizeof(struct lag_rate_drop));
    own.drops = entry->drops;
    if (!lag_read_form(at, &lag_form_learner, &own, error) || !make(at, &own, draft, entry, error))
        return NULL;
    return g_steal_pointer(&entry);
}

void lag_learner_entry_free(lag_learner_entry *entry)
{
    if (entry == NULL)
        return;
    lag_model_free(entry->model);
    g_array_unref(entry->drops);
    g_free(entry);
}
