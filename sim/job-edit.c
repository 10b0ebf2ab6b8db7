/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-edit.h"

#include "sim/job-pauses.h"
#include "sim/job-resize.h"
#include "sim/laggard.h"

static void *copy_of(const void *data, size_t n, size_t size)
{
    return data != NULL ? g_memdup2(data, n * size) : NULL;
}

static lag_job *copy_job(const lag_job *job)
{
    lag_job *copy = g_memdup2(job, sizeof(*job));
    size_t n_workers = (size_t)job->n_dp * job->n_stages;
    uint32_t n_waits = job->waits_for.first[job->n_nodes];

    copy->start = NULL;
    copy->duration = NULL;
    copy->wall = NULL;
    copy->step = copy_of(job->step, job->n_steps, sizeof(*job->step));
    copy->rank = copy_of(job->rank, n_workers, sizeof(*job->rank));
    copy->clock = copy_of(job->clock, n_workers, sizeof(*job->clock));
    copy->nodes = copy_of(job->nodes, job->n_nodes, sizeof(*job->nodes));
    copy->work = copy_of(job->work, lag_job_size(job), sizeof(*job->work));
    copy->waits_for.first = copy_of(job->waits_for.first, (size_t)job->n_nodes + 1, 4);
    copy->waits_for.item = copy_of(job->waits_for.item, (size_t)n_waits + 1, 4);
    copy->members.first = copy_of(job->members.first, (size_t)job->n_groups + 1, 4);
    copy->members.item = copy_of(job->members.item, (size_t)job->n_nodes + 1, 4);
    return copy;
}

/* Multiplies the work of one data-parallel rank (or LAG_EVERY) at a node. */
static void scale(lag_job *job, uint32_t node, uint32_t dp, double by)
{
    for (uint32_t lane = 0; lane < job->n_lanes; lane++)
        if (dp == LAG_EVERY || lane % job->n_dp == dp)
            job->work[(size_t)node * job->n_lanes + lane] *= by;
}

static bool speed_up(lag_job *job, const struct lag_job_edit *edit, GError **error)
{
    uint32_t n_workers = job->n_dp * job->n_stages, worker = 0;

    while (worker < n_workers && job->rank[worker] != edit->rank)
        worker++;
    if (worker == n_workers) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "the trace has no rank %u",
                    edit->rank);
        return false;
    }
    for (enum lag_op_kind kind = LAG_OP_FORWARD; kind <= LAG_OP_BACKWARD; kind++) {
        g_autofree lag_seconds *paces = lag_job_paces(job, kind);
        g_autofree lag_seconds *usual = lag_job_stage_paces(job, paces);
        uint32_t stage = worker % job->n_stages;
        double by = 1 / edit->factor;
        if (edit->factor == 0)
            by = paces[worker] > 0 ? usual[stage] / paces[worker] : 1;
        for (uint32_t i = 0; i < job->n_nodes; i++)
            if (job->nodes[i].kind == kind && job->nodes[i].stage == stage)
                scale(job, i, worker / job->n_stages, by);
    }
    return true;
}

static bool balance_stages(lag_job *job, const struct lag_job_edit *edit, GError **error)
{
    (void)edit;
    (void)error;
    for (enum lag_op_kind kind = LAG_OP_FORWARD; kind <= LAG_OP_BACKWARD; kind++) {
        g_autofree lag_seconds *paces = lag_job_paces(job, kind);
        g_autofree lag_seconds *usual = lag_job_stage_paces(job, paces);
        lag_seconds sum = 0;
        for (uint32_t stage = 0; stage < job->n_stages; stage++)
            sum += usual[stage];
        for (uint32_t i = 0; i < job->n_nodes; i++) {
            lag_seconds own = usual[job->nodes[i].stage];
            if (job->nodes[i].kind == kind && own > 0)
                scale(job, i, LAG_EVERY, sum / job->n_stages / own);
        }
    }
    return true;
}

static bool equalise_sequences(lag_job *job, const struct lag_job_edit *edit, GError **error)
{
    (void)edit;
    (void)error;
    for (enum lag_op_kind kind = LAG_OP_FORWARD; kind <= LAG_OP_BACKWARD; kind++) {
        g_autofree double *loads = lag_job_loads(job, kind);
        g_autofree double *mean = g_new0(double, job->n_steps);
        uint32_t n = 0;
        for (uint32_t i = 0; i < job->n_nodes; i++) {
            n += job->nodes[i].kind == kind ? job->n_dp : 0;
            for (uint32_t lane = 0; job->nodes[i].kind == kind && lane < job->n_lanes; lane++)
                mean[lane / job->n_dp] += loads[(size_t)i * job->n_lanes + lane];
        }
        for (uint32_t i = 0; i < job->n_nodes; i++) {
            for (uint32_t lane = 0; job->nodes[i].kind == kind && lane < job->n_lanes; lane++) {
                size_t at = (size_t)i * job->n_lanes + lane;
                if (loads[at] > 0)
                    job->work[at] *= mean[lane / job->n_dp] / n / loads[at];
            }
        }
    }
    return true;
}

static bool scale_link(lag_job *job, const struct lag_job_edit *edit, GError **error)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < job->n_nodes; i++) {
        for (uint32_t dp = 0; dp < job->n_dp; dp++) {
            if (!lag_job_uses(job, &edit->link, i, dp))
                continue;
            scale(job, i, dp, 1 / edit->factor);
            n++;
        }
    }
    if (n == 0)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "the trace has no transfer on such a link (%u data-parallel ranks, %u stages)",
                    job->n_dp, job->n_stages);
    return n > 0;
}

static bool remove_gc(lag_job *job, const struct lag_job_edit *edit, GError **error)
{
    g_autofree lag_seconds *excess = g_new(lag_seconds, lag_job_size(job));

    (void)edit;
    (void)error;
    lag_job_pauses(job, excess);
    for (size_t i = 0; i < lag_job_size(job); i++)
        job->work[i] -= excess[i];
    return true;
}

const struct lag_edit_type lag_edit_types[LAG_N_EDIT_KINDS] = {
    [LAG_EDIT_SPEED_UP] = {"speed-up",
                           "the worker's computes scale alike; without a factor they take what is "
                           "the median of their stage",                                           speed_up              },
    [LAG_EDIT_BALANCE] = {"balance-stages",
                           "layers can be divided freely: every stage's median compute becomes the "
                          "mean of all stages",                                                   balance_stages        },
    [LAG_EDIT_EQUALISE] = {"equalise-sequences",
                           "what the stages' computes of a micro-batch have in common is its "
                           "sequences, dealt evenly to all micro-batches of the step",            equalise_sequences    },
    [LAG_EDIT_LINK] = {"scale-link",
                           "a transfer's time goes with 1 / bandwidth: latency does not count",   scale_link            },
    [LAG_EDIT_GC] = {"remove-gc",
                           "forward computes beyond 1.5 x their worker's and micro-batch's usual are "
                     "pauses; the excess goes, and gc operations take no time",                   remove_gc             },
    [LAG_EDIT_DATA_PARALLEL] =
        {"data-parallel",
                           "each rank keeps its micro-batches, so that the global batch grows; "
         "new ranks are like those measured; gathers and scatters are rings",                     lag_job_resize_dp     },
    [LAG_EDIT_BATCHES] = {"micro-batches",
                           "the same 1F1B order, and micro-batches like those measured, in turn", lag_job_resize_batches},
};

lag_job *lag_job_edited(const lag_job *job, const struct lag_job_edit *edit, GError **error)
{
    g_autoptr(lag_job) copy = copy_job(job);
    g_autofree char *text = NULL;

    if (lag_edit_types[edit->kind].apply(copy, edit, error))
        return g_steal_pointer(&copy);
    text = lag_job_edit_text(edit);
    g_prefix_error(error, "%s: ", text);
    return NULL;
}

static char *link_text(const struct lag_job_edit *edit)
{
    g_autoptr(GString) text = g_string_new(NULL);

    g_string_append_printf(text, "link: %s",
                           edit->link.kind == LAG_LINK_DATA ? "data" : "pipeline");
    if (edit->link.dp != LAG_EVERY)
        g_string_append_printf(text, ", dp: %u", edit->link.dp);
    if (edit->link.stage != LAG_EVERY)
        g_string_append_printf(text, ", stage: %u", edit->link.stage);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

char *lag_job_edit_text(const struct lag_job_edit *edit)
{
    const char *name = lag_edit_types[edit->kind].name;
    g_autofree char *link = link_text(edit);

    if (edit->kind == LAG_EDIT_SPEED_UP && edit->factor == 0)
        return g_strdup_printf("%s: {rank: %u}", name, edit->rank);
    if (edit->kind == LAG_EDIT_SPEED_UP)
        return g_strdup_printf("%s: {rank: %u, factor: %g}", name, edit->rank, edit->factor);
    if (edit->kind == LAG_EDIT_LINK)
        return g_strdup_printf("%s: {%s, factor: %g}", name, link, edit->factor);
    if (edit->kind == LAG_EDIT_DATA_PARALLEL)
        return g_strdup_printf("%s: {ranks: %u}", name, edit->count);
    if (edit->kind == LAG_EDIT_BATCHES)
        return g_strdup_printf("%s: {count: %u}", name, edit->count);
    return g_strdup(name);
}
