/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-resize.h"

#include <inttypes.h>

#include "sim/job-graph.h"
#include "sim/laggard.h"

#define MOST_WORK ((uint64_t)1 << 28) /* operations of a changed job */

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

/* New ranks have numbers behind the old ones. */
static void number_ranks(lag_job *job, uint32_t n_dp)
{
    uint32_t n_old = job->n_dp * job->n_stages, n_new = n_dp * job->n_stages, next = 0;
    uint32_t *rank = g_new(uint32_t, n_new);

    for (uint32_t i = 0; i < n_old; i++)
        next = MAX(next, job->rank[i] + 1);
    for (uint32_t i = 0; i < n_new; i++)
        rank[i] = i < n_old ? job->rank[i] : next++;
    g_free(job->rank);
    job->rank = rank;
    g_free(job->clock);
    job->clock = g_new0(lag_seconds, n_new);
}

bool lag_job_resize_dp(lag_job *job, const struct lag_job_edit *edit, GError **error)
{
    uint32_t n_old = job->n_dp, n_new = edit->count;
    static const struct lag_job_link data = {LAG_LINK_DATA, LAG_EVERY, LAG_EVERY};
    double ring = 1;

    if (n_old == 1 && n_new > 1)
        return refuse(error, "the trace has one data-parallel rank: no gather or scatter was "
                             "measured");
    if ((uint64_t)n_new * job->n_steps * job->n_nodes > MOST_WORK)
        return refuse(error, "more than %" PRIu64 " operations", MOST_WORK);
    if (n_old > 1)
        ring = ((n_new - 1.0) / n_new) / ((n_old - 1.0) / n_old);
    lag_seconds *work = g_new(lag_seconds, (size_t)job->n_nodes * job->n_steps * n_new);
    size_t at = 0;
    for (uint32_t node = 0; node < job->n_nodes; node++) {
        double by = lag_job_uses(job, &data, node, 0) ? ring : 1;
        for (uint32_t step = 0; step < job->n_steps; step++)
            for (uint32_t dp = 0; dp < n_new; dp++)
                work[at++] =
                    by * job->work[(size_t)node * job->n_lanes + step * n_old + dp % n_old];
    }
    g_free(job->work);
    job->work = work;
    number_ranks(job, n_new);
    job->n_dp = n_new;
    job->n_lanes = job->n_steps * n_new;
    return lag_job_graph(job, error);
}

/* A job with another number of micro-batches, in the making. */
struct resizing {
    const lag_job *job;
    uint32_t first, end;    /* the nodes of the stage at work */
    uint32_t n_old, n_new;  /* micro-batches */
    bool forwards_first;    /* all of them, before any backward */
    GArray *nodes, *source; /* the new nodes, and the old ones whose work they do */
};

/* The stage's nodes of a kind, without idle transfers. */
static GArray *nodes_of(const struct resizing *at, enum lag_op_kind kind)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = at->first; i < at->end; i++)
        if (at->job->nodes[i].kind == kind && !at->job->nodes[i].idle)
            g_array_append_val(found, i);
    return found;
}

/* The k-th node of a kind; returns its index. */
static uint32_t add(struct resizing *at, const GArray *old, uint32_t k, int32_t match)
{
    uint32_t source = g_array_index(old, uint32_t, k % old->len);
    struct lag_job_node node = at->job->nodes[source];

    node.seq = k;
    node.batch = lag_op_is_compute(node.kind) ? (int32_t)k : node.batch;
    node.match = match;
    g_array_append_val(at->nodes, node);
    g_array_append_val(at->source, source);
    return at->nodes->len - 1;
}

/* How many forwards stand before the first backward. */
static uint32_t count_warm_up(const struct resizing *at)
{
    uint32_t n = 0;

    for (uint32_t i = at->first; i < at->end && at->job->nodes[i].kind != LAG_OP_BACKWARD; i++)
        n += at->job->nodes[i].kind == LAG_OP_FORWARD;
    return n;
}

/* True where the i-th compute of a stage is a forward, with that warm-up and n micro-batches: after
 * the warm-up, backwards and forwards in turn. */
static bool is_forward(uint32_t i, uint32_t warm_up, uint32_t n)
{
    return i < warm_up || (i < 2 * n - warm_up && (i - warm_up) % 2 == 1);
}

static bool check_stage(const struct resizing *at, GError **error)
{
    uint32_t warm_up = count_warm_up(at), n = 0, n_backward = 0;
    uint32_t stage = at->job->nodes[at->first].stage;
    int32_t chunk = -2;

    for (uint32_t i = at->first; i < at->end; i++) {
        const struct lag_job_node *node = &at->job->nodes[i];
        if (!lag_op_is_compute(node->kind))
            continue;
        if (chunk != -2 && node->chunk != chunk)
            return refuse(error,
                          "stage %u has several chunks of the model (an interleaved "
                          "schedule); only 1F1B can be lengthened",
                          stage);
        chunk = node->chunk;
        n_backward += node->kind == LAG_OP_BACKWARD;
        if ((node->kind == LAG_OP_FORWARD) != is_forward(n++, warm_up, at->n_old))
            return refuse(error, "the computes of stage %u are in another order than 1F1B", stage);
    }
    if (n != 2 * at->n_old || n_backward != at->n_old)
        return refuse(error,
                      "stage %u has %u computes, which is not twice the first stage's %u "
                      "micro-batches",
                      stage, n, at->n_old);
    for (enum lag_op_kind kind = LAG_OP_FORWARD_SEND; kind <= LAG_OP_BACKWARD_RECV; kind++) {
        g_autoptr(GArray) transfers = nodes_of(at, kind);
        if (transfers->len != 0 && transfers->len != at->n_old)
            return refuse(error, "stage %u has %u %s for %u micro-batches", stage, transfers->len,
                          lag_op_types[kind].name, at->n_old);
    }
    return true;
}

static uint32_t new_warm_up(const struct resizing *at)
{
    uint32_t warm_up = count_warm_up(at);
    uint32_t full = at->job->n_stages - at->job->nodes[at->first].stage;

    if (at->forwards_first)
        return at->n_new;
    return MIN(at->n_new, warm_up == at->n_old ? MAX(warm_up, full) : warm_up);
}

static void lengthen_stage(struct resizing *at)
{
    g_autoptr(GArray) forward = nodes_of(at, LAG_OP_FORWARD);
    g_autoptr(GArray) backward = nodes_of(at, LAG_OP_BACKWARD);
    g_autofree uint32_t *forwards = g_new(uint32_t, at->n_new);
    g_autofree uint32_t *backwards = g_new(uint32_t, at->n_new);
    uint32_t warm_up = new_warm_up(at), n_forward = 0, n_backward = 0;

    for (uint32_t i = at->first; i < at->end; i++) {
        enum lag_op_kind kind = at->job->nodes[i].kind;
        if (lag_op_is_compute(kind) || lag_op_is_p2p(kind))
            continue;
        g_array_append_val(at->nodes, at->job->nodes[i]);
        g_array_append_val(at->source, i);
    }
    for (uint32_t i = 0; i < 2 * at->n_new; i++) {
        if (is_forward(i, warm_up, at->n_new)) {
            forwards[n_forward] = add(at, forward, n_forward, -1);
            n_forward++;
        } else {
            backwards[n_backward] = add(at, backward, n_backward, -1);
            n_backward++;
        }
    }
    for (enum lag_op_kind kind = LAG_OP_FORWARD_SEND; kind <= LAG_OP_BACKWARD_RECV; kind++) {
        g_autoptr(GArray) old = nodes_of(at, kind);
        const uint32_t *computes = kind <= LAG_OP_FORWARD_RECV ? forwards : backwards;
        for (uint32_t k = 0; old->len > 0 && k < at->n_new; k++)
            add(at, old, k, (int32_t)computes[k]);
    }
}

/* Goes on to the next stage; false after the last. */
static bool next_stage(struct resizing *at)
{
    at->first = at->end;
    while (at->end < at->job->n_nodes &&
           at->job->nodes[at->end].stage == at->job->nodes[at->first].stage)
        at->end++;
    return at->first < at->job->n_nodes;
}

static void take_over(lag_job *job, const struct resizing *at)
{
    lag_seconds *work = g_new(lag_seconds, (size_t)at->nodes->len * job->n_lanes);

    for (guint i = 0; i < at->nodes->len; i++) {
        uint32_t source = g_array_index(at->source, uint32_t, i);
        for (uint32_t lane = 0; lane < job->n_lanes; lane++)
            work[(size_t)i * job->n_lanes + lane] = job->work[(size_t)source * job->n_lanes + lane];
    }
    g_free(job->work);
    job->work = work;
    g_free(job->nodes);
    job->n_nodes = at->nodes->len;
    job->nodes = g_memdup2(at->nodes->data, at->nodes->len * sizeof(*job->nodes));
}

bool lag_job_resize_batches(lag_job *job, const struct lag_job_edit *edit, GError **error)
{
    g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(struct lag_job_node));
    g_autoptr(GArray) source = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    struct resizing at = {.job = job, .n_new = edit->count, .nodes = nodes, .source = source};

    while (next_stage(&at)) {
        if (at.first == 0) {
            g_autoptr(GArray) forward = nodes_of(&at, LAG_OP_FORWARD);
            at.n_old = forward->len;
        }
        if (!check_stage(&at, error))
            return false;
        at.forwards_first = at.n_old > 1 && count_warm_up(&at) == at.n_old; /* the last's */
    }
    if (at.n_old == 0)
        return refuse(error, "the trace has no forward-compute");
    if (((uint64_t)edit->count * 6 * job->n_stages + job->n_nodes) * job->n_lanes > MOST_WORK)
        return refuse(error, "more than %" PRIu64 " operations", MOST_WORK);
    at.first = at.end = 0;
    while (next_stage(&at))
        lengthen_stage(&at);
    take_over(job, &at);
    return lag_job_graph(job, error);
}
