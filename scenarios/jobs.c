/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `jobs:` several workloads side by side on one network. */
#include <inttypes.h>
#include <string.h>

#include "scenarios/draft.h"
#include "scenarios/ranks.h"

#define MOST_JOBS 1000

/* One job in the making. */
struct job {
    struct lag_draft draft; /* of its own, whose scenario is the job's */
    const struct lag_draft *owner;
};

static bool read_name(const struct lag_at *at, void *into, GError **error)
{
    struct job *job = into;
    const lag_scenario *owner = job->owner->scenario;
    const char *name;

    if (!lag_read_form(at, &lag_form_text, &name, error))
        return false;
    for (uint32_t i = 0; i + 1 < owner->n_jobs; i++)
        if (strcmp(owner->jobs[i]->job, name) == 0)
            return lag_refuse(at, error, "'%s' is already jobs[%u]; give it another name", name, i);
    g_free(job->draft.scenario->job);
    job->draft.scenario->job = g_strdup(name);
    return true;
}

static bool read_ranks(const struct lag_at *at, void *into, GError **error)
{
    struct job *job = into;
    lag_scenario *scenario = job->draft.scenario;
    const lag_scenario *owner = job->owner->scenario;

    if (!lag_read_ranks(at, job->owner, &scenario->ranks, &scenario->n_ranks, error))
        return false;
    if (scenario->n_ranks == 0)
        return lag_refuse(at, error, "is empty; a job has at least one rank");
    g_autofree uint32_t *taken = g_new0(uint32_t, scenario->n_gpus); /* by which job, plus 1 */
    for (uint32_t i = 0; i < owner->n_jobs; i++) {
        const lag_scenario *other = owner->jobs[i];
        for (uint32_t j = 0; other->ranks != NULL && j < other->n_ranks; j++) {
            uint32_t *by = &taken[other->ranks[j]];
            if (*by != 0)
                return lag_refuse(at, error, "rank %u is in jobs[%u] too; a GPU has one job",
                                  other->ranks[j], *by - 1);
            *by = i + 1;
        }
    }
    return true;
}

static bool read_workload(const struct lag_at *at, void *into, GError **error)
{
    struct job *job = into;

    return lag_read_workload(at, &job->draft, error);
}

static bool read_algorithms(const struct lag_at *at, void *into, GError **error)
{
    struct job *job = into;

    return lag_read_algorithms(at, &job->draft, error);
}

static const struct lag_key job_keys[] = {
    {.name = "name",
     .form = &lag_form_text,
     .required = true,
     .read = read_name,
     .help = "stands beside its results"},
    {.name = "ranks",
     .form = &lag_form_ranks,
     .required = true,
     .read = read_ranks,
     .help = "its GPUs; no GPU has two jobs"},
    {.name = "workload",
     .form = &lag_form_workload,
     .required = true,
     .read = read_workload,
     .help = "what its ranks do together"},
    {.name = "algorithms",
     .form = &lag_form_algorithms,
     .required = true,
     .read = read_algorithms,
     .help = "one for all runs, or as many as the other jobs have: all run their i-th together"},
    {.name = NULL                   },
};
static const struct lag_form job_form = {
    .shape = LAG_MAPPING_OF,
    .what = "a job, {name: a, ranks: 0-3, workload: {size: 1 GiB}, algorithms: [ring]}",
    .keys = job_keys};
const struct lag_form lag_form_jobs = {
    .shape = LAG_LIST_OF, .what = "a list of jobs", .item = &job_form};

static void entrant_clear(gpointer data)
{
    lag_entrant_clear(data);
}

/* All jobs have as many steps, and as many algorithms where they have several. */
static bool check_counts(const struct lag_at *at, const struct job *job, struct lag_draft *owner,
                         GError **error)
{
    struct lag_at algorithms = {at, "algorithms", 0, lag_node_get(at->node, "algorithms")};
    lag_scenario *scenario = owner->scenario;
    uint32_t n = job->draft.scenario->n_entrants;

    if (n > 1 && scenario->n_entrants > 1 && n != scenario->n_entrants)
        return lag_refuse(&algorithms, error,
                          "has %u algorithms, but another job has %u; a job has one, or as many "
                          "as the others",
                          n, scenario->n_entrants);
    scenario->n_entrants = MAX(scenario->n_entrants, n);
    if (job->draft.workload.steps != 0 && owner->workload.steps != 0 &&
        job->draft.workload.steps != owner->workload.steps) {
        g_autofree char *where = lag_place_text(owner->steps->place);
        return lag_refuse(at, error,
                          "has %" PRIu64 " steps, but another job has %" PRIu64
                          " (%s); steps begin together, so all jobs have as many",
                          job->draft.workload.steps, owner->workload.steps, where);
    }
    if (owner->workload.steps == 0) {
        owner->workload.steps = job->draft.workload.steps;
        owner->steps = job->draft.steps;
    }
    return true;
}

static bool read_job(const struct lag_at *at, struct lag_draft *owner, GError **error)
{
    g_autoptr(GArray) entrants = g_array_new(FALSE, TRUE, sizeof(struct lag_entrant));
    lag_scenario *scenario = owner->scenario, *own = g_new0(lag_scenario, 1);
    struct job job = {.draft = *owner, .owner = owner};
    size_t n;

    g_array_set_clear_func(entrants, entrant_clear);
    scenario->jobs[scenario->n_jobs++] = own; /* freed with its owner from here on */
    own->warnings = g_ptr_array_ref(scenario->warnings);
    own->job = g_strdup("");
    own->n_gpus = scenario->n_gpus;
    own->n_nodes = scenario->n_nodes;
    own->gpus_per_node = scenario->gpus_per_node;
    own->node_of = scenario->node_of;
    own->network = scenario->network;
    own->topology = scenario->topology;
    job.draft.scenario = own;
    job.draft.entrants = entrants;
    job.draft.in_job = true;
    job.draft.steps = NULL;
    job.draft.workload = (struct lag_workload_draft){0};
    if (!lag_read_form(at, &job_form, &job, error))
        return false;
    own->entrants = g_array_steal(entrants, &n);
    own->n_entrants = (uint32_t)n;
    scenario->lateness.compute = MAX(scenario->lateness.compute, own->lateness.compute);
    for (uint32_t i = 0; own->lateness.own_compute != NULL && i < own->n_gpus; i++)
        scenario->lateness.compute = MAX(scenario->lateness.compute, own->lateness.own_compute[i]);
    return check_counts(at, &job, owner, error);
}

static bool check_alone(const struct lag_at *at, const struct lag_draft *draft, GError **error)
{
    static const char *const others[] = {"workload", "algorithms"};

    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        struct lag_at other = {at->parent, others[i], 0, lag_node_get(draft->root, others[i])};
        if (other.node != NULL)
            return lag_refuse(&other, error, "each of the jobs has its own; leave this one out");
    }
    return true;
}

bool lag_read_jobs(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;
    lag_scenario *scenario = draft->scenario;

    if (!lag_expect(at, LAG_SEQUENCE, lag_form_jobs.what, error) || !check_alone(at, draft, error))
        return false;
    if (at->node->n_entries == 0)
        return lag_refuse(at, error, "the list is empty; expected %s", lag_form_jobs.what);
    if (at->node->n_entries > MOST_JOBS)
        return lag_refuse(at, error, "more than %d jobs", MOST_JOBS);
    scenario->jobs = g_new0(lag_scenario *, at->node->n_entries);
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at job = lag_at_entry(at, i);
        if (!read_job(&job, draft, error))
            return false;
    }
    scenario->n_steps = (uint32_t)MAX(draft->workload.steps, 1);
    if (draft->speed == NULL || scenario->lateness.compute > 0)
        return true;
    g_autofree char *where = lag_place_text(draft->speed->place);
    return lag_refuse(at, error,
                      "compute is 0 in all jobs, so that the speed in cluster.gpus (%s) has no "
                      "effect; give compute, for example 100 ms, or leave out speed",
                      where);
}

void lag_complete_jobs(lag_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->n_jobs; i++) {
        lag_scenario *job = scenario->jobs[i];
        lag_seconds compute = job->lateness.compute;
        const lag_seconds *own_compute = job->lateness.own_compute;
        job->lateness = scenario->lateness;
        job->lateness.compute = compute;
        job->lateness.own_compute = own_compute;
        job->name = g_strdup(scenario->name);
        job->n_steps = scenario->n_steps;
        job->n_replications = scenario->n_replications;
        job->precision = scenario->precision;
        job->seed = scenario->seed;
        job->engine = scenario->engine;
    }
}
