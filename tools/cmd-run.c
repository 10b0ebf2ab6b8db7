/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "results/csv.h"
#include "results/json.h"
#include "results/render.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/session.h"

#define MAX_JOBS 1024

/* One scenario, from the file to its results. */
struct job {
    const char *file;
    lag_document *document;
    lag_campaign *campaign;
    lag_result_set *set; /* NULL until it has run */
};

static void clear_job(gpointer data)
{
    struct job *job = data;

    lag_result_set_free(job->set);
    lag_campaign_free(job->campaign);
    lag_document_free(job->document);
}

static void append_nccl(GString *text, const GArray *jobs)
{
    g_autofree struct lag_nccl_part *parts = g_new(struct lag_nccl_part, jobs->len);

    for (guint i = 0; i < jobs->len; i++) {
        const struct job *job = &g_array_index(jobs, struct job, i);
        parts[i] = (struct lag_nccl_part){job->set, lag_campaign_buffers(job->campaign)};
    }
    lag_nccl_tables(text, parts, jobs->len, LAGGARD_VERSION);
}

/* The ways to print results. */
static const struct format {
    const char *name;
    void (*append)(GString *text, lag_result_set *const *sets, uint32_t n_sets,
                   const char *version); /* NULL: nccl, which wants more than the sets */
} formats[] = {
    {"table", lag_render_tables },
    {"json",  lag_json_documents},
    {"csv",   lag_csv_table     },
    {"nccl",  NULL              },
};

typedef struct options {
    char **files, **sets;
    char *seed, *replications, *precision, *engine, *format, *output, *db, *detail, *progress;
    int jobs;
    gboolean quiet;
} run_options;

static void clear_options(struct options *options)
{
    g_strfreev(options->files);
    g_strfreev(options->sets);
    g_free(options->seed);
    g_free(options->replications);
    g_free(options->precision);
    g_free(options->engine);
    g_free(options->format);
    g_free(options->output);
    g_free(options->db);
    g_free(options->detail);
    g_free(options->progress);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(run_options, clear_options)

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"set",              0, 0, G_OPTION_ARG_STRING_ARRAY,   &options->sets,
         "override a key of the scenario, such as workload.size=64MiB",                                                   "PATH=VALUE"            },
        {"seed",             0, 0, G_OPTION_ARG_STRING,         &options->seed,         "the same as --set run.seed=N",   "N"                     },
        {"precision",        0, 0, G_OPTION_ARG_STRING,         &options->precision,
         "the same as --set run.precision=P, such as 1%",                                                                 "P"                     },
        {"replications",     0, 0, G_OPTION_ARG_STRING,         &options->replications,
         "the same as --set run.replications=N",                                                                          "N"                     },
        {"engine",           0, 0, G_OPTION_ARG_STRING,         &options->engine,       "the same as --set run.engine=E",
         "auto|replay|lockstep"                                                                                                                   },
        {"jobs",             0, 0, G_OPTION_ARG_INT,            &options->jobs,
         "threads (default: the processors); results don't depend on it",                                                 "N"                     },
        {"format",           0, 0, G_OPTION_ARG_STRING,         &options->format,       "how to print (default: table)",
         "table|json|csv|nccl"                                                                                                                    },
        {"output",           0, 0, G_OPTION_ARG_FILENAME,       &options->output,
         "where to (default: standard output)",                                                                           "FILE"                  },
        {"db",               0, 0, G_OPTION_ARG_FILENAME,       &options->db,
         "the database that keeps the results (default: laggard.db in the current folder)",                               "FILE|none"             },
        {"detail",           0, 0, G_OPTION_ARG_STRING,         &options->detail,
         "what it keeps of them (default: all up to 10,000 points, then points)",                                         "points|ranks|links|all"},
        {"progress",         0, 0, G_OPTION_ARG_STRING,         &options->progress,
         "how to tell how far it is, after the first second (default: auto)",                                             "auto|bar|plain|none"   },
        {"quiet",            0, 0, G_OPTION_ARG_NONE,           &options->quiet,        "no warnings, no progress",       NULL                    },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files,        NULL,                             NULL                    },
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,                   NULL,                             NULL                    },
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
    add_set(sets, "run.precision", options->precision);
    add_set(sets, "run.engine", options->engine);
    g_ptr_array_add(sets, NULL);
    return sets;
}

/* Everything that can be wrong with the input is found before anything runs. */
static bool load_job(struct job *job, const struct options *options, const GPtrArray *sets,
                     GError **error)
{
    job->document = lag_document_load(job->file, (const char *const *)sets->pdata, error);
    if (job->document == NULL)
        return false;
    job->campaign =
        lag_campaign_new(job->document, NULL, lag_document_n_points(job->document), error);
    if (job->campaign == NULL)
        return false;
    const GPtrArray *warnings = lag_campaign_warnings(job->campaign);
    for (guint i = 0; !options->quiet && i < warnings->len; i++)
        lag_command_warn(g_ptr_array_index(warnings, i));
    return true;
}

static bool load_jobs(GArray *jobs, const struct options *options, const GPtrArray *sets,
                      GError **error)
{
    for (char **file = options->files; *file != NULL; file++) {
        struct job job = {.file = *file};
        g_array_append_val(jobs, job);
        if (!load_job(&g_array_index(jobs, struct job, jobs->len - 1), options, sets, error))
            return false;
    }
    return true;
}

static uint64_t count_points(const GArray *jobs)
{
    uint64_t n = 0;

    for (guint i = 0; i < jobs->len; i++)
        n += lag_campaign_n_points(g_array_index(jobs, struct job, i).campaign);
    return n;
}

/* --detail: -1 where it isn't given, -2 where it is wrong. */
static int find_detail(const char *word, GError **error)
{
    const char *words[LAG_DETAIL_ALL + 2] = {NULL};

    if (word == NULL)
        return -1;
    for (int i = 0; i <= LAG_DETAIL_ALL; i++)
        words[i] = lag_detail_name((enum lag_detail)i);
    int detail = lag_command_choice("--detail", word, words, error);
    return detail < 0 ? -2 : detail;
}

static lag_session *open_session(const struct options *options, const GArray *jobs, GError **error)
{
    struct lag_session_options session = {.db = options->db, .quiet = options->quiet};
    int progress = lag_progress_mode(options->progress, error);

    if (progress < 0)
        return NULL;
    session.detail = find_detail(options->detail, error);
    if (session.detail < -1)
        return NULL;
    session.progress = options->quiet ? LAG_PROGRESS_NONE : (enum lag_progress_mode)progress;
    return lag_session_new(&session, count_points(jobs), error);
}

/* Runs all jobs; those behind an interrupted one, and this one too where it has no point done,
 * are left without a set and taken out. */
static bool run_jobs(lag_session *session, GArray *jobs, const struct options *options,
                     const GPtrArray *sets, char *const *arguments, GError **error)
{
    guint n = 0;

    for (; n < jobs->len && !(n > 0 && lag_session_is_interrupted(session)); n++) {
        struct job *job = &g_array_index(jobs, struct job, n);
        g_autoptr(lag_manifest) manifest = NULL;
        if (lag_session_stores(session))
            manifest = lag_manifest_new(job->file, (const char *const *)sets->pdata, arguments);
        job->set =
            lag_session_run(session, job->campaign, manifest, (unsigned)options->jobs, error);
        if (job->set == NULL)
            return false;
    }
    while (n > 0 && g_array_index(jobs, struct job, n - 1).set->n_results == 0)
        n--;
    g_array_set_size(jobs, n);
    return true;
}

/* One warning for a file whose transfers take next to no time; buffers of no bytes have their own. */
static void warn_of_networks(const struct job *job)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < job->set->n_results; i++) {
        const struct lag_result *row = &job->set->results[i];
        n += row->status == LAG_OK && row->n_ranks > 1 && row->size > 0 &&
             !lag_network_matters(&row->path);
    }
    if (n == 0)
        return;
    g_autofree char *text = g_strdup_printf("%s: transfers take less than %g of the time in %u of "
                                            "%u rows: there the network can't matter",
                                            job->file, LAG_NETWORK_MATTERS, n, job->set->n_results);
    lag_command_warn(text);
}

/* One message for all rows that could not finish: the first of them. */
static int report_unfinished(const GArray *jobs)
{
    const struct lag_result *first = NULL;
    uint32_t n = 0;

    for (guint i = 0; i < jobs->len; i++) {
        const lag_result_set *set = g_array_index(jobs, struct job, i).set;
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

static bool print_jobs(const GArray *jobs, const struct format *format, const char *path,
                       GError **error)
{
    g_autofree lag_result_set **sets = g_new(lag_result_set *, jobs->len);
    g_autoptr(GString) text = g_string_new(NULL);

    if (jobs->len == 0)
        return true;
    for (guint i = 0; i < jobs->len; i++)
        sets[i] = g_array_index(jobs, struct job, i).set;
    if (format->append != NULL)
        format->append(text, sets, jobs->len, LAGGARD_VERSION);
    else
        append_nccl(text, jobs);
    return lag_output_text(path, text, error);
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
    g_auto(GStrv) arguments = g_strdupv(argv);
    g_autoptr(GArray) jobs = g_array_new(FALSE, FALSE, sizeof(struct job));
    g_autoptr(GError) error = NULL;

    g_array_set_clear_func(jobs, clear_job);
    if (!parse(command, argc, argv, &options, &error))
        return lag_command_fail(error);
    g_autoptr(GPtrArray) sets = collect_sets(&options);
    int format = find_format(options.format, &error);
    if (format < 0 || !load_jobs(jobs, &options, sets, &error))
        return lag_command_fail(error);
    g_autoptr(lag_session) session = open_session(&options, jobs, &error);
    if (session == NULL || !run_jobs(session, jobs, &options, sets, arguments, &error))
        return lag_command_fail(error);
    int status = lag_session_end(session);
    if (!print_jobs(jobs, &formats[format], options.output, &error))
        return lag_command_fail(error);
    for (guint i = 0; !options.quiet && i < jobs->len; i++)
        warn_of_networks(&g_array_index(jobs, struct job, i));
    int unfinished = report_unfinished(jobs);
    return status != LAG_EXIT_OK ? status : unfinished;
}
