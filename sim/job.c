/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/job-clock.h"
#include "sim/job-graph.h"
#include "sim/job-groups.h"
#include "sim/job-match.h"
#include "sim/job-work.h"
#include "sim/laggard.h"

/* The operations, sorted, and where each step begins. */
struct sorted {
    const struct lag_op *ops;
    size_t n_ops;
    GArray *first; /* of size_t: the steps' first operations, and n_ops */
};

void lag_job_free(lag_job *job)
{
    if (job == NULL)
        return;
    lag_job_lists_clear(&job->waits_for);
    lag_job_lists_clear(&job->members);
    g_free(job->step);
    g_free(job->rank);
    g_free(job->nodes);
    g_free(job->start);
    g_free(job->duration);
    g_free(job->work);
    g_free(job->wall);
    g_free(job->clock);
    g_free(job);
}

static bool refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool refuse(GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s", message);
    return false;
}

#define COMPARE(x, y, member)                                                                      \
    if ((x)->member != (y)->member)                                                                \
    return (x)->member < (y)->member ? -1 : 1

/* Within a step: by stage, rank of the data, kind, number. */
static int compare_keys(const struct lag_op *x, const struct lag_op *y)
{
    COMPARE(x, y, dp);
    COMPARE(x, y, stage);
    COMPARE(x, y, kind);
    COMPARE(x, y, seq);
    return 0;
}

static int compare_ops(const void *a, const void *b)
{
    const struct lag_op *x = a, *y = b;
    int order;

    COMPARE(x, y, step);
    order = compare_keys(x, y);
    if (order != 0)
        return order;
    COMPARE(x, y, line);
    return 0;
}

static bool check_twice(const struct sorted *sorted, GError **error)
{
    for (size_t i = 1; i < sorted->n_ops; i++) {
        const struct lag_op *op = &sorted->ops[i];
        if (op->step == op[-1].step && compare_keys(op, &op[-1]) == 0)
            return refuse(error,
                          "line %u: %s %u of step %u, dp_rank %u, stage %u stands on line %u too",
                          op->line, lag_op_types[op->kind].name, op->seq, op->step, op->dp,
                          op->stage, op[-1].line);
    }
    return true;
}

static const struct lag_op *step_ops(const struct sorted *sorted, guint step, size_t *ret_n)
{
    size_t first = g_array_index(sorted->first, size_t, step);

    *ret_n = g_array_index(sorted->first, size_t, step + 1) - first;
    return sorted->ops + first;
}

static bool same_operations(const struct sorted *sorted, guint a, guint b)
{
    size_t n_a, n_b;
    const struct lag_op *x = step_ops(sorted, a, &n_a), *y = step_ops(sorted, b, &n_b);
    bool same = n_a == n_b;

    for (size_t i = 0; i < n_a && same; i++)
        same = compare_keys(&x[i], &y[i]) == 0;
    return same;
}

/* The first of the steps that have the same operations as most others (Boyer and Moore's majority
 * vote, and where nobody has it, the first of the largest steps). */
static guint choose_step(const struct sorted *sorted)
{
    guint n = sorted->first->len - 1, candidate = 0, n_votes = 0, n_same = 0, first = 0;
    size_t most = 0, n_ops;

    for (guint i = 0; i < n; i++) {
        if (n_votes == 0)
            candidate = i;
        n_votes = same_operations(sorted, i, candidate) ? n_votes + 1 : n_votes - 1;
    }
    for (guint i = n; i-- > 0;) {
        if (!same_operations(sorted, i, candidate))
            continue;
        first = i;
        n_same++;
    }
    if (n_same > n / 2)
        return first;
    for (guint i = 0; i < n; i++) {
        step_ops(sorted, i, &n_ops);
        first = n_ops > most ? i : first;
        most = MAX(most, n_ops);
    }
    return first;
}

/* Each worker of the chosen step does what data-parallel rank 0 of its stage does. */
static bool check_workers(const struct lag_op *ops, size_t n, lag_job *job, GError **error)
{
    size_t n_model = 0, n_workers = (size_t)job->n_dp * job->n_stages;

    while (n_model < n && ops[n_model].dp == 0)
        n_model++;
    for (size_t i = 0; i < n_model; i++)
        if (ops[i].stage > (i > 0 ? ops[i - 1].stage + 1 : 0))
            return refuse(error, "step %u: dp_rank 0 lacks stage %u", ops->step,
                          i > 0 ? ops[i - 1].stage + 1 : 0);
    if (n_model == 0 || ops[n_model - 1].stage + 1 != job->n_stages)
        return refuse(error, "step %u: dp_rank 0 lacks stage %u of %u", ops->step,
                      n_model > 0 ? ops[n_model - 1].stage + 1 : 0, job->n_stages);
    for (size_t i = n_model; i < MAX(n, n_model * job->n_dp); i++) {
        struct lag_op model = ops[i % n_model];
        model.dp = (uint32_t)(i / n_model);
        int order = i < n ? compare_keys(&model, &ops[i]) : -1;
        const struct lag_op *odd = order < 0 ? &model : &ops[i];
        if (order != 0)
            return refuse(error,
                          "step %u: dp_rank %u, stage %u has %s %s %u, and dp_rank 0 has %s; all "
                          "data-parallel ranks must do the same",
                          ops->step, odd->dp, odd->stage, order < 0 ? "no" : "a",
                          lag_op_types[odd->kind].name, odd->seq, order < 0 ? "one" : "none");
    }
    job->rank = g_new(uint32_t, n_workers);
    job->n_nodes = (uint32_t)n_model;
    return true;
}

static int compare_launches(const void *a, const void *b)
{
    const struct lag_op *x = *(const struct lag_op *const *)a;
    const struct lag_op *y = *(const struct lag_op *const *)b;

    COMPARE(x, y, stage);
    COMPARE(x, y, start);
    COMPARE(x, y, seq);
    return strcmp(lag_op_types[x->kind].name, lag_op_types[y->kind].name);
}

/* The nodes, in launch order; returns where each operation of a data-parallel rank goes. */
static uint32_t *make_nodes(lag_job *job, const struct lag_op *ops)
{
    g_autofree const struct lag_op **launches = g_new(const struct lag_op *, job->n_nodes);
    uint32_t *node_of = g_new(uint32_t, job->n_nodes);

    for (uint32_t i = 0; i < job->n_nodes; i++)
        launches[i] = &ops[i];
    qsort((void *)launches, job->n_nodes, sizeof(*launches), compare_launches);
    job->nodes = g_new0(struct lag_job_node, job->n_nodes);
    for (uint32_t i = 0; i < job->n_nodes; i++) {
        const struct lag_op *op = launches[i];
        node_of[op - ops] = i;
        job->nodes[i] = (struct lag_job_node){.kind = op->kind,
                                              .stage = op->stage,
                                              .seq = op->seq,
                                              .chunk = op->chunk,
                                              .model_chunk = op->model_chunk,
                                              .batch = op->batch,
                                              .match = -1};
    }
    return node_of;
}

/* The times of the chosen step, and of those like it. */
static void take_steps(lag_job *job, const struct sorted *sorted, guint chosen,
                       const uint32_t *node_of)
{
    guint n = sorted->first->len - 1;
    g_autofree bool *alike = g_new(bool, n);
    uint32_t step = 0;
    size_t n_ops;

    for (guint i = 0; i < n; i++) {
        alike[i] = same_operations(sorted, i, chosen);
        if (!alike[i] && job->n_left_out++ == 0)
            job->left_out = step_ops(sorted, i, &n_ops)->step;
    }
    job->n_steps = n - job->n_left_out;
    job->n_lanes = job->n_steps * job->n_dp;
    job->step = g_new(uint32_t, job->n_steps);
    job->start = g_new(lag_seconds, lag_job_size(job));
    job->duration = g_new(lag_seconds, lag_job_size(job));
    for (guint i = 0; i < n; i++) {
        const struct lag_op *ops = step_ops(sorted, i, &n_ops);
        if (!alike[i])
            continue;
        job->step[step] = ops->step;
        for (size_t j = 0; j < n_ops; j++) {
            uint32_t lane = step * job->n_dp + ops[j].dp;
            size_t at = (size_t)node_of[j % job->n_nodes] * job->n_lanes + lane;
            job->start[at] = ops[j].start;
            job->duration[at] = ops[j].duration;
        }
        step++;
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static bool check_ranks(const lag_job *job, GError **error)
{
    uint32_t n = job->n_dp * job->n_stages;
    g_autofree uint32_t *ranks = g_memdup2(job->rank, n * sizeof(*ranks));

    qsort(ranks, n, sizeof(*ranks), compare_numbers);
    for (uint32_t i = 1; i < n; i++)
        if (ranks[i] == ranks[i - 1])
            return refuse(error, "rank %u is given to two workers (dp_rank and stage)", ranks[i]);
    return true;
}

/* A worker is one rank, in all steps, and its alone. */
static bool take_ranks(lag_job *job, const struct sorted *sorted, guint chosen, GError **error)
{
    size_t n;
    const struct lag_op *chosen_ops = step_ops(sorted, chosen, &n);

    for (size_t i = 0; i < n; i++)
        job->rank[(size_t)chosen_ops[i].dp * job->n_stages + chosen_ops[i].stage] =
            chosen_ops[i].rank;
    for (size_t i = 0; i < sorted->n_ops; i++) {
        const struct lag_op *op = &sorted->ops[i];
        uint32_t rank = job->rank[(size_t)op->dp * job->n_stages + op->stage];
        if (rank != op->rank)
            return refuse(error,
                          "line %u: dp_rank %u, stage %u is rank %u here, and rank %u elsewhere",
                          op->line, op->dp, op->stage, op->rank, rank);
    }
    return check_ranks(job, error);
}

static bool build(lag_job *job, const struct sorted *sorted, GError **error)
{
    guint chosen = choose_step(sorted);
    size_t n;
    const struct lag_op *ops = step_ops(sorted, chosen, &n);

    if (!check_workers(ops, n, job, error) || !take_ranks(job, sorted, chosen, error))
        return false;
    g_autofree uint32_t *node_of = make_nodes(job, ops);
    take_steps(job, sorted, chosen, node_of);
    lag_job_align(job);
    lag_job_take_start(job);
    if (!lag_job_match(job, error) || !lag_job_graph(job, error))
        return false;
    lag_job_take_work(job);
    return true;
}

lag_job *lag_job_new(struct lag_op *ops, size_t n_ops, GError **error)
{
    g_autoptr(lag_job) job = g_new0(lag_job, 1);
    g_autoptr(GArray) first = g_array_new(FALSE, FALSE, sizeof(size_t));
    struct sorted sorted = {ops, n_ops, first};

    assert(n_ops > 0 && n_ops < INT32_MAX);
    qsort(ops, n_ops, sizeof(*ops), compare_ops);
    for (size_t i = 0; i <= n_ops; i++)
        if (i == 0 || i == n_ops || ops[i].step != ops[i - 1].step)
            g_array_append_val(first, i);
    for (size_t i = 0; i < n_ops; i++) {
        job->n_dp = MAX(job->n_dp, ops[i].dp + 1);
        job->n_stages = MAX(job->n_stages, ops[i].stage + 1);
    }
    if (job->n_dp > LAG_MOST_PARALLEL || job->n_stages > LAG_MOST_PARALLEL) {
        refuse(error, "dp_rank and stage may be at most %d", LAG_MOST_PARALLEL - 1);
        return NULL;
    }
    if ((uint64_t)job->n_dp * job->n_stages > n_ops) {
        refuse(error, "%u data-parallel ranks x %u stages, but %zu operations: ranks are missing",
               job->n_dp, job->n_stages, n_ops);
        return NULL;
    }
    if (!check_twice(&sorted, error) || !build(job, &sorted, error))
        return NULL;
    return g_steal_pointer(&job);
}
