/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file with its overrides, its sweep, and the tables that it names. */
#include <string.h>

#include "scenarios/dataset-shelf.h"
#include "scenarios/draft.h"
#include "scenarios/file.h"
#include "scenarios/gpus.h"
#include "scenarios/law-entry.h"
#include "scenarios/message.h"
#include "scenarios/sweep.h"
#include "scenarios/yaml.h"

#define MOST_TEXT  ((size_t)32 << 20)
#define MOST_TABLE ((size_t)256 << 20)

struct lag_document {
    lag_node *root; /* after --set */
    struct lag_sources sources;
    struct lag_sweep sweep;
    char *fingerprint;
};

/* Applies one "path=value" of --set. */
static bool apply_set(lag_document *document, const char *set, GError **error)
{
    const char *equals = strchr(set, '=');
    g_autofree char *source = g_strdup_printf("--set %s", set);

    if (equals == NULL) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "%s: expected PATH=VALUE, for example cluster.gpus=8", source);
        return false;
    }
    g_autofree char *name = g_strndup(set, (size_t)(equals - set));
    g_autoptr(lag_keypath) path = lag_keypath_parse(name, error);
    if (path == NULL) {
        g_prefix_error(error, "%s: ", source);
        return false;
    }
    g_autoptr(lag_node) value =
        lag_yaml_parse(equals + 1, strlen(equals + 1), source, false, error);
    if (value == NULL)
        return false;
    g_autoptr(lag_node) tree = lag_node_set(document->root, path, value, error);
    if (tree == NULL) {
        g_prefix_error(error, "%s: ", source);
        return false;
    }
    lag_node_unref(document->root);
    document->root = g_steal_pointer(&tree);
    return true;
}

/* Reads one table, or sample of a law, once; `data` is the document. */
static bool read_table(void *data, const struct lag_at *file, GError **error)
{
    lag_document *document = data;
    const char *name = file->node->text;
    g_autofree char *path = NULL;
    GBytes *contents;

    if (g_hash_table_contains(document->sources.files, name))
        return true;
    path = g_path_is_absolute(name) ? g_strdup(name)
                                    : g_build_filename(document->sources.folder, name, NULL);
    contents = lag_file_read(path, MOST_TABLE, error);
    if (contents == NULL) {
        g_prefix_error(error, "'%s' ", path);
        return lag_refuse_prefix(file, error);
    }
    g_hash_table_insert(document->sources.files, g_strdup(name), contents);
    return true;
}

/* Calibrations too decide results; whatever else is wrong with them is said later. */
static bool read_calibrations_of(lag_document *document, const lag_node *root, GError **error)
{
    struct lag_at top = {NULL, NULL, 0, root};
    const lag_node *node = lag_node_get(root, "cluster");
    struct lag_at cluster = {&top, "cluster", 0, node};
    struct lag_at list = {&cluster, "gpus", 0, node != NULL ? lag_node_get(node, "gpus") : NULL};

    for (uint32_t i = 0;
         list.node != NULL && list.node->kind == LAG_SEQUENCE && i < list.node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(&list, i), file;
        if (lag_gpus_calibration(&entry, &file) && !read_table(document, &file, error))
            return false;
    }
    return true;
}

/* Reads the tables that a tree names. What is no mapping or no name is refused later, with the
 * rest of its entry. */
static bool read_tables_of(lag_document *document, const lag_node *root, GError **error)
{
    struct lag_at top = {NULL, NULL, 0, root};
    struct lag_at list = {&top, "stragglers", 0, lag_node_get(root, "stragglers")};

    if (!read_calibrations_of(document, root, error))
        return false;
    if (list.node == NULL || list.node->kind != LAG_SEQUENCE)
        return true;
    for (uint32_t i = 0; i < list.node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(&list, i);
        struct lag_at trace = {&entry, "trace", 0, lag_node_get(entry.node, "trace")};
        struct lag_at file = {&trace, "file", 0, NULL};
        if (!lag_law_files(&entry, read_table, document, error))
            return false;
        file.node = trace.node != NULL ? lag_node_get(trace.node, "file") : NULL;
        if (file.node == NULL || file.node->kind != LAG_SCALAR || lag_node_is_null(file.node))
            continue;
        if (!read_table(document, &file, error))
            return false;
    }
    return true;
}

/* Reads the tables of all points. Axes don't overlap, so it is enough to walk each axis alone, on
 * top of the first values of those before it (which may have made what it enters). */
static bool read_tables(lag_document *document, GError **error)
{
    g_autoptr(lag_node) base = lag_node_ref(document->root);

    if (!read_tables_of(document, base, error))
        return false;
    for (uint32_t i = 0; i < document->sweep.axes->len; i++) {
        const struct lag_axis *axis = &g_array_index(document->sweep.axes, struct lag_axis, i);
        g_autoptr(lag_node) first = NULL;
        for (uint32_t j = axis->values->n_entries; j-- > 0;) {
            g_clear_pointer(&first, lag_node_unref);
            first = lag_node_set(base, axis->path, axis->values->entries[j].value, error);
            if (first == NULL || !read_tables_of(document, first, error))
                return false;
        }
        lag_node_unref(base);
        base = g_steal_pointer(&first);
    }
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *make_fingerprint(const lag_document *document)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autoptr(GString) text = g_string_new("laggard " LAGGARD_VERSION "\n");
    guint n_files;
    g_autofree gpointer *names = g_hash_table_get_keys_as_array(document->sources.files, &n_files);

    lag_node_append_canonical(document->root, text);
    g_checksum_update(sum, (const guchar *)text->str, (gssize)text->len);
    qsort(names, n_files, sizeof(*names), compare_names);
    for (guint i = 0; i < n_files; i++) {
        size_t length = 0;
        const guchar *data =
            g_bytes_get_data(g_hash_table_lookup(document->sources.files, names[i]), &length);
        g_string_printf(text, "\n%s %zu\n", (const char *)names[i], length);
        g_checksum_update(sum, (const guchar *)text->str, (gssize)text->len);
        g_checksum_update(sum, data != NULL ? data : (const guchar *)"", (gssize)length);
    }
    return g_strconcat("sha256:", g_checksum_get_string(sum), NULL);
}

/* Everything after the text is a tree. */
static bool complete(lag_document *document, const char *const *sets, GError **error)
{
    struct lag_at root = {NULL, NULL, 0, document->root};

    if (!lag_expect(&root, LAG_MAPPING, lag_form_scenario.what, error))
        return false;
    for (uint32_t i = 0; sets != NULL && sets[i] != NULL; i++)
        if (!apply_set(document, sets[i], error))
            return false;
    root.node = document->root;
    if (!lag_check_version(&root, error) ||
        !lag_sweep_init(&document->sweep, document->root, error) || !read_tables(document, error))
        return false;
    document->fingerprint = make_fingerprint(document);
    return true;
}

/* Hands an error on that is fit to be printed; always NULL. */
static void *refuse(GError *cause, GError **error)
{
    lag_message_tidy(cause);
    g_propagate_error(error, cause);
    return NULL;
}

lag_document *lag_document_parse(const char *text, size_t length, const char *name,
                                 const char *folder, const char *const *sets, GError **error)
{
    GError *cause = NULL;
    g_autoptr(lag_document) document = g_new0(lag_document, 1);

    document->sources.folder = g_strdup(folder);
    document->sources.files =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
    document->sources.shelf = lag_dataset_shelf_new();
    document->root = lag_yaml_parse(text, length, name, true, &cause);
    if (document->root == NULL || !complete(document, sets, &cause))
        return refuse(cause, error);
    return g_steal_pointer(&document);
}

lag_document *lag_document_load(const char *path, const char *const *sets, GError **error)
{
    GError *cause = NULL;
    g_autoptr(GBytes) contents = lag_file_read(path, MOST_TEXT, &cause);
    g_autofree char *folder = g_path_get_dirname(path);
    size_t length = 0;

    if (contents == NULL) {
        g_prefix_error(&cause, "%s: ", path);
        return refuse(cause, error);
    }
    const char *text = g_bytes_get_data(contents, &length);
    return lag_document_parse(text != NULL ? text : "", length, path, folder, sets, error);
}

void lag_document_free(lag_document *document)
{
    if (document == NULL)
        return;
    lag_sweep_clear(&document->sweep);
    lag_node_unref(document->root);
    g_hash_table_unref(document->sources.files);
    lag_dataset_shelf_free(document->sources.shelf);
    g_free(document->sources.folder);
    g_free(document->fingerprint);
    g_free(document);
}

const char *lag_document_fingerprint(const lag_document *document)
{
    return document->fingerprint;
}

uint32_t lag_document_n_points(const lag_document *document)
{
    return document->sweep.n_points;
}

uint32_t lag_document_n_axes(const lag_document *document)
{
    return document->sweep.axes->len;
}

const char *lag_document_axis(const lag_document *document, uint32_t axis)
{
    return g_array_index(document->sweep.axes, struct lag_axis, axis).name;
}

struct lag_coordinate lag_document_coordinate(const lag_document *document, uint32_t point,
                                              uint32_t axis)
{
    uint32_t value = lag_sweep_index(&document->sweep, point, axis);

    return g_array_index(document->sweep.axes, struct lag_axis, axis).coordinates[value];
}

lag_scenario *lag_document_point(const lag_document *document, uint32_t point, GError **error)
{
    GError *cause = NULL;
    g_autoptr(lag_node) tree = lag_sweep_tree(&document->sweep, document->root, point, &cause);
    lag_scenario *scenario =
        tree != NULL ? lag_scenario_read(tree, &document->sources, &cause) : NULL;

    if (scenario != NULL)
        return scenario;
    if (document->sweep.axes->len > 0) {
        g_autofree char *where = lag_sweep_point_text(&document->sweep, point);
        g_autofree char *message = cause->message;
        cause->message = g_strdup_printf("%s (at the sweep's point %s)", message, where);
    }
    return refuse(cause, error);
}
