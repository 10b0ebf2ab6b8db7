/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/whatif-cause.h"

#include <math.h>
#include <stdlib.h>

#include "results/whatif.h"
#include "sim/job-pauses.h"
#include "sim/job-replay.h"

static lag_seconds mean_step(const lag_job *job)
{
    g_autofree lag_seconds *end = g_new(lag_seconds, lag_job_size(job));
    g_autofree lag_seconds *steps = g_new(lag_seconds, job->n_steps);

    lag_job_replay(job, job->work, end);
    lag_job_steps(job, end, steps);
    return lag_job_mean(job, steps);
}

static lag_seconds edited_step(const lag_job *job, const struct lag_job_edit *edit)
{
    g_autoptr(lag_job) edited = lag_job_edited(job, edit, NULL);

    return edited != NULL ? mean_step(edited) : mean_step(job);
}

/* Forward and backward together: the median pace of each worker, and of each stage. */
struct paces {
    lag_seconds *worker, *stage;
};

static void paces_init(struct paces *paces, const lag_job *job)
{
    size_t n_workers = (size_t)job->n_dp * job->n_stages;
    g_autofree lag_seconds *forward = lag_job_paces(job, LAG_OP_FORWARD);
    g_autofree lag_seconds *backward = lag_job_paces(job, LAG_OP_BACKWARD);
    g_autofree lag_seconds *forward_stage = lag_job_stage_paces(job, forward);
    g_autofree lag_seconds *backward_stage = lag_job_stage_paces(job, backward);

    paces->worker = g_new(lag_seconds, n_workers);
    paces->stage = g_new(lag_seconds, job->n_stages);
    for (size_t i = 0; i < n_workers; i++)
        paces->worker[i] = forward[i] + backward[i];
    for (uint32_t i = 0; i < job->n_stages; i++)
        paces->stage[i] = forward_stage[i] + backward_stage[i];
}

static void paces_clear(struct paces *paces)
{
    g_free(paces->worker);
    g_free(paces->stage);
}

struct ranked {
    double ratio; /* to the stage's pace */
    uint32_t worker;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->ratio != y->ratio)
        return x->ratio > y->ratio ? -1 : 1;
    return (x->worker > y->worker) - (x->worker < y->worker);
}

/* The slowest 3 % of the workers, by their computes, become as fast as their stage. */
static void find_worker(const lag_job *job, struct lag_whatif_cause *cause)
{
    uint32_t n_workers = job->n_dp * job->n_stages;
    g_autofree struct ranked *ranked = g_new(struct ranked, n_workers);
    struct paces paces;

    paces_init(&paces, job);
    for (uint32_t i = 0; i < n_workers; i++) {
        lag_seconds usual = paces.stage[i % job->n_stages];
        ranked[i] = (struct ranked){usual > 0 ? paces.worker[i] / usual : 1, i};
    }
    paces_clear(&paces);
    qsort(ranked, n_workers, sizeof(*ranked), compare_ranked);
    g_autoptr(lag_job) edited = NULL;
    for (uint32_t i = 0; i < (n_workers * 3 + 99) / 100; i++) {
        struct lag_job_edit edit = {.kind = LAG_EDIT_SPEED_UP, .rank = job->rank[ranked[i].worker]};
        lag_job *next = lag_job_edited(edited != NULL ? edited : job, &edit, NULL);
        lag_job_free(edited);
        edited = next;
    }
    cause->step_s = mean_step(edited);
    cause->size = ranked[0].ratio;
    cause->where = lag_whatif_worker_text(job, ranked[0].worker);
}

static void find_stage(const lag_job *job, struct lag_whatif_cause *cause)
{
    static const struct lag_job_edit edit = {.kind = LAG_EDIT_BALANCE};
    struct paces paces;
    lag_seconds sum = 0;
    uint32_t heaviest = 0;

    paces_init(&paces, job);
    for (uint32_t i = 0; i < job->n_stages; i++) {
        sum += paces.stage[i];
        heaviest = paces.stage[i] > paces.stage[heaviest] ? i : heaviest;
    }
    lag_seconds most = paces.stage[heaviest], others = sum - most;
    paces_clear(&paces);
    cause->size = others > 0 ? most * (job->n_stages - 1) / others : 1;
    cause->where = g_strdup_printf("stage %u", heaviest);
    cause->step_s = edited_step(job, &edit);
}

static void find_sequences(const lag_job *job, struct lag_whatif_cause *cause)
{
    static const struct lag_job_edit edit = {.kind = LAG_EDIT_EQUALISE};
    g_autofree double *loads = lag_job_loads(job, LAG_OP_FORWARD);
    double sum = 0, squares = 0;
    size_t n = 0;

    for (size_t i = 0; i < lag_job_size(job); i++) {
        if (job->nodes[i / job->n_lanes].kind != LAG_OP_FORWARD)
            continue;
        sum += loads[i];
        squares += loads[i] * loads[i];
        n++;
    }
    double mean = n > 0 ? sum / (double)n : 0;
    cause->size = mean > 0 ? sqrt(fmax(squares / (double)n - mean * mean, 0)) / mean : 0;
    cause->step_s = edited_step(job, &edit);
}

static void find_link(const lag_job *job, struct lag_whatif_cause *cause)
{
    struct lag_job_edit edit = {.kind = LAG_EDIT_LINK};

    edit.link = lag_job_slowest_link(job, &edit.factor);
    cause->size = edit.factor;
    if (edit.link.kind == LAG_LINK_DATA)
        cause->where =
            g_strdup_printf("between the data-parallel ranks of stage %u", edit.link.stage);
    else if (job->n_stages > 1)
        cause->where = g_strdup_printf("dp %u, stage %u to %u", edit.link.dp, edit.link.stage,
                                       (edit.link.stage + 1) % job->n_stages);
    cause->step_s = edited_step(job, &edit);
}

static void find_gc(const lag_job *job, struct lag_whatif_cause *cause)
{
    static const struct lag_job_edit edit = {.kind = LAG_EDIT_GC};
    g_autofree lag_seconds *excess = g_new(lag_seconds, lag_job_size(job));
    size_t n = lag_job_pauses(job, excess);
    lag_seconds sum = 0;

    for (size_t i = 0; i < lag_job_size(job); i++)
        sum += excess[i];
    cause->size = n > 0 ? sum / (double)n : 0;
    if (n > 0)
        cause->where = g_strdup_printf("%zu in %u steps", n, job->n_steps);
    cause->step_s = edited_step(job, &edit);
}

static const struct {
    const char *name, *unit, *what;
    void (*find)(const lag_job *job, struct lag_whatif_cause *cause);
} causes[LAG_N_CAUSES] = {
    [LAG_CAUSE_WORKER] = {"slow-worker",       "times", "its stage's median compute",        find_worker},
    [LAG_CAUSE_STAGES] = {"unequal-stages",    "times", "the other stages' mean compute",    find_stage },
    [LAG_CAUSE_SEQUENCES] = {"unequal-sequences", "share", "deviation of micro-batches' loads",
                          find_sequences                                                                },
    [LAG_CAUSE_LINK] = {"slow-link",         "times", "the usual transfer",                find_link  },
    [LAG_CAUSE_GC] = {"gc-pauses",         "s",     "mean pause",                        find_gc    },
};

void lag_whatif_cause(const lag_job *job, enum lag_cause which, struct lag_whatif_cause *cause)
{
    *cause = (struct lag_whatif_cause){
        .name = causes[which].name, .unit = causes[which].unit, .what = causes[which].what};
    causes[which].find(job, cause);
}
