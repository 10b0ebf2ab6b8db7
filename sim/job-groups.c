/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-groups.h"

#include <stdlib.h>
#include <string.h>

#include "sim/laggard.h"

#define NOBODY      UINT32_MAX
#define MOST_QUOTED 6 /* operations of a circle in a message */

static int compare_pairs(const void *a, const void *b)
{
    const struct lag_job_pair *x = a, *y = b;

    if (x->list != y->list)
        return x->list < y->list ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

void lag_job_lists_init(struct lag_job_lists *lists, GArray *pairs, uint32_t n)
{
    const struct lag_job_pair *pair = (const struct lag_job_pair *)(void *)pairs->data;

    if (pairs->len > 0)
        qsort(pairs->data, pairs->len, sizeof(struct lag_job_pair), compare_pairs);
    lists->first = g_new0(uint32_t, (size_t)n + 1);
    lists->item = g_new(uint32_t, (size_t)pairs->len + 1);
    for (guint i = 0; i < pairs->len; i++) {
        lists->first[pair[i].list + 1]++;
        lists->item[i] = pair[i].item;
    }
    for (uint32_t i = 0; i < n; i++)
        lists->first[i + 1] += lists->first[i];
}

void lag_job_lists_clear(struct lag_job_lists *lists)
{
    g_clear_pointer(&lists->first, g_free);
    g_clear_pointer(&lists->item, g_free);
}

/* What tells the operations of one group from others: those of one key end together. */
struct place {
    uint32_t kind, stage, number; /* the kind of a pair's sender, the sender's stage */
    uint32_t node;
};

static int compare_keys(const struct place *x, const struct place *y)
{
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = compare_keys(x, y);

    return order != 0 ? order : (x->node > y->node) - (x->node < y->node);
}

/* The n-th transfer from one stage to the next is the n-th send and the n-th receive. */
static struct place place_transfer(const lag_job *job, uint32_t node, uint32_t number)
{
    const struct lag_job_node *at = &job->nodes[node];
    uint32_t next = (at->stage + 1) % job->n_stages;
    uint32_t before = (at->stage + job->n_stages - 1) % job->n_stages;
    bool forward = at->kind == LAG_OP_FORWARD_SEND || at->kind == LAG_OP_FORWARD_RECV;
    bool sends = at->kind == LAG_OP_FORWARD_SEND || at->kind == LAG_OP_BACKWARD_SEND;
    uint32_t sender = forward ? before : next;

    return (struct place){.kind = forward ? LAG_OP_FORWARD_SEND : LAG_OP_BACKWARD_SEND,
                          .stage = sends ? at->stage : sender,
                          .number = number,
                          .node = node};
}

/* The clipping of gradients is everybody's, the embedding's gradients are the first and last
 * stage's; all others are within a stage, with all data-parallel ranks or alone. */
static struct place *place_all(const lag_job *job)
{
    struct place *places = g_new(struct place, (size_t)job->n_nodes + 1);
    uint32_t number[LAG_N_OP_KINDS] = {0};

    for (uint32_t i = 0; i < job->n_nodes; i++) {
        const struct lag_job_node *node = &job->nodes[i];
        if (i > 0 && node->stage != job->nodes[i - 1].stage)
            memset(number, 0, sizeof(number));
        if (lag_op_is_p2p(node->kind) && !node->idle)
            places[i] = place_transfer(job, i, number[node->kind]++);
        else if (node->kind == LAG_OP_CLIP || node->kind == LAG_OP_EMBEDDING)
            places[i] = (struct place){node->kind, 0, node->seq, i};
        else
            places[i] = (struct place){LAG_N_OP_KINDS, 0, i, i};
    }
    return places;
}

static bool check_pair(const lag_job *job, const struct place *place, uint32_t n, GError **error)
{
    const struct lag_job_node *node = &job->nodes[place->node];

    if (!lag_op_is_p2p(place->kind) ||
        (n == 2 && job->nodes[place[0].node].kind != job->nodes[place[1].node].kind))
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "%s %u of stage %u has no other end: operations of one of its neighbours are "
                "missing",
                lag_op_types[node->kind].name, node->seq, node->stage);
    return false;
}

/* Numbers the groups as they come; pairs of (group, node). */
static GArray *number_groups(lag_job *job, GError **error)
{
    g_autofree struct place *places = place_all(job);
    g_autoptr(GArray) pairs = g_array_new(FALSE, FALSE, sizeof(struct lag_job_pair));
    uint32_t n;

    qsort(places, job->n_nodes, sizeof(*places), compare_places);
    job->n_groups = 0;
    for (uint32_t i = 0; i < job->n_nodes; i += n, job->n_groups++) {
        for (n = 0; i + n < job->n_nodes && compare_keys(&places[i], &places[i + n]) == 0; n++) {
            struct lag_job_pair pair = {job->n_groups, places[i + n].node};
            g_array_append_val(pairs, pair);
            job->nodes[pair.item].group = pair.list;
        }
        if (!check_pair(job, &places[i], n, error))
            return NULL;
    }
    return g_steal_pointer(&pairs);
}

/* Groups waiting for each other: for each group those that wait for it, and how many it waits for
 * itself. */
static void relate_groups(const lag_job *job, struct lag_job_lists *followers, uint32_t *n_missing)
{
    g_autoptr(GArray) pairs = g_array_new(FALSE, FALSE, sizeof(struct lag_job_pair));

    for (uint32_t i = 0; i < job->n_nodes; i++) {
        for (uint32_t j = job->waits_for.first[i]; j < job->waits_for.first[i + 1]; j++) {
            struct lag_job_pair pair = {job->nodes[job->waits_for.item[j]].group,
                                        job->nodes[i].group};
            g_array_append_val(pairs, pair);
            n_missing[pair.item]++;
        }
    }
    lag_job_lists_init(followers, pairs, job->n_groups);
}

static char *node_text(const struct lag_job_node *node)
{
    return g_strdup_printf("%s %u of stage %u", lag_op_types[node->kind].name, node->seq,
                           node->stage);
}

/* For each group that can't run, one of the nodes that it waits for and that can't run either. */
static uint32_t *find_blockers(const lag_job *job, const uint32_t *n_missing)
{
    uint32_t *blocker = g_new0(uint32_t, (size_t)job->n_groups + 1);

    for (uint32_t i = 0; i < job->n_nodes; i++) {
        for (uint32_t j = job->waits_for.first[i]; j < job->waits_for.first[i + 1]; j++) {
            uint32_t other = job->waits_for.item[j];
            if (n_missing[job->nodes[other].group] > 0)
                blocker[job->nodes[i].group] = other;
        }
    }
    return blocker;
}

/* The way back from a group that can't run leads through others that can't, and so into a circle,
 * which the second round names. */
static void name_circle(const lag_job *job, const uint32_t *n_missing, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree uint32_t *blocker = find_blockers(job, n_missing);
    g_autofree uint32_t *visited = g_new0(uint32_t, job->n_groups);
    uint32_t node = 0, n_quoted = 0;

    while (n_missing[job->nodes[node].group] == 0)
        node++;
    for (uint32_t round = 1; round <= 2; round++) {
        while (visited[job->nodes[node].group] < round) {
            visited[job->nodes[node].group] = round;
            node = blocker[job->nodes[node].group];
            g_autofree char *name = node_text(&job->nodes[node]);
            if (round == 2 && n_quoted++ < MOST_QUOTED)
                g_string_append_printf(text, "%s%s", text->len > 0 ? " <- " : "", name);
        }
    }
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "operations wait for each other in a circle: %s%s; the order of their start times "
                "cannot be that of one run",
                text->str, n_quoted > MOST_QUOTED ? " <- ..." : "");
}

/* Sorts groups so that each comes after those it waits for; renumbers the nodes' groups. */
static bool sort_groups(lag_job *job, GArray *pairs, GError **error)
{
    g_autofree uint32_t *n_missing = g_new0(uint32_t, (size_t)job->n_groups + 1);
    g_autofree uint32_t *order = g_new(uint32_t, (size_t)job->n_groups + 1);
    g_autofree uint32_t *rank = g_new(uint32_t, (size_t)job->n_groups + 1);
    struct lag_job_lists followers;
    uint32_t n = 0;

    relate_groups(job, &followers, n_missing);
    for (uint32_t i = 0; i < job->n_groups; i++)
        if (n_missing[i] == 0)
            order[n++] = i;
    for (uint32_t i = 0; i < n; i++) {
        rank[order[i]] = i;
        for (uint32_t j = followers.first[order[i]]; j < followers.first[order[i] + 1]; j++)
            if (--n_missing[followers.item[j]] == 0)
                order[n++] = followers.item[j];
    }
    lag_job_lists_clear(&followers);
    if (n < job->n_groups) {
        name_circle(job, n_missing, error);
        return false;
    }
    for (guint i = 0; i < pairs->len; i++) {
        struct lag_job_pair *pair = &g_array_index(pairs, struct lag_job_pair, i);
        pair->list = rank[pair->list];
        job->nodes[pair->item].group = pair->list;
    }
    lag_job_lists_clear(&job->members);
    lag_job_lists_init(&job->members, pairs, job->n_groups);
    return true;
}

bool lag_job_group(lag_job *job, GError **error)
{
    g_autoptr(GArray) pairs = number_groups(job, error);

    return pairs != NULL && sort_groups(job, pairs, error);
}
