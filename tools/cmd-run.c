/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "results/json.h"
#include "results/render.h"
#include "tools/campaign.h"
#include "tools/command.h"
#include "tools/output.h"

#define MAX_JOBS 1024

/* The ways to print results. */
static const struct format {
    const char *name;
    void (*append)(GString *text, lag_result_set *const *sets, uint32_t n_sets,
                   const char *version);
} formats[] = {
    {"table", lag_render_tables },
    {"json",  lag_json_documents},
};

typedef struct options {
    char **files, **sets;
    char *seed, *replications, *engine, *format, *output;
    int jobs;
    gboolean quiet;
} run_options;

static void clear_options(struct options *options)
{
    g_strfreev(options->files);
    g_strfreev(options->sets);
    g_free(options->seed);
    g_free(options->replications);
    g_free(options->engine);
    g_free(options->format);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(run_options, clear_options)

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"set",              0, 0, G_OPTION_ARG_STRING_ARRAY,   &options->sets,
         "override a key of the scenario, such as workload.size=64MiB",                                                   "PATH=VALUE"},
        {"seed",             0, 0, G_OPTION_ARG_STRING,         &options->seed,         "the same as --set run.seed=N",   "N"         },
        {"replications",     0, 0, G_OPTION_ARG_STRING,         &options->replications,
         "the same as --set run.replications=N",                                                                          "N"         },
        {"engine",           0, 0, G_OPTION_ARG_STRING,         &options->engine,       "the same as --set run.engine=E",
         "auto|replay"                                                                                                                },
        {"jobs",             0, 0, G_OPTION_ARG_INT,            &options->jobs,
         "threads (default: the processors); results don't depend on it",                                                 "N"         },
        {"format",           0, 0, G_OPTION_ARG_STRING,         &options->format,       "how to print (default: table)",
         "table|json"                                                                                                                 },
        {"output",           0, 0, G_OPTION_ARG_FILENAME,       &options->output,
         "where to (default: standard output)",                                                                           "FILE"      },
        {"quiet",            0, 0, G_OPTION_ARG_NONE,           &options->quiet,        "no warnings",                    NULL        },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files,        NULL,                             NULL        },
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,                   NULL,                             NULL        },
    };

    if (!lag_command_parse(command, entries, &argc, &argv, error) ||
        !lag_command_count(options->files, 1, G_MAXUINT, "FILE", error))
        return false;
    if (options->jobs >= 1 && options->jobs <= MAX_JOBS)
        return lag_output_check(options->output, error);
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "--jobs: expected a whole number from 1 to %d, got %d", MAX_JOBS, options->jobs);
    return false;
}

static void add_set(GPtrArray *sets, const char *key, const char *value)
{
    if (value != NULL)
        g_ptr_array_add(sets, g_strdup_printf("%s=%s", key, value));
}

/* All overrides, as a list that ends with NULL; the short options come last and win. */
static GPtrArray *collect_sets(const struct options *options)
{
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);

    for (char **set = options->sets; set != NULL && *set != NULL; set++)
        g_ptr_array_add(sets, g_strdup(*set));
    add_set(sets, "run.seed", options->seed);
    add_set(sets, "run.replications", options->replications);
    add_set(sets, "run.engine", options->engine);
    g_ptr_array_add(sets, NULL);
    return sets;
}

static lag_result_set *run_file(const char *file, const struct options *options,
                                const GPtrArray *sets, GError **error)
{
    g_autoptr(lag_document) document =
        lag_document_load(file, (const char *const *)sets->pdata, error);

    if (document == NULL)
        return NULL;
    g_autoptr(lag_campaign) campaign =
        lag_campaign_new(document, 0, lag_document_n_points(document), error);
    if (campaign == NULL)
        return NULL;
    const GPtrArray *warnings = lag_campaign_warnings(campaign);
    for (guint i = 0; !options->quiet && i < warnings->len; i++)
        lag_command_warn(g_ptr_array_index(warnings, i));
    return lag_campaign_run(campaign, (unsigned)options->jobs, error);
}

/* One message for all rows that could not finish: the first of them. */
static int report_unfinished(GPtrArray *results)
{
    const struct lag_result *first = NULL;
    uint32_t n = 0;

    for (guint i = 0; i < results->len; i++) {
        const lag_result_set *set = g_ptr_array_index(results, i);
        for (uint32_t j = 0; j < set->n_results; j++) {
            if (set->results[j].status == LAG_OK)
                continue;
            first = n++ == 0 ? &set->results[j] : first;
        }
    }
    if (first == NULL)
        return LAG_EXIT_OK;
    g_autofree char *more = n > 1 ? g_strdup_printf(" (nor could %u more)", n - 1) : g_strdup("");
    fprintf(stderr, "laggard: error: %s could not finish%s: %s\n", first->label, more,
            first->message);
    return LAG_EXIT_FAILED;
}

static void free_set(gpointer set)
{
    lag_result_set_free(set);
}

static bool run_files(const struct options *options, GPtrArray *results, GError **error)
{
    g_autoptr(GPtrArray) sets = collect_sets(options);

    for (char **file = options->files; *file != NULL; file++) {
        lag_result_set *set = run_file(*file, options, sets, error);
        if (set == NULL)
            return false;
        g_ptr_array_add(results, set);
    }
    return true;
}

static int find_format(const char *name, GError **error)
{
    const char *words[G_N_ELEMENTS(formats) + 1] = {NULL};

    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        words[i] = formats[i].name;
    return lag_command_choice("--format", name, words, error);
}

int lag_cmd_run(const struct lag_command *command, int argc, char **argv)
{
    g_auto(run_options) options = {.jobs = (int)MIN(g_get_num_processors(), MAX_JOBS)};
    g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(free_set);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (!parse(command, argc, argv, &options, &error))
        return lag_command_fail(error);
    int format = find_format(options.format, &error);
    if (format < 0 || !run_files(&options, results, &error))
        return lag_command_fail(error);
    formats[format].append(text, (lag_result_set *const *)results->pdata, results->len,
                           LAGGARD_VERSION);
    if (!lag_output_text(options.output, text, &error))
        return lag_command_fail(error);
    return report_unfinished(results);
}
