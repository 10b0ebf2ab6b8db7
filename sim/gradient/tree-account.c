/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/gradient/tree-account.h"

#include <inttypes.h>
#include <math.h>

#include "sim/laggard.h"

/* The child whose readiness decided when a parent had enough, behind all that were received one
 * after the other until then; `*receive` is what that took. */
static uint32_t first_in_turn(const lag_tree_rounds *rounds, uint32_t decider, lag_seconds *receive)
{
    const struct lag_tree_node *nodes = rounds->nodes;
    uint32_t v = decider;

    while (nodes[v].behind != LAGGARD_NONE && isfinite(nodes[nodes[v].behind].there) &&
           nodes[v].start > nodes[v].ready)
        v = nodes[v].behind;
    *receive = nodes[decider].there - nodes[v].ready;
    return v;
}

static void account_path(const lag_tree_rounds *rounds, struct lag_protocol_outcome *outcome)
{
    const struct lag_tree_node *nodes = rounds->nodes;
    uint32_t p = 0;
    lag_seconds receive;

    for (;;) {
        outcome->decode += nodes[p].decode;
        if (nodes[p].decider == LAGGARD_NONE)
            return; /* a deadline */
        uint32_t v = first_in_turn(rounds, nodes[p].decider, &receive);
        outcome->receive += receive;
        if (v >= rounds->first_leaf || nodes[v].own >= nodes[v].decoded) {
            outcome->encode += nodes[v].encode;
            outcome->compute += nodes[v].own - nodes[v].has - nodes[v].encode;
            outcome->receive += nodes[v].has;
            return;
        }
        p = v;
    }
}

static void account_worker(const lag_tree_rounds *rounds, uint32_t v, bool used,
                           struct lag_protocol_outcome *outcome)
{
    const struct lag_tree_node *node = &rounds->nodes[v];
    struct lag_worker_use *use = &outcome->use[v - 1];
    lag_seconds end = rounds->decision.time, rest = end;
    lag_seconds worked = fmax(fmin(node->own, end) - fmin(node->begun, end), 0);

    if (isinf(node->work))
        worked = 0; /* nobody knows until when */
    if (used) {
        use->compute += worked;
        use->wait_network += node->there - node->ready;
        rest -= node->there - node->ready;
    } else {
        use->dropped += worked;
    }
    use->wait_peers += fmax(rest - worked, 0);
    if (node->own <= end) {
        outcome->samples_computed += rounds->allocation->load[v];
        if (!used)
            outcome->samples_dropped += rounds->allocation->load[v];
    }
}

void lag_tree_account(const lag_tree_rounds *rounds, struct lag_protocol_outcome *outcome,
                      bool *used)
{
    const struct lag_tree_node *nodes = rounds->nodes;

    used[0] = true;
    for (uint32_t v = 1; v < rounds->n_nodes; v++) {
        used[v] = rounds->weights[v - 1] != 0 && used[lag_tree_parent(rounds, v)];
        account_worker(rounds, v, used[v], outcome);
    }
    if (isfinite(nodes[0].decoded))
        account_path(rounds, outcome);
}

/* "node 3 has 9 of 12" and why it can't go on with them. */
static void describe(const lag_tree_rounds *rounds, uint32_t p, GString *text)
{
    const struct lag_tree *tree = &rounds->setup->tree;
    const lag_code *code = rounds->setup->code;

    g_string_append_printf(text, "node %u%s has %u of %u messages, needs ", p,
                           p == 0 ? " (the root)" : "", rounds->nodes[p].n_arrived, tree->degree);
    if (!rounds->setup->by_count && code->rule == LAG_DECODE_GROUPS && code->enough == 0)
        g_string_append_printf(text, "one of each group of %u", tree->degree / code->n_groups);
    else if (code->enough > 0)
        g_string_append_printf(text, "%u", code->enough);
    else
        g_string_append_printf(text, "%u", tree->degree - tree->stragglers);
}

#define MOST_NAMED 4

char *lag_tree_complaint(const lag_tree_rounds *rounds, uint64_t iteration)
{
    GString *text = g_string_new(NULL);
    uint32_t p = 0, named = 0, missing = LAGGARD_NONE;

    g_string_append_printf(text, "iteration %" PRIu64 ": ", iteration);
    do {
        uint32_t first = lag_tree_first_child(rounds, p);
        describe(rounds, p, text);
        missing = LAGGARD_NONE;
        named = 0;
        for (uint32_t v = first; v < first + rounds->setup->tree.degree; v++) {
            if (rounds->arrived[v - 1])
                continue;
            if (named++ < MOST_NAMED)
                g_string_append_printf(text, "%s%u",
                                       named == 1 ? "; nothing came from node " : ", ", v);
            /* A parent that is alive itself lacks something too. */
            if (missing == LAGGARD_NONE && v < rounds->first_leaf &&
                isfinite(rounds->nodes[v].own) && isinf(rounds->nodes[v].decoded))
                missing = v;
        }
        if (named > MOST_NAMED)
            g_string_append_printf(text, " and %u more", named - MOST_NAMED);
        if (missing != LAGGARD_NONE)
            g_string_append(text, "; ");
        p = missing;
    } while (missing != LAGGARD_NONE);
    return g_string_free(text, FALSE);
}
