/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-graph.h"

#include "sim/job-groups.h"

#define NOBODY     UINT32_MAX
#define KIND(kind) (1u << (kind))
#define COMPUTES   (KIND(LAG_OP_FORWARD) | KIND(LAG_OP_BACKWARD))

/* At work on one stage, whose nodes are first .. end - 1. */
struct builder {
    const lag_job *job;
    const struct lag_job_node *nodes;
    GArray *waits; /* of struct lag_job_pair: a node waits for another */
    uint32_t first, end;
    bool overlap; /* gradients leave while others are computed */
};

static void wait_for(struct builder *builder, uint32_t node, uint32_t other)
{
    struct lag_job_pair pair = {node, other};

    if (other != NOBODY && other != node)
        g_array_append_val(builder->waits, pair);
}

/* The stage's nodes of a set of kinds one after another, in launch order, the first of them after
 * `last`. Returns the last of all. */
static uint32_t chain(struct builder *builder, uint32_t kinds, uint32_t last)
{
    for (uint32_t i = builder->first; i < builder->end; i++) {
        if ((kinds >> builder->nodes[i].kind & 1) == 0)
            continue;
        wait_for(builder, i, last);
        last = i;
    }
    return last;
}

/* A receive waits for the compute before the one it feeds, of the same kind; a send for its own. */
static void join_transfers(struct builder *builder)
{
    uint32_t previous[2] = {NOBODY, NOBODY}; /* forward, backward */
    g_autofree uint32_t *before = g_new(uint32_t, builder->end - builder->first + 1);

    for (uint32_t i = builder->first; i < builder->end; i++) {
        if (!lag_op_is_compute(builder->nodes[i].kind))
            continue;
        before[i - builder->first] = previous[builder->nodes[i].kind];
        previous[builder->nodes[i].kind] = i;
    }
    for (uint32_t i = builder->first; i < builder->end; i++) {
        const struct lag_job_node *node = &builder->nodes[i];
        if (node->match < 0)
            continue;
        uint32_t compute = (uint32_t)node->match;
        if (node->kind == LAG_OP_FORWARD_SEND || node->kind == LAG_OP_BACKWARD_SEND) {
            wait_for(builder, i, compute);
        } else {
            wait_for(builder, compute, i);
            wait_for(builder, i, before[compute - builder->first]);
        }
    }
}

/* The first backward transfers are launched behind the last but one forward before the first
 * backward. */
static void delay_first_backward(struct builder *builder)
{
    uint32_t last = NOBODY, last_but_one = NOBODY;

    for (uint32_t i = builder->first; i < builder->end; i++) {
        if (builder->nodes[i].kind == LAG_OP_BACKWARD)
            break;
        if (builder->nodes[i].kind == LAG_OP_FORWARD) {
            last_but_one = last;
            last = i;
        }
    }
    for (uint32_t i = builder->first; i < builder->end; i++) {
        enum lag_op_kind kind = builder->nodes[i].kind;
        if ((kind == LAG_OP_BACKWARD_SEND || kind == LAG_OP_BACKWARD_RECV) &&
            builder->nodes[i].seq == 0)
            wait_for(builder, i, last_but_one);
    }
}

/* The last node of a kind for each chunk of the model: chunk -> node. */
static GHashTable *last_of_chunks(const struct builder *builder, enum lag_op_kind kind)
{
    GHashTable *last = g_hash_table_new(NULL, NULL);

    for (uint32_t i = builder->first; i < builder->end; i++)
        if (builder->nodes[i].kind == kind)
            g_hash_table_insert(last, GINT_TO_POINTER(builder->nodes[i].chunk),
                                GUINT_TO_POINTER(i));
    return last;
}

/* For each chunk of the model, the first node of one kind waits for the last of another: a forward
 * for the gather of its parameters, a scatter for the backward that makes the gradients. */
static void join_chunks(struct builder *builder, enum lag_op_kind kind, enum lag_op_kind other)
{
    g_autoptr(GHashTable) last = last_of_chunks(builder, other);
    gpointer found;

    for (uint32_t i = builder->first; i < builder->end; i++) {
        gpointer chunk = GINT_TO_POINTER(builder->nodes[i].chunk);
        if (builder->nodes[i].kind != kind ||
            !g_hash_table_lookup_extended(last, chunk, NULL, &found))
            continue;
        wait_for(builder, i, GPOINTER_TO_UINT(found));
        g_hash_table_remove(last, chunk);
    }
}

/* With overlap, what follows the computes follows the last scatter too. */
static void wait_for_scatters(struct builder *builder, uint32_t scatter)
{
    for (uint32_t i = builder->first; i < builder->end; i++) {
        enum lag_op_kind kind = builder->nodes[i].kind;
        if (kind == LAG_OP_LAYERNORM || kind == LAG_OP_EMBEDDING || kind == LAG_OP_SEPARATE_GRADS ||
            kind == LAG_OP_CLIP)
            wait_for(builder, i, scatter);
    }
}

/* From the last compute to the end of the step. */
static void join_tail(struct builder *builder)
{
    uint32_t last = NOBODY, scatter = NOBODY;

    for (uint32_t i = builder->first; i < builder->end; i++) {
        if (lag_op_is_compute(builder->nodes[i].kind))
            last = i;
        if (builder->nodes[i].kind == LAG_OP_GRADS_SCATTER)
            scatter = i;
    }
    last = chain(builder, KIND(LAG_OP_GC), last);
    if (builder->overlap)
        wait_for_scatters(builder, scatter);
    last = chain(builder, KIND(LAG_OP_LAYERNORM), last);
    last = chain(builder, KIND(LAG_OP_EMBEDDING), last);
    last =
        chain(builder, KIND(builder->overlap ? LAG_OP_SEPARATE_GRADS : LAG_OP_GRADS_SCATTER), last);
    last = chain(builder, KIND(LAG_OP_CLIP), last);
    chain(builder, KIND(LAG_OP_OPTIMIZER), last);
}

static void join_stage(struct builder *builder)
{
    chain(builder, COMPUTES, NOBODY);
    for (enum lag_op_kind kind = LAG_OP_FORWARD_SEND; kind <= LAG_OP_BACKWARD_RECV; kind++)
        chain(builder, KIND(kind), NOBODY);
    join_transfers(builder);
    delay_first_backward(builder);
    chain(builder, KIND(LAG_OP_PARAMS_GATHER) | KIND(LAG_OP_GRADS_SCATTER), NOBODY);
    join_chunks(builder, LAG_OP_FORWARD, LAG_OP_PARAMS_GATHER);
    if (builder->overlap)
        join_chunks(builder, LAG_OP_GRADS_SCATTER, LAG_OP_BACKWARD);
    join_tail(builder);
}

bool lag_job_graph(lag_job *job, GError **error)
{
    g_autoptr(GArray) waits = g_array_new(FALSE, FALSE, sizeof(struct lag_job_pair));
    struct builder builder = {.job = job, .nodes = job->nodes, .waits = waits};

    for (uint32_t i = 0; i < job->n_nodes; i++)
        builder.overlap = builder.overlap || job->nodes[i].kind == LAG_OP_SEPARATE_GRADS;
    while (builder.first < job->n_nodes) {
        uint32_t stage = job->nodes[builder.first].stage;
        while (builder.end < job->n_nodes && job->nodes[builder.end].stage == stage)
            builder.end++;
        join_stage(&builder);
        builder.first = builder.end;
    }
    lag_job_lists_clear(&job->waits_for);
    lag_job_lists_init(&job->waits_for, waits, job->n_nodes);
    return lag_job_group(job, error);
}
