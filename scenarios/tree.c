/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/tree.h"

#include <string.h>

#include "sim/laggard.h"

static lag_node *node_new(enum lag_node_kind kind, struct lag_place place)
{
    lag_node *node = g_new0(lag_node, 1);

    g_atomic_ref_count_init(&node->references);
    node->kind = kind;
    node->place = place;
    node->place.source = g_ref_string_acquire((char *)(uintptr_t)place.source);
    node->n_nodes = 1;
    return node;
}

lag_node *lag_node_new_scalar(const char *text, bool plain, struct lag_place place)
{
    lag_node *node = node_new(LAG_SCALAR, place);

    node->text = g_strdup(text);
    node->plain = plain;
    return node;
}

lag_node *lag_node_new_container(enum lag_node_kind kind, GArray *entries, struct lag_place place)
{
    lag_node *node = node_new(kind, place);
    size_t n_entries = 0;

    node->entries = g_array_steal(entries, &n_entries);
    node->n_entries = (uint32_t)n_entries;
    for (uint32_t i = 0; i < node->n_entries; i++) {
        const lag_node *value = node->entries[i].value;
        node->n_nodes += value->n_nodes + (node->entries[i].key != NULL);
        node->n_nodes = MIN(node->n_nodes, LAG_MOST_NODES + 1);
        node->height = MAX(node->height, value->height + 1);
    }
    return node;
}

lag_node *lag_node_ref(const lag_node *node)
{
    lag_node *shared = (lag_node *)(uintptr_t)node; /* only the counter changes */

    g_atomic_ref_count_inc(&shared->references);
    return shared;
}

static void entry_clear(gpointer data)
{
    struct lag_entry *entry = data;

    lag_node_unref(entry->key);
    lag_node_unref(entry->value);
}

void lag_node_unref(lag_node *node)
{
    if (node == NULL || !g_atomic_ref_count_dec(&node->references))
        return;
    for (uint32_t i = 0; i < node->n_entries; i++)
        entry_clear(&node->entries[i]);
    g_free(node->entries);
    g_free(node->text);
    g_ref_string_release((char *)(uintptr_t)node->place.source);
    g_free(node);
}

GArray *lag_entries_new(void)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct lag_entry));

    g_array_set_clear_func(entries, entry_clear);
    return entries;
}

bool lag_node_is_null(const lag_node *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};

    return node->kind == LAG_SCALAR && node->plain && g_strv_contains(nulls, node->text);
}

const lag_node *lag_node_get(const lag_node *mapping, const char *key)
{
    for (uint32_t i = 0; mapping->kind == LAG_MAPPING && i < mapping->n_entries; i++)
        if (strcmp(mapping->entries[i].key->text, key) == 0)
            return mapping->entries[i].value;
    return NULL;
}

char *lag_place_text(struct lag_place place)
{
    if (place.line == 0)
        return g_strdup(place.source);
    return g_strdup_printf("%s:%u:%u", place.source, place.line, place.column);
}

static void stride_clear(gpointer data)
{
    g_free(((struct lag_stride *)data)->key);
}

void lag_keypath_free(lag_keypath *path)
{
    g_array_unref(path);
}

/* Reads "[3]" at *text. */
static bool parse_index(const char **text, struct lag_stride *ret)
{
    const char *end = strchr(*text, ']');
    uint64_t index = 0;

    if (end == NULL)
        return false;
    g_autofree char *digits = g_strndup(*text + 1, (size_t)(end - *text - 1));
    if (!g_ascii_string_to_unsigned(digits, 10, 0, LAG_MOST_NODES, &index, NULL))
        return false;
    *ret = (struct lag_stride){.index = (uint32_t)index};
    *text = end + 1;
    return true;
}

static bool parse_stride(const char **text, bool first, struct lag_stride *ret)
{
    size_t length;

    if (**text == '[')
        return !first && parse_index(text, ret);
    if (!first && *(*text)++ != '.')
        return false;
    length = strcspn(*text, ".[");
    if (length == 0)
        return false;
    *ret = (struct lag_stride){.key = g_strndup(*text, length)};
    *text += length;
    return true;
}

lag_keypath *lag_keypath_parse(const char *text, GError **error)
{
    g_autoptr(lag_keypath) path = g_array_new(FALSE, FALSE, sizeof(struct lag_stride));
    const char *rest = text;

    g_array_set_clear_func(path, stride_clear);
    do {
        struct lag_stride stride;
        if (path->len == LAG_MOST_NESTING || !parse_stride(&rest, path->len == 0, &stride)) {
            g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                        "'%s' is not a path; write for example cluster.gpus or "
                        "algorithms[0].straggler",
                        text);
            return NULL;
        }
        g_array_append_val(path, stride);
    } while (*rest != '\0');
    return g_steal_pointer(&path);
}

/* Where a stride leads to in a node: an index into its entries, or LAGGARD_NONE. */
static uint32_t find_entry(const lag_node *node, const struct lag_stride *stride)
{
    if (stride->key == NULL) {
        bool there = node->kind == LAG_SEQUENCE && stride->index < node->n_entries;
        return there ? stride->index : LAGGARD_NONE;
    }
    for (uint32_t i = 0; node->kind == LAG_MAPPING && i < node->n_entries; i++)
        if (strcmp(node->entries[i].key->text, stride->key) == 0)
            return i;
    return LAGGARD_NONE;
}

const lag_node *lag_node_find(const lag_node *root, const lag_keypath *path)
{
    const lag_node *node = root;

    for (guint i = 0; i < path->len && node != NULL; i++) {
        uint32_t entry = find_entry(node, &g_array_index(path, struct lag_stride, i));
        node = entry == LAGGARD_NONE ? NULL : node->entries[entry].value;
    }
    return node;
}

static void append_entry(GArray *entries, lag_node *key, lag_node *value)
{
    struct lag_entry entry = {key, value};

    g_array_append_val(entries, entry);
}

/* A copy of a container's list of entries; the nodes are shared. */
static GArray *copy_entries(const lag_node *node)
{
    GArray *entries = lag_entries_new();

    for (uint32_t i = 0; node != NULL && i < node->n_entries; i++) {
        const struct lag_entry *entry = &node->entries[i];
        append_entry(entries, entry->key != NULL ? lag_node_ref(entry->key) : NULL,
                     lag_node_ref(entry->value));
    }
    return entries;
}

/* True where a stride can enter a node, which may be missing (NULL or null). */
static bool check_stride(const lag_node *node, const struct lag_stride *stride, GError **error)
{
    static const char *const kinds[] = {
        [LAG_SCALAR] = "a single value", [LAG_SEQUENCE] = "a list", [LAG_MAPPING] = "a mapping"};
    const char *kind = node == NULL ? "missing" : kinds[node->kind];

    if (stride->key != NULL && node != NULL && node->kind != LAG_MAPPING) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "'%s' can't be set there: what holds it is %s, not a mapping", stride->key,
                    kind);
        return false;
    }
    if (stride->key == NULL && (node == NULL || node->kind != LAG_SEQUENCE)) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "[%u] can't be set there: what holds it is %s, not a list", stride->index,
                    kind);
        return false;
    }
    if (stride->key == NULL && stride->index > node->n_entries) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "[%u] is past the end: the list has %u %s", stride->index, node->n_entries,
                    node->n_entries == 1 ? "entry" : "entries");
        return false;
    }
    return true;
}

static lag_node *set_from(const lag_node *node, const lag_keypath *path, guint at, lag_node *value,
                          GError **error)
{
    const struct lag_stride *stride;
    enum lag_node_kind kind;
    uint32_t found;

    if (at == path->len)
        return lag_node_ref(value);
    stride = &g_array_index(path, struct lag_stride, at);
    node = node != NULL && lag_node_is_null(node) ? NULL : node;
    if (!check_stride(node, stride, error))
        return NULL;
    found = node != NULL ? find_entry(node, stride) : LAGGARD_NONE;
    g_autoptr(lag_node) child = set_from(found == LAGGARD_NONE ? NULL : node->entries[found].value,
                                         path, at + 1, value, error);
    if (child == NULL)
        return NULL;
    g_autoptr(GArray) entries = copy_entries(node);
    if (found == LAGGARD_NONE) {
        append_entry(entries,
                     stride->key != NULL ? lag_node_new_scalar(stride->key, true, value->place)
                                         : NULL,
                     g_steal_pointer(&child));
    } else {
        struct lag_entry *entry = &g_array_index(entries, struct lag_entry, found);
        lag_node_unref(entry->value);
        entry->value = g_steal_pointer(&child);
    }
    kind = stride->key != NULL ? LAG_MAPPING : LAG_SEQUENCE;
    return lag_node_new_container(kind, entries, node != NULL ? node->place : value->place);
}

lag_node *lag_node_set(const lag_node *root, const lag_keypath *path, lag_node *value,
                       GError **error)
{
    lag_node *tree = set_from(root, path, 0, value, error);

    if (tree != NULL && (tree->n_nodes > LAG_MOST_NODES || tree->height > LAG_MOST_NESTING)) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "the scenario would be too large: at most %u values, nested %u deep",
                    LAG_MOST_NODES, LAG_MOST_NESTING);
        lag_node_unref(tree);
        return NULL;
    }
    return tree;
}

static void append_quoted(GString *text, const char *string)
{
    g_string_append_c(text, '"');
    for (const char *c = string; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            g_string_append_c(text, '\\');
        if ((unsigned char)*c < 0x20)
            g_string_append_printf(text, "\\u%04x", (unsigned)*c);
        else
            g_string_append_c(text, *c);
    }
    g_string_append_c(text, '"');
}

static int compare_keys(const void *a, const void *b)
{
    const struct lag_entry *const *x = a, *const *y = b;

    return strcmp((*x)->key->text, (*y)->key->text);
}

void lag_node_append_canonical(const lag_node *node, GString *text)
{
    bool sorted = node->kind == LAG_MAPPING;

    if (node->kind == LAG_SCALAR) {
        append_quoted(text, node->text);
        return;
    }
    g_autofree const struct lag_entry **order =
        g_new(const struct lag_entry *, node->n_entries + 1);
    for (uint32_t i = 0; i < node->n_entries; i++)
        order[i] = &node->entries[i];
    if (sorted)
        qsort(order, node->n_entries, sizeof(*order), compare_keys);
    g_string_append_c(text, sorted ? '{' : '[');
    for (uint32_t i = 0; i < node->n_entries; i++) {
        g_string_append(text, i > 0 ? "," : "");
        if (sorted) {
            append_quoted(text, order[i]->key->text);
            g_string_append_c(text, ':');
        }
        lag_node_append_canonical(order[i]->value, text);
    }
    g_string_append_c(text, sorted ? '}' : ']');
}
