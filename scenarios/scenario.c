/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the root, and what is left when a scenario is read. */
#include "scenarios/scenario.h"

#include <inttypes.h>
#include <string.h>

#include "scenarios/draft.h"
#include "scenarios/gpus.h"
#include "scenarios/protocol-run.h"
#include "scenarios/sweep.h"
#include "scenarios/trace.h"

#define SCHEMA_VERSION 1

/* Replications that a precision may take where none are given. */
#define MOST_FOR_PRECISION 100000

static const struct lag_form version_form = {
    .shape = LAG_INTEGER, .what = "the version of the schema", .least = 1, .most = 1000};
static const struct lag_form seed_form = {
    .shape = LAG_INTEGER, .what = "a seed", .most = UINT64_MAX};
static const struct lag_form precision_form = {
    .shape = LAG_QUANTITY, .what = "a share", .dimension = LAG_SHARE, .max = 1, .above_min = true};
/* In the order of enum lag_engine_choice. */
static const struct lag_form engine_form = {
    .shape = LAG_CHOICE, .what = "an engine", .choices = "auto|replay|lockstep"};

static const struct lag_key run_keys[] = {
    {.name = "seed",
     .form = &seed_form,
     .default_text = "1",
     .offset = offsetof(struct lag_draft, run.seed),
     .help = "of all random numbers"},
    {.name = "replications",
     .form = &lag_form_count,
     .offset = offsetof(struct lag_draft, run.replications),
     .help = "how many times, with other random numbers: 1, or with precision at most, 100000"},
    {.name = "precision",
     .form = &precision_form,
     .offset = offsetof(struct lag_draft, run.precision),
     .help = "adds replications until the mean exposed time is known to so much, 95 % sure"},
    {.name = "engine",
     .form = &engine_form,
     .default_text = "auto",
     .offset = offsetof(struct lag_draft, run.engine),
     .help = "lockstep: round by round, where no link is shared; replay: event by event; auto: "
             "what fits"},
    {.name = NULL},
};
static const struct lag_form run_form = {
    .shape = LAG_MAPPING_OF, .what = "a mapping, {seed: 1}", .keys = run_keys};

static bool read_version(const struct lag_at *at, void *into, GError **error);
static bool read_name(const struct lag_at *at, void *into, GError **error);

static const struct lag_key root_keys[] = {
    {.name = "laggard",
     .form = &version_form,
     .required = true,
     .read = read_version,
     .help = "the version of the schema, laggard: 1"},
    {.name = "name",
     .form = &lag_form_text,
     .required = true,
     .read = read_name,
     .help = "stands in results"},
    {.name = "cluster",
     .form = &lag_form_cluster,
     .required = true,
     .read = lag_read_cluster,
     .help = "who takes part, and what connects them"},
    {.name = "groups",
     .form = &lag_form_groups,
     .read = lag_read_groups,
     .help = "names for sets of ranks, for workload.group"},
    {.name = "workload",
     .form = &lag_form_workload,
     .read = lag_read_workload,
     .help = "what is asked for"},
    {.name = "algorithms",
     .form = &lag_form_algorithms,
     .read = lag_read_algorithms,
     .help = "who competes, for example [ring, stragglar]"},
    {.name = "jobs",
     .form = &lag_form_jobs,
     .read = lag_read_jobs,
     .help = "instead of workload and algorithms: several jobs at once on the network"},
    {.name = "stragglers",
     .form = &lag_form_stragglers,
     .read = lag_read_stragglers,
     .help = "who is late, slow or dead"},
    {.name = "run", .form = &run_form, .read = lag_read_later, .help = "seed, replications"},
    {.name = "sweep",                                 .form = &lag_form_sweep, .read = lag_read_later, .help = "what varies"},
    {.name = NULL                         },
};
const struct lag_form lag_form_scenario = {
    .shape = LAG_MAPPING_OF, .what = "a mapping that begins with laggard: 1", .keys = root_keys};

bool lag_read_later(const struct lag_at *at, void *into, GError **error)
{
    (void)at;
    (void)into;
    (void)error;
    return true;
}

static bool read_version(const struct lag_at *at, void *into, GError **error)
{
    uint64_t version;

    (void)into;
    if (!lag_read_form(at, &version_form, &version, error))
        return false;
    return version == SCHEMA_VERSION ||
           lag_refuse(at, error,
                      "version %" PRIu64 " is newer than this laggard, which "
                      "reads version %d",
                      version, SCHEMA_VERSION);
}

static bool read_name(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;
    const char *name;

    if (!lag_read_form(at, &lag_form_text, &name, error))
        return false;
    draft->scenario->name = g_strdup(name);
    return true;
}

bool lag_check_version(const struct lag_at *root, GError **error)
{
    struct lag_at version = {root, "laggard", 0, NULL};

    if (!lag_expect(root, LAG_MAPPING, lag_form_scenario.what, error))
        return false;
    version.node = lag_node_get(root->node, "laggard");
    return version.node == NULL || read_version(&version, NULL, error);
}

static void straggler_clear(gpointer data)
{
    lag_straggler_clear(data);
}

static void entrant_clear(gpointer data)
{
    lag_entrant_clear(data);
}

/* What the jobs of a scenario borrow from it. */
static void free_shared(lag_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->lateness.n_stragglers; i++) {
        struct lag_straggler straggler = scenario->lateness.stragglers[i];
        straggler_clear(&straggler);
    }
    g_free((void *)(uintptr_t)scenario->lateness.stragglers);
    g_free((void *)(uintptr_t)scenario->lateness.speed);
    g_clear_pointer(&scenario->topology, lag_topology_free);
    lag_trace_free(scenario->trace);
    g_free(scenario->events);
    g_free(scenario->adding);
    g_clear_pointer(&scenario->adding_classes, g_ptr_array_unref);
    g_free(scenario->node_of);
}

static void kept_clear(gpointer data)
{
    struct lag_kept *kept = data;

    kept->free(kept->what);
}

void lag_scenario_keep(lag_scenario *scenario, void *what, GDestroyNotify free)
{
    struct lag_kept kept = {what, free};

    if (scenario->kept == NULL) {
        scenario->kept = g_array_new(FALSE, FALSE, sizeof kept);
        g_array_set_clear_func(scenario->kept, kept_clear);
    }
    g_array_append_val(scenario->kept, kept);
}

void lag_scenario_free(lag_scenario *scenario)
{
    if (scenario == NULL)
        return;
    for (uint32_t i = 0; i < scenario->n_jobs; i++)
        lag_scenario_free(scenario->jobs[i]);
    if (scenario->job == NULL)
        free_shared(scenario);
    for (uint32_t i = 0; scenario->entrants != NULL && i < scenario->n_entrants; i++)
        entrant_clear(&scenario->entrants[i]);
    if (scenario->aggregation != NULL)
        lag_entrant_clear(scenario->aggregation);
    g_free(scenario->aggregation);
    g_free(scenario->training);
    g_free(scenario->gradient);
    g_clear_pointer(&scenario->kept, g_array_unref);
    g_free((void *)(uintptr_t)scenario->lateness.own_compute);
    g_free(scenario->entrants);
    g_free(scenario->jobs);
    g_free(scenario->ranks);
    g_free(scenario->name);
    g_free(scenario->job);
    g_ptr_array_unref(scenario->warnings);
    g_free(scenario);
}

/* An absent `run:` has its keys' defaults too. */
static bool read_run(const struct lag_at *top, struct lag_draft *draft, GError **error)
{
    g_autoptr(GArray) none = lag_entries_new();
    g_autoptr(lag_node) empty = lag_node_new_container(LAG_MAPPING, none, top->node->place);
    const lag_node *given = lag_node_get(top->node, "run");
    struct lag_at at = {top, "run", 0, given != NULL ? given : empty};

    if (!lag_read_form(&at, &run_form, draft, error))
        return false;
    draft->scenario->seed = draft->run.seed;
    draft->scenario->precision = draft->run.precision;
    draft->scenario->n_replications = (uint32_t)draft->run.replications;
    if (draft->run.replications == 0)
        draft->scenario->n_replications = draft->run.precision > 0 ? MOST_FOR_PRECISION : 1;
    draft->scenario->engine = (enum lag_engine_choice)draft->run.engine;
    return true;
}

/* Without a variance there is no interval, so no precision of it either. */
static bool check_variance(const struct lag_at *top, const lag_scenario *scenario, GError **error)
{
    const lag_node *run = lag_node_get(top->node, "run");
    struct lag_at at = {top, "run", 0, run};

    if (lag_lateness_has_variance(&scenario->lateness))
        return true;
    if (scenario->precision > 0) {
        struct lag_at precision = {&at, "precision", 0, lag_node_get(run, "precision")};
        return lag_refuse(&precision, error,
                          "a law of the stragglers has no variance, so the mean has no interval; "
                          "give replications");
    }
    if (scenario->n_replications > 1 || scenario->n_steps > 1)
        g_ptr_array_add(scenario->warnings,
                        g_strdup("a law of the stragglers has no variance: means have no "
                                 "interval; look at the quantiles"));
    return true;
}

/* The lists move from the draft to the scenario. */
static void take_lists(struct lag_draft *draft)
{
    lag_scenario *scenario = draft->scenario;
    size_t n;

    scenario->lateness.stragglers = g_array_steal(draft->stragglers, &n);
    scenario->lateness.n_stragglers = (uint32_t)n;
    if (scenario->n_jobs == 0) {
        scenario->entrants = g_array_steal(draft->entrants, &n);
        scenario->n_entrants = (uint32_t)n;
    }
}

/* A scenario has a workload and algorithms, or jobs that have them. */
static bool check_complete(const struct lag_at *top, GError **error)
{
    static const char *const keys[] = {"workload", "algorithms"};

    for (size_t i = 0; lag_node_get(top->node, "jobs") == NULL && i < G_N_ELEMENTS(keys); i++) {
        const struct lag_key *key = root_keys;
        while (strcmp(key->name, keys[i]) != 0)
            key++;
        if (lag_node_get(top->node, key->name) == NULL)
            return lag_refuse(top, error, "the key '%s' is missing: %s", key->name, key->help);
    }
    return true;
}

char *lag_draft_path(const struct lag_draft *draft, const char *name)
{
    return g_path_is_absolute(name) ? g_strdup(name)
                                    : g_build_filename(draft->sources->folder, name, NULL);
}

lag_catalogue *lag_draft_catalogue(struct lag_draft *draft)
{
    if (draft->catalogue == NULL)
        draft->catalogue = lag_catalogue_new();
    return draft->catalogue;
}

lag_scenario *lag_scenario_read(const lag_node *root, const struct lag_sources *sources,
                                GError **error)
{
    g_autoptr(lag_scenario) scenario = g_new0(lag_scenario, 1);
    g_autoptr(GArray) stragglers = g_array_new(FALSE, TRUE, sizeof(struct lag_straggler));
    g_autoptr(GArray) entrants = g_array_new(FALSE, TRUE, sizeof(struct lag_entrant));
    g_autoptr(GArray) class_ends = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autoptr(GArray) classes = g_array_new(FALSE, FALSE, sizeof(struct lag_gpu_class));
    struct lag_at at = {NULL, NULL, 0, root};
    struct lag_draft draft = {
        .scenario = scenario,
        .sources = sources,
        .root = root,
        .outlook = lag_outlook_of(root),
        .network.ports = -1,
        .stragglers = stragglers,
        .entrants = entrants,
        .class_ends = class_ends,
        .classes = classes,
    };

    g_array_set_clear_func(stragglers, straggler_clear);
    g_array_set_clear_func(entrants, entrant_clear);
    scenario->warnings = g_ptr_array_new_with_free_func(g_free);
    bool valid = lag_read_form(&at, &lag_form_scenario, &draft, error) &&
                 check_complete(&at, error) && read_run(&at, &draft, error);
    lag_gpus_spread(&draft);
    lag_catalogue_free(draft.catalogue);
    if (!valid)
        return NULL;
    take_lists(&draft);
    lag_complete_jobs(scenario);
    lag_scenario_stand_in(scenario);
    if (!check_variance(&at, scenario, error) || !lag_check_protocols(&at, scenario, error))
        return NULL;
    return g_steal_pointer(&scenario);
}
