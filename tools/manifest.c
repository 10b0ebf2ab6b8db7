/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/manifest.h"

#include <string.h>

#include "results/json-writer.h"
#include "scenarios/file.h"
#include "scenarios/yaml.h"
#include "tools/commit.h"

#define MOST_TEXT ((size_t)32 << 20) /* as the loader takes */

static char *read_text(const char *file)
{
    g_autoptr(GBytes) contents = NULL;
    size_t length = 0;

    if (g_file_test(file, G_FILE_TEST_IS_REGULAR))
        contents = lag_file_read(file, MOST_TEXT, NULL);
    if (contents == NULL)
        return g_strdup("");
    const char *data = g_bytes_get_data(contents, &length);
    return g_strndup(data, length);
}

/* The tree with one "path=value" more, or NULL. Takes the tree over. */
static lag_node *apply_set(lag_node *root, const char *set)
{
    g_autoptr(lag_node) before = root;
    const char *equals = strchr(set, '=');

    if (before == NULL || equals == NULL)
        return NULL;
    g_autofree char *name = g_strndup(set, (size_t)(equals - set));
    g_autoptr(lag_keypath) path = lag_keypath_parse(name, NULL);
    g_autoptr(lag_node) value =
        lag_yaml_parse(equals + 1, strlen(equals + 1), "--set", false, NULL);
    return path == NULL || value == NULL ? NULL : lag_node_set(before, path, value, NULL);
}

static char *resolve(const char *text, const char *const *sets)
{
    lag_node *tree = lag_yaml_parse(text, strlen(text), "scenario", true, NULL);
    GString *canonical = g_string_new(NULL);

    for (; *sets != NULL; sets++)
        tree = apply_set(tree, *sets);
    if (tree != NULL)
        lag_node_append_canonical(tree, canonical);
    lag_node_unref(tree);
    return g_string_free(canonical, FALSE);
}

static char *list_arguments(char *const *arguments)
{
    GString *text = g_string_new(NULL);
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_array(&json, NULL, LAG_JSON_ONE_LINE);
    for (; *arguments != NULL; arguments++)
        lag_json_string(&json, NULL, *arguments);
    lag_json_close(&json);
    g_string_truncate(text, text->len - 1); /* the end of the line */
    return g_string_free(text, FALSE);
}

lag_manifest *lag_manifest_new(const char *file, const char *const *sets, char *const *arguments)
{
    lag_manifest *manifest = g_new0(lag_manifest, 1);

    manifest->version = LAGGARD_VERSION;
    manifest->commit = strcmp(LAGGARD_COMMIT, "unknown") == 0 ? "" : LAGGARD_COMMIT;
    manifest->text = read_text(file);
    manifest->configuration = resolve(manifest->text, sets);
    manifest->arguments = list_arguments(arguments);
    return manifest;
}

void lag_manifest_free(lag_manifest *manifest)
{
    if (manifest == NULL)
        return;
    g_free(manifest->text);
    g_free(manifest->configuration);
    g_free(manifest->arguments);
    g_free(manifest);
}
