/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "results/merge.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/shard.h"

#define PATIENCE 10000 /* with other processes that lock a database [ms] */

typedef struct options {
    char **files;
    char *output;
    gboolean missing;
} merge_options;

static void clear_options(struct options *options)
{
    g_strfreev(options->files);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(merge_options, clear_options)

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"output",           'o', 0, G_OPTION_ARG_FILENAME,       &options->output,
         "the database that they go to; one that is there is added to",                    "DB"},
        {"missing",          0,   0, G_OPTION_ARG_NONE,           &options->missing,
         "print only the shards that lack points, as sbatch --array takes them",           NULL},
        {G_OPTION_REMAINING, 0,   0, G_OPTION_ARG_FILENAME_ARRAY, &options->files,   NULL, NULL},
        {NULL,               0,   0, G_OPTION_ARG_NONE,           NULL,              NULL, NULL},
    };

    if (!lag_command_parse(command, entries, &argc, &argv, error) ||
        !lag_command_count(options->files, 1, G_MAXUINT, "DB", error))
        return false;
    if (options->output != NULL)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "--output is missing: the database to merge into, -o all.db");
    return false;
}

static bool check_same(const char *path, const struct lag_store_latest *one, const char *first_path,
                       const struct lag_store_latest *first, GError **error)
{
    if (strcmp(one->fingerprint, first->fingerprint) == 0)
        return true;
    g_autofree char *difference = lag_store_difference(first, one->version, one->configuration);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: is of another sweep than %s: %s",
                path, first_path, difference);
    return false;
}

/* Looks at all files before one of them is merged: runs[i] is the newest of files[i], and
 * `ret_first` the first that has one. A shard that was killed in its first moment has none. */
static bool look_at_all(char *const *files, struct lag_store_latest *runs, guint n,
                        guint *ret_first, GError **error)
{
    guint first = n;

    for (guint i = 0; i < n; i++) {
        if (!lag_merge_look(files[i], PATIENCE, &runs[i], error))
            return false;
        if (runs[i].id == 0) {
            g_autofree char *warning = g_strdup_printf("%s: holds no run", files[i]);
            lag_command_warn(warning);
            continue;
        }
        first = MIN(first, i);
        if (!check_same(files[i], &runs[i], files[first], &runs[first], error))
            return false;
    }
    if (first == n)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "there is no run to merge");
    *ret_first = first;
    return first < n;
}

/* "0,3-5" of the shards that own a point which isn't done; newly allocated. */
static char *list_shards(const uint8_t *done, uint32_t n_points, uint32_t n_shards)
{
    g_autofree uint32_t *owners = lag_shard_owners(n_shards, n_points);
    g_autofree uint8_t *lacks = g_new0(uint8_t, n_shards + 1);
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < n_points; i++)
        lacks[owners[i]] |= !done[i];
    for (uint32_t i = 0; i < n_shards; i++) {
        uint32_t first = i;
        if (!lacks[i])
            continue;
        while (lacks[i + 1])
            i++;
        g_string_append_printf(text, "%s%u", text->len > 0 ? "," : "", first);
        if (i > first)
            g_string_append_printf(text, "-%u", i);
    }
    return g_string_free(text, FALSE);
}

/* The first points that aren't done, "3, 7, ...", newly allocated. */
static char *list_points(const uint8_t *done, uint32_t n_points)
{
    GString *text = g_string_new(NULL);
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_points && n <= 10; i++) {
        if (done[i])
            continue;
        if (n++ < 10)
            g_string_append_printf(text, "%s%u", text->len > 0 ? ", " : "", i);
        else
            g_string_append(text, ", ...");
    }
    return g_string_free(text, FALSE);
}

/* What the merged run has and lacks. The exit status; -1 with an error. */
static int report(lag_store *store, const struct options *options, uint32_t n_shards,
                  GError **error)
{
    struct lag_store_latest run;
    struct lag_store_counts counts;
    const lag_database *database = lag_store_database(store);

    if (!lag_store_latest_read(database, &run, error))
        return -1;
    uint32_t n = run.n_points;
    int64_t id = run.id;
    g_autofree uint8_t *done = g_new0(uint8_t, n);
    lag_store_latest_clear(&run);
    if (!lag_store_count(database, id, &counts, error) ||
        !lag_store_done(database, id, done, n, error))
        return -1;
    bool complete = counts.n_points == n;
    lag_store_continue_run(store, id, LAG_DETAIL_POINTS);
    if (complete && !lag_store_end_run(store, error))
        return -1;
    g_autofree char *shards = list_shards(done, n, MAX(n_shards, 1));
    g_autofree char *points = list_points(done, n);
    g_autoptr(GString) text = g_string_new(NULL);
    if (options->missing)
        g_string_append_printf(text, "%s%s", shards, complete ? "" : "\n");
    else
        g_string_printf(text,
                        "%s: %" G_GINT64_FORMAT " of %u points, %" G_GINT64_FORMAT " failed\n",
                        options->output, counts.n_points, n, counts.n_failed);
    if (!lag_output_text(NULL, text, error))
        return -1;
    if (!complete)
        fprintf(stderr, "laggard: error: %" G_GINT64_FORMAT " points are missing: %s%s%s\n",
                n - counts.n_points, points, n_shards > 0 ? "; of shards " : "",
                n_shards > 0 ? shards : "");
    if (counts.n_failed > 0)
        fprintf(stderr,
                "laggard: error: %" G_GINT64_FORMAT " points have failed; run their shards "
                "again with --resume --retry-failed\n",
                counts.n_failed);
    return complete && counts.n_failed == 0 ? LAG_EXIT_OK : LAG_EXIT_INCOMPLETE;
}

/* Into how many shards the sweep was cut; false where the inputs don't agree. */
static bool find_cut(char *const *files, const struct lag_store_latest *runs, guint n,
                     uint32_t *ret, GError **error)
{
    *ret = 0;
    for (guint i = 0; i < n; i++) {
        if (runs[i].n_shards > 0 && *ret > 0 && runs[i].n_shards != *ret) {
            g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                        "%s: is one of %u shards, but others are of %u", files[i], runs[i].n_shards,
                        *ret);
            return false;
        }
        *ret = MAX(*ret, runs[i].n_shards);
    }
    return true;
}

/* Merges them all. The exit status; -1 with an error. */
static int merge(const struct options *options, struct lag_store_latest *runs, guint n,
                 GError **error)
{
    struct lag_store_latest old;
    uint32_t n_shards;
    guint first;

    if (!look_at_all(options->files, runs, n, &first, error) ||
        !find_cut(options->files, runs, n, &n_shards, error))
        return -1;
    g_autoptr(lag_store) store = lag_store_open(options->output, PATIENCE, error);
    if (store == NULL || !lag_store_latest_read(lag_store_database(store), &old, error))
        return -1;
    bool same = old.id == 0 ||
                check_same(options->output, &old, options->files[first], &runs[first], error);
    lag_store_latest_clear(&old);
    if (!same)
        return -1;
    for (guint i = 0; i < n; i++)
        if (runs[i].id > 0 && !lag_merge_add(store, options->files[i], runs[i].id, error))
            return -1;
    return report(store, options, n_shards, error);
}

int lag_cmd_merge(const struct lag_command *command, int argc, char **argv)
{
    g_auto(merge_options) options = {0};
    g_autoptr(GError) error = NULL;

    if (!parse(command, argc, argv, &options, &error))
        return lag_command_fail(error);
    guint n = g_strv_length(options.files);
    g_autofree struct lag_store_latest *runs = g_new0(struct lag_store_latest, n);
    int status = merge(&options, runs, n, &error);
    for (guint i = 0; i < n; i++)
        lag_store_latest_clear(&runs[i]);
    return status < 0 ? lag_command_fail(error) : status;
}
