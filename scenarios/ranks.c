/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/ranks.h"

#include <string.h>

static const struct lag_form list_form = {
    .shape = LAG_LIST_OF, .what = "a list of ranks, [0, 3]", .item = &lag_form_text};
static const struct lag_form *const alternatives[] = {&lag_form_text, &list_form, NULL};
const struct lag_form lag_form_ranks = {.shape = LAG_ONE_OF,
                                        .what =
                                            "ranks: [0, 3], 0-3, 7, all, last, node 0, or class 0",
                                        .alternatives = alternatives};

/* Which ranks are in the set already. */
struct set {
    const struct lag_groups *groups;
    uint32_t n_ranks;
    GArray *ranks; /* of uint32_t, borrowed */
    guint8 *taken; /* [n_ranks] */
};

static bool refuse_absent(const struct lag_at *at, const struct set *set, const char *rank,
                          GError **error)
{
    if (set->n_ranks == 1)
        return lag_refuse(at, error, "rank %s is not in the cluster of 1 GPU: only 0 is", rank);
    return lag_refuse(at, error, "rank %s is not in the cluster of %u GPUs: 0 to %u", rank,
                      set->n_ranks, set->n_ranks - 1);
}

/* One end of a range. */
static bool read_rank(const struct lag_at *at, const struct set *set, const char *text,
                      uint64_t *ret, GError **error)
{
    g_autofree char *word = g_strstrip(g_strdup(text));

    if (strcmp(word, "last") == 0) {
        *ret = set->n_ranks - 1;
        return true;
    }
    if (!lag_integer_parse(word, ret, NULL)) {
        return lag_refuse(at, error, "'%s' is no rank; expected %s", at->node->text,
                          lag_form_ranks.what);
    }
    return *ret < set->n_ranks || refuse_absent(at, set, word, error);
}

static bool add_range(const struct lag_at *at, struct set *set, uint32_t first, uint32_t last,
                      GError **error)
{
    for (uint32_t rank = first; rank <= last; rank++) {
        if (set->taken[rank])
            return lag_refuse(at, error, "rank %u is given twice", rank);
        set->taken[rank] = 1;
        g_array_append_val(set->ranks, rank);
    }
    return true;
}

static bool read_range(const struct lag_at *at, struct set *set, GError **error)
{
    bool all = strcmp(at->node->text, "all") == 0;
    g_auto(GStrv) ends = g_strsplit(all ? "0-last" : at->node->text, "-", 2);
    uint64_t first, last;

    if (ends[0] == NULL)
        return lag_refuse(at, error, "is empty; expected %s", lag_form_ranks.what);
    if (!read_rank(at, set, ends[0], &first, error))
        return false;
    last = first;
    if (ends[1] != NULL && !read_rank(at, set, ends[1], &last, error))
        return false;
    if (first > last)
        return lag_refuse(at, error, "'%s' runs backwards", at->node->text);
    return add_range(at, set, (uint32_t)first, (uint32_t)last, error);
}

/* "node 2": its number, after the word. */
static bool read_number(const struct lag_at *at, const char *word, uint32_t n, uint64_t *ret,
                        GError **error)
{
    g_autofree char *digits = g_strstrip(g_strdup(at->node->text + strlen(word)));

    if (lag_integer_parse(digits, ret, NULL) && *ret < n)
        return true;
    return lag_refuse(at, error, "'%s' is none of the %u: write %s 0 to %s %u", at->node->text, n,
                      word, word, n - 1);
}

static bool read_node(const struct lag_at *at, struct set *set, GError **error)
{
    const struct lag_groups *groups = set->groups;
    uint32_t per_node = groups->per_node;
    uint64_t node;

    if (groups->n_nodes == 0)
        return lag_refuse(at, error, "nodes are not known; give cluster.gpus_per_node");
    if (!read_number(at, "node", groups->n_nodes, &node, error))
        return false;
    for (uint32_t rank = 0; groups->node_of != NULL && rank < set->n_ranks; rank++)
        if (groups->node_of[rank] == node && !add_range(at, set, rank, rank, error))
            return false;
    if (groups->node_of != NULL)
        return true;
    uint32_t first = (uint32_t)node * per_node;
    return add_range(at, set, first, first + per_node - 1, error);
}

static bool read_class(const struct lag_at *at, struct set *set, GError **error)
{
    const uint32_t *ends = set->groups->class_ends;
    uint64_t number;

    if (set->groups->n_classes == 0)
        return lag_refuse(at, error, "there are no classes; give cluster.gpus as a list");
    if (!read_number(at, "class", set->groups->n_classes, &number, error))
        return false;
    return add_range(at, set, number == 0 ? 0 : ends[number - 1], ends[number] - 1, error);
}

static bool read_entry(const struct lag_at *at, struct set *set, GError **error)
{
    if (g_str_has_prefix(at->node->text, "node"))
        return read_node(at, set, error);
    if (g_str_has_prefix(at->node->text, "class"))
        return read_class(at, set, error);
    return read_range(at, set, error);
}

bool lag_ranks_read(const struct lag_at *at, const struct lag_groups *groups, uint32_t **ret_ranks,
                    uint32_t *ret_n, GError **error)
{
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autofree guint8 *taken = g_new0(guint8, groups->n_ranks);
    struct set set = {groups, groups->n_ranks, ranks, taken};

    if (at->node->kind == LAG_SCALAR && !lag_node_is_null(at->node)) {
        if (!read_entry(at, &set, error))
            return false;
    } else if (!lag_expect(at, LAG_SEQUENCE, lag_form_ranks.what, error)) {
        return false;
    }
    for (uint32_t i = 0; at->node->kind == LAG_SEQUENCE && i < at->node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(at, i);
        if (!lag_expect(&entry, LAG_SCALAR, "a rank", error) || !read_entry(&entry, &set, error))
            return false;
    }
    *ret_n = ranks->len;
    *ret_ranks =
        ranks->len > 0 ? (uint32_t *)(void *)g_array_free(g_steal_pointer(&ranks), FALSE) : NULL;
    return true;
}
