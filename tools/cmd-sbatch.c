/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "scenarios/scenario.h"
#include "tools/command.h"
#include "tools/output.h"

typedef struct options {
    char **files, **sets;
    char *seed, *time, *db;
    int shards;
} sbatch_options;

static void clear_options(struct options *options)
{
    g_strfreev(options->files);
    g_strfreev(options->sets);
    g_free(options->seed);
    g_free(options->time);
    g_free(options->db);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(sbatch_options, clear_options)

/* More tasks than Slurm takes in an array, unless its administrator says otherwise. */
#define MOST_TASKS 1000

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"shards",           0, 0, G_OPTION_ARG_INT,            &options->shards, "tasks of the array, up to 1000", "N"         },
        {"time",             0, 0, G_OPTION_ARG_STRING,         &options->time,
         "the most that a task may take, as Slurm has it: 00:30:00",                                                "T"         },
        {"db",               0, 0, G_OPTION_ARG_FILENAME,       &options->db,
         "the merged database (default: laggard.db)",                                                               "FILE"      },
        {"set",              0, 0, G_OPTION_ARG_STRING_ARRAY,   &options->sets,
         "override a key of the scenario in each task, such as workload.size=64MiB",                                "PATH=VALUE"},
        {"seed",             0, 0, G_OPTION_ARG_STRING,         &options->seed,   "the same as --set run.seed=N",   "N"         },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files,  NULL,                             NULL        },
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,             NULL,                             NULL        },
    };
    const char *fault = NULL;

    if (!lag_command_parse(command, entries, &argc, &argv, error) ||
        !lag_command_count(options->files, 1, 1, "FILE", error))
        return false;
    if (options->shards < 1 || options->shards > MOST_TASKS)
        fault = "--shards: expected a whole number from 1 to 1000";
    else if (options->time == NULL || options->time[0] == '\0' ||
             strspn(options->time, "0123456789:-") != strlen(options->time))
        fault = "--time: expected a time as Slurm has it, such as 00:30:00";
    if (fault != NULL)
        g_set_error_literal(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, fault);
    return fault == NULL;
}

/* "results.db" -> "results" and ".db" */
static size_t stem_length(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

    return dot == NULL || dot == path || (slash != NULL && dot <= slash + 1) ? strlen(path)
                                                                             : (size_t)(dot - path);
}

/* All overrides, as a list that ends with NULL; --seed comes last and wins. */
static GPtrArray *collect_sets(const struct options *options)
{
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);

    for (char **set = options->sets; set != NULL && *set != NULL; set++)
        g_ptr_array_add(sets, g_strdup(*set));
    if (options->seed != NULL)
        g_ptr_array_add(sets, g_strdup_printf("run.seed=%s", options->seed));
    g_ptr_array_add(sets, NULL);
    return sets;
}

/* The file and its overrides, as a shell takes them; newly allocated. */
static char *quote_scenario(const struct options *options, const char *const *sets)
{
    g_autofree char *file = g_shell_quote(options->files[0]);
    GString *text = g_string_new(file);

    for (; *sets != NULL; sets++) {
        g_autofree char *set = g_shell_quote(*sets);
        g_string_append_printf(text, " --set %s", set);
    }
    return g_string_free(text, FALSE);
}

static void append_script(GString *text, const struct options *options, const char *const *sets)
{
    const char *db = options->db != NULL ? options->db : "laggard.db";
    size_t length = stem_length(db);
    g_autofree char *stem = g_strndup(db, length);
    g_autofree char *quoted_stem = g_shell_quote(stem);
    g_autofree char *quoted_end = g_shell_quote(db + length);
    g_autofree char *quoted_db = g_shell_quote(db);
    g_autofree char *file = quote_scenario(options, sets);
    g_autofree char *sweep = g_strdup_printf(
        "exec laggard sweep %s --shard \"$SLURM_ARRAY_TASK_ID/%d\" --resume --retry-failed"
        " --db %s --jobs \"${SLURM_CPUS_PER_TASK:-1}\" --progress plain",
        file, options->shards, quoted_db);
    g_autofree char *merge = g_strdup_printf("exec laggard merge %s.*-of-%d%s -o %s", quoted_stem,
                                             options->shards, quoted_end, quoted_db);
    g_autofree char *quoted_sweep = g_shell_quote(sweep);
    g_autofree char *quoted_merge = g_shell_quote(merge);

    g_string_append_printf(text,
                           "#!/bin/sh\n"
                           "# Submits the sweep as an array of %d tasks, and a job that merges\n"
                           "# what they leave, whatever becomes of them. An argument says which\n"
                           "# tasks to submit again, as `laggard merge --missing` prints them.\n"
                           "set -eu\n"
                           "array=$(sbatch --parsable --job-name=laggard --time=%s"
                           " --array=\"${1:-0-%d}\" \\\n"
                           "    --output=laggard-%%A_%%a.log --wrap %s)\n"
                           "merge=$(sbatch --parsable --job-name=laggard-merge --time=%s"
                           " --dependency=\"afterany:${array%%%%;*}\" \\\n"
                           "    --output=laggard-merge-%%j.log --wrap %s)\n"
                           "echo \"array ${array%%%%;*}, merge ${merge%%%%;*}\"\n",
                           options->shards, options->time, options->shards - 1, quoted_sweep,
                           options->time, quoted_merge);
}

int lag_cmd_sbatch(const struct lag_command *command, int argc, char **argv)
{
    g_auto(sbatch_options) options = {0};
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (!parse(command, argc, argv, &options, &error))
        return lag_command_fail(error);
    g_autoptr(GPtrArray) sets = collect_sets(&options);
    const char *const *overrides = (const char *const *)sets->pdata;
    g_autoptr(lag_document) document = lag_document_load(options.files[0], overrides, &error);
    if (document == NULL)
        return lag_command_fail(error);
    append_script(text, &options, overrides);
    if (!lag_output_text(NULL, text, &error))
        return lag_command_fail(error);
    return LAG_EXIT_OK;
}
