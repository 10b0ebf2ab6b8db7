/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/sweep-where.h"

#include <math.h>
#include <string.h>

#include "scenarios/draft.h"
#include "scenarios/form-find.h"

#define WHAT "values of its axis: one, a list, or {from: 4, to: 64}"

static const struct lag_form case_form = {.shape = LAG_FREE,
                                          .what = "axes and their values, {cluster.gpus: [4, 8]}",
                                          .item = &lag_form_anything,
                                          .allows = lag_sweep_is_path};
const struct lag_form lag_form_where = {
    .shape = LAG_LIST_OF, .what = "a list of cases", .item = &case_form};

static void condition_clear(gpointer data)
{
    g_free(((struct lag_condition *)data)->holds);
}

static const struct lag_axis *axis_at(const GArray *axes, uint32_t axis)
{
    return &g_array_index(axes, struct lag_axis, axis);
}

/* A scalar of a case as a number of its axis, or NAN. */
static double number_of(const struct lag_axis *axis, const lag_node *node)
{
    double number;

    return lag_form_number(axis->form, node->text, &number) ? number : NAN;
}

static bool is_value(const struct lag_axis *axis, uint32_t value, const lag_node *node)
{
    const struct lag_coordinate *coordinate = &axis->coordinates[value];

    if (node->kind == LAG_SCALAR && coordinate->is_number)
        return number_of(axis, node) == coordinate->number;
    if (node->kind == LAG_SCALAR)
        return strcmp(node->text, coordinate->text) == 0;
    g_autoptr(GString) text = g_string_new(NULL);
    lag_node_append_canonical(node, text);
    return strcmp(text->str, coordinate->text) == 0;
}

/* One value of the axis, as it stands there. */
static bool read_value(const struct lag_at *at, const struct lag_axis *axis, bool *holds,
                       GError **error)
{
    bool found = false;

    for (uint32_t i = 0; i < axis->values->n_entries; i++) {
        if (is_value(axis, i, at->node))
            holds[i] = found = true;
    }
    return found || lag_refuse(at, error, "the axis has no such value");
}

/* An end of a range; `missing` where it isn't given. */
static bool read_end(const struct lag_at *at, const char *key, const struct lag_axis *axis,
                     double missing, double *ret, GError **error)
{
    struct lag_at end = {at, key, 0, lag_node_get(at->node, key)};

    *ret = missing;
    if (end.node == NULL)
        return true;
    if (!lag_expect(&end, LAG_SCALAR, "a value of the axis", error))
        return false;
    *ret = number_of(axis, end.node);
    return !isnan(*ret) ||
           lag_refuse(&end, error, "'%s' is no number of the axis's kind", end.node->text);
}

static bool is_range(const lag_node *node)
{
    uint32_t n_ends = 0;

    if (node->kind != LAG_MAPPING || node->n_entries == 0)
        return false;
    for (uint32_t i = 0; i < node->n_entries; i++) {
        const char *key = node->entries[i].key->text;
        n_ends += strcmp(key, "from") == 0 || strcmp(key, "to") == 0;
    }
    return n_ends == node->n_entries;
}

static bool read_range(const struct lag_at *at, const struct lag_axis *axis, bool *holds,
                       GError **error)
{
    double from, to;
    bool found = false;

    if (!read_end(at, "from", axis, -INFINITY, &from, error) ||
        !read_end(at, "to", axis, INFINITY, &to, error))
        return false;
    for (uint32_t i = 0; i < axis->values->n_entries; i++) {
        const struct lag_coordinate *coordinate = &axis->coordinates[i];
        if (coordinate->is_number && coordinate->number >= from && coordinate->number <= to)
            holds[i] = found = true;
    }
    return found || lag_refuse(at, error, "no value of the axis lies there");
}

static bool read_list(const struct lag_at *at, const struct lag_axis *axis, bool *holds,
                      GError **error)
{
    if (at->node->n_entries == 0)
        return lag_refuse(at, error, "the list is empty; expected " WHAT);
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at value = lag_at_entry(at, i);
        if (!read_value(&value, axis, holds, error))
            return false;
    }
    return true;
}

static bool read_condition(const struct lag_at *at, const GArray *axes,
                           struct lag_condition *condition, GError **error)
{
    while (condition->axis < axes->len &&
           strcmp(axis_at(axes, condition->axis)->name, at->key) != 0)
        condition->axis++;
    if (condition->axis == axes->len)
        return lag_refuse(at, error, "is no axis of this sweep");
    const struct lag_axis *axis = axis_at(axes, condition->axis);
    condition->holds = g_new0(bool, axis->values->n_entries);
    if (is_range(at->node))
        return read_range(at, axis, condition->holds, error);
    if (at->node->kind == LAG_SEQUENCE)
        return read_list(at, axis, condition->holds, error);
    return read_value(at, axis, condition->holds, error);
}

static bool read_case(const struct lag_at *at, const GArray *axes, GArray *conditions,
                      GError **error)
{
    if (!lag_expect(at, LAG_MAPPING, case_form.what, error))
        return false;
    if (at->node->n_entries == 0)
        return lag_refuse(at, error, "is empty; expected %s", case_form.what);
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(at, i);
        g_array_set_size(conditions, i + 1);
        if (!read_condition(&entry, axes, &g_array_index(conditions, struct lag_condition, i),
                            error))
            return false;
    }
    return true;
}

GPtrArray *lag_where_read(const struct lag_at *at, const GArray *axes, GError **error)
{
    g_autoptr(GPtrArray) where = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

    if (!lag_expect(at, LAG_SEQUENCE, lag_form_where.what, error))
        return NULL;
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(at, i);
        GArray *conditions = g_array_new(FALSE, TRUE, sizeof(struct lag_condition));
        g_array_set_clear_func(conditions, condition_clear);
        g_ptr_array_add(where, conditions);
        if (!read_case(&entry, axes, conditions, error))
            return NULL;
    }
    return g_steal_pointer(&where);
}

bool lag_where_keeps(const GPtrArray *where, const uint32_t *values)
{
    for (guint i = 0; i < where->len; i++) {
        const GArray *conditions = g_ptr_array_index(where, i);
        bool holds = true;
        for (guint j = 0; j < conditions->len && holds; j++) {
            const struct lag_condition *condition =
                &g_array_index(conditions, struct lag_condition, j);
            holds = condition->holds[values[condition->axis]];
        }
        if (holds)
            return true;
    }
    return false;
}
