/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/sweep.h"

#include <inttypes.h>
#include <string.h>

#include "scenarios/draft.h"
#include "scenarios/form-find.h"
#include "scenarios/range.h"
#include "scenarios/sweep-where.h"

#define MOST_AXES 64

bool lag_sweep_is_path(const char *key)
{
    g_autoptr(lag_keypath) path = lag_keypath_parse(key, NULL);

    return path != NULL && lag_form_find(&lag_form_scenario, path) != NULL;
}

struct sweep_draft {
    int zip;
};

static const struct lag_form list_form = {
    .shape = LAG_LIST_OF, .what = "a list of values", .item = &lag_form_anything};
static const struct lag_form *const axis_alternatives[] = {&list_form, &lag_form_range, NULL};
static const struct lag_form axis_form = {
    .shape = LAG_ONE_OF,
    .what = "a list of values, [4, 8], or a range, {from: 4, to: 8, steps: 5}",
    .alternatives = axis_alternatives};
static const struct lag_form axes_form = {.shape = LAG_FREE,
                                          .what = "axes, {cluster.gpus: [4, 8, 16]}",
                                          .item = &axis_form,
                                          .allows = lag_sweep_is_path};
static const struct lag_form zip_form = {
    .shape = LAG_CHOICE, .what = "true or false", .choices = "false|true"};
static const struct lag_key sweep_keys[] = {
    {.name = "axes",
     .form = &axes_form,
     .required = true,
     .read = lag_read_later,
     .help = "what varies, {cluster.gpus: [4, 8, 16]}"},
    {.name = "zip",
     .form = &zip_form,
     .default_text = "false",
     .offset = offsetof(struct sweep_draft, zip),
     .help = "walks all axes together instead of every combination"},
    {.name = "where",
     .form = &lag_form_where,
     .read = lag_read_later,
     .help = "keeps the combinations that one of these cases describes, {cluster.gpus: [4, 8]}"},
    {.name = NULL                                    },
};
const struct lag_form lag_form_sweep = {
    .shape = LAG_MAPPING_OF, .what = "a mapping with axes", .keys = sweep_keys};

static void axis_clear(gpointer data)
{
    struct lag_axis *axis = data;

    for (uint32_t i = 0; axis->coordinates != NULL && i < axis->values->n_entries; i++)
        g_free((char *)(uintptr_t)axis->coordinates[i].text);
    g_free(axis->coordinates);
    lag_node_unref(axis->values);
    g_clear_pointer(&axis->path, lag_keypath_free);
}

static struct lag_coordinate make_coordinate(const lag_node *value, const struct lag_form *form)
{
    struct lag_coordinate coordinate = {0};

    if (value->kind == LAG_SCALAR) {
        coordinate.text = g_strdup(value->text);
        coordinate.is_number = lag_form_number(form, value->text, &coordinate.number);
    } else {
        GString *text = g_string_new(NULL);
        lag_node_append_canonical(value, text);
        coordinate.text = g_string_free(text, FALSE);
    }
    return coordinate;
}

/* What stands at an axis's path, or NULL with a message. `at` is the key of the axis. */
static const struct lag_form *find_form(const struct lag_at *at, const lag_keypath *path,
                                        GError **error)
{
    const struct lag_form *form = lag_form_find(&lag_form_scenario, path);
    const char *top = g_array_index(path, struct lag_stride, 0).key;

    if (form == NULL) {
        g_autofree char *hint = lag_form_hint(&lag_form_scenario, path);
        lag_refuse(at, error, "there is no such key in a scenario%s", hint);
        return NULL;
    }
    if (strcmp(top, "sweep") == 0 || strcmp(top, "laggard") == 0) {
        lag_refuse(at, error, "'%s' can't be swept", top);
        return NULL;
    }
    return form;
}

/* The values of an axis as a list, with a new reference; NULL with a message. */
static lag_node *read_values(const struct lag_at *at, const struct lag_form *form, GError **error)
{
    if (at->node->kind == LAG_MAPPING)
        return lag_range_expand(at, form, error);
    if (!lag_expect(at, LAG_SEQUENCE, axis_form.what, error))
        return NULL;
    if (at->node->n_entries > 0)
        return lag_node_ref(at->node);
    lag_refuse(at, error, "the list is empty; an axis has at least one value");
    return NULL;
}

static bool read_axis(const struct lag_at *axes, uint32_t entry, struct lag_axis *axis,
                      GError **error)
{
    struct lag_at values = lag_at_entry(axes, entry);
    struct lag_at key = {axes, values.key, 0, axes->node->entries[entry].key};

    axis->name = values.key;
    axis->path = lag_keypath_parse(axis->name, error);
    if (axis->path == NULL)
        return lag_refuse_prefix(&key, error);
    axis->form = find_form(&key, axis->path, error);
    axis->values = axis->form != NULL ? read_values(&values, axis->form, error) : NULL;
    if (axis->values == NULL)
        return false;
    axis->coordinates = g_new0(struct lag_coordinate, axis->values->n_entries);
    for (uint32_t i = 0; i < axis->values->n_entries; i++)
        axis->coordinates[i] = make_coordinate(axis->values->entries[i].value, axis->form);
    return true;
}

/* True where one path leads to the other's end, or through it. */
static bool overlap(const lag_keypath *a, const lag_keypath *b)
{
    for (guint i = 0; i < MIN(a->len, b->len); i++) {
        const struct lag_stride *x = &g_array_index(a, struct lag_stride, i);
        const struct lag_stride *y = &g_array_index(b, struct lag_stride, i);
        if (g_strcmp0(x->key, y->key) != 0 || x->index != y->index)
            return false;
    }
    return true;
}

/* A new axis changes nothing that an earlier one changes, and its path can be entered. */
static bool check_axis(const struct lag_sweep *sweep, const struct lag_at *axes, uint32_t entry,
                       lag_node **tree, GError **error)
{
    const struct lag_axis *axis = &g_array_index(sweep->axes, struct lag_axis, entry);
    struct lag_at key = {axes, axis->name, 0, axes->node->entries[entry].key};
    lag_node *next;

    for (uint32_t i = 0; i < entry; i++) {
        const struct lag_axis *other = &g_array_index(sweep->axes, struct lag_axis, i);
        if (overlap(axis->path, other->path))
            return lag_refuse(&key, error, "overlaps with the axis '%s'", other->name);
    }
    next = lag_node_set(*tree, axis->path, axis->values->entries[0].value, error);
    if (next == NULL)
        return lag_refuse_prefix(&key, error);
    lag_node_unref(*tree);
    *tree = next;
    return true;
}

/* All combinations, before any is left out. */
static bool count_points(struct lag_sweep *sweep, const struct lag_at *axes, uint32_t most,
                         GError **error)
{
    const struct lag_axis *axis = &g_array_index(sweep->axes, struct lag_axis, 0);
    uint64_t n = axis[0].values->n_entries;

    for (uint32_t i = 1; i < sweep->axes->len; i++) {
        uint32_t length = axis[i].values->n_entries;
        if (sweep->zip && length != n) {
            struct lag_at values = {axes, axis[i].name, 0, axis[i].values};
            return lag_refuse(&values, error,
                              "has %u values, but '%s' has %" PRIu64 "; with zip all have as many",
                              length, axis[0].name, n);
        }
        n = sweep->zip ? n : MIN(n * length, UINT32_MAX);
    }
    if (n > most)
        return lag_refuse(axes, error, "more than %u points in all", most);
    sweep->n_points = (uint32_t)n;
    return true;
}

/* Leaves only the combinations that `where` keeps. */
static bool filter(struct lag_sweep *sweep, const struct lag_at *where, GError **error)
{
    uint32_t n_combinations = sweep->n_points, n_kept = 0;
    uint32_t values[MOST_AXES];
    g_autoptr(GPtrArray) cases = lag_where_read(where, sweep->axes, error);

    if (cases == NULL)
        return false;
    g_autofree uint32_t *kept = g_new(uint32_t, n_combinations);
    for (uint32_t i = 0; i < n_combinations; i++) {
        for (uint32_t axis = 0; axis < sweep->axes->len; axis++)
            values[axis] = lag_sweep_index(sweep, i, axis);
        if (lag_where_keeps(cases, values))
            kept[n_kept++] = i;
    }
    if (n_kept == 0)
        return lag_refuse(where, error, "no point is left");
    if (n_kept > LAG_MOST_POINTS)
        return lag_refuse(where, error, "leaves more than %u points", LAG_MOST_POINTS);
    sweep->n_points = n_kept;
    sweep->kept = g_renew(uint32_t, g_steal_pointer(&kept), n_kept);
    return true;
}

static bool read_axes(struct lag_sweep *sweep, const struct lag_at *axes, const lag_node *root,
                      GError **error)
{
    g_autoptr(lag_node) tree = lag_node_ref(root);

    if (!lag_expect(axes, LAG_MAPPING, axes_form.what, error))
        return false;
    if (axes->node->n_entries == 0)
        return lag_refuse(axes, error, "has no axis; expected %s", axes_form.what);
    if (axes->node->n_entries > MOST_AXES)
        return lag_refuse(axes, error, "more than %d axes", MOST_AXES);
    for (uint32_t i = 0; i < axes->node->n_entries; i++) {
        g_array_set_size(sweep->axes, i + 1);
        if (!read_axis(axes, i, &g_array_index(sweep->axes, struct lag_axis, i), error) ||
            !check_axis(sweep, axes, i, &tree, error))
            return false;
    }
    return true;
}

bool lag_sweep_init(struct lag_sweep *sweep, const lag_node *root, GError **error)
{
    struct lag_at top = {NULL, NULL, 0, root};
    struct lag_at at = {&top, "sweep", 0, lag_node_get(root, "sweep")};
    struct sweep_draft draft = {0};

    *sweep = (struct lag_sweep){.n_points = 1};
    sweep->axes = g_array_new(FALSE, TRUE, sizeof(struct lag_axis));
    g_array_set_clear_func(sweep->axes, axis_clear);
    if (at.node == NULL || (at.node->kind == LAG_MAPPING && at.node->n_entries == 0))
        return true;
    if (!lag_read_form(&at, &lag_form_sweep, &draft, error))
        return false;
    sweep->zip = draft.zip == 1;
    struct lag_at axes = {&at, "axes", 0, lag_node_get(at.node, "axes")};
    struct lag_at where = {&at, "where", 0, lag_node_get(at.node, "where")};
    uint32_t most = where.node != NULL ? LAG_MOST_COMBINATIONS : LAG_MOST_POINTS;
    return read_axes(sweep, &axes, root, error) && count_points(sweep, &axes, most, error) &&
           (where.node == NULL || filter(sweep, &where, error));
}

void lag_sweep_clear(struct lag_sweep *sweep)
{
    g_clear_pointer(&sweep->axes, g_array_unref);
    g_clear_pointer(&sweep->kept, g_free);
}

uint32_t lag_sweep_index(const struct lag_sweep *sweep, uint32_t point, uint32_t axis)
{
    uint32_t rest = sweep->kept != NULL ? sweep->kept[point] : point;

    for (uint32_t i = sweep->axes->len - 1; i > axis && !sweep->zip; i--)
        rest /= g_array_index(sweep->axes, struct lag_axis, i).values->n_entries;
    return rest % g_array_index(sweep->axes, struct lag_axis, axis).values->n_entries;
}

lag_node *lag_sweep_tree(const struct lag_sweep *sweep, const lag_node *root, uint32_t point,
                         GError **error)
{
    lag_node *tree = lag_node_ref(root);

    for (uint32_t i = 0; i < sweep->axes->len && tree != NULL; i++) {
        const struct lag_axis *axis = &g_array_index(sweep->axes, struct lag_axis, i);
        lag_node *value = axis->values->entries[lag_sweep_index(sweep, point, i)].value;
        lag_node *next = lag_node_set(tree, axis->path, value, error);
        lag_node_unref(tree);
        tree = next;
    }
    return tree;
}

char *lag_sweep_point_text(const struct lag_sweep *sweep, uint32_t point)
{
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < sweep->axes->len; i++) {
        const struct lag_axis *axis = &g_array_index(sweep->axes, struct lag_axis, i);
        uint32_t value = lag_sweep_index(sweep, point, i);
        g_string_append_printf(text, "%s%s=%s", i > 0 ? ", " : "", axis->name,
                               axis->coordinates[value].text);
    }
    return g_string_free(text, FALSE);
}
