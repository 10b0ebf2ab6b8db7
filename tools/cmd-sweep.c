/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "results/store-csv.h"
#include "results/store-read.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/sweep-estimate.h"
#include "tools/sweep.h"

#define MAX_JOBS   1024
#define DEFAULT_DB "laggard.db"
#define LONG_SWEEP 1000  /* points */
#define PATIENCE   10000 /* with other processes that lock the database [ms] */

typedef struct options {
    char **files, **sets;
    char *seed, *replications, *precision, *engine;
    char *format, *output, *db, *detail, *progress, *shard;
    int jobs;
    gboolean quiet, estimate, resume, retry_failed;
} sweep_options;

static void clear_options(struct options *options)
{
    char *texts[] = {options->seed,     options->replications, options->precision, options->engine,
                     options->format,   options->output,       options->db,        options->detail,
                     options->progress, options->shard};

    g_strfreev(options->files);
    g_strfreev(options->sets);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(sweep_options, clear_options)

static const char *const formats[] = {"summary", "csv", NULL};

static bool check_options(const struct options *options, GError **error)
{
    const char *fault = NULL;

    if (options->jobs < 1 || options->jobs > MAX_JOBS)
        fault = "--jobs: expected a whole number from 1 to 1024";
    else if (g_strcmp0(options->db, "none") == 0)
        fault = "--db none: a sweep goes to a database; `laggard run` needs none";
    else if (options->retry_failed && !options->resume)
        fault = "--retry-failed goes with --resume";
    if (fault != NULL)
        g_set_error_literal(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, fault);
    return fault == NULL && lag_output_check(options->output, error) &&
           lag_command_choice("--format", options->format, formats, error) >= 0;
}

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"shard",            0, 0, G_OPTION_ARG_STRING,         &options->shard,
         "only these of the points, such as 0/8; auto asks Slurm, Open MPI or MPICH",                                     "I/N|auto"              },
        {"estimate",         0, 0, G_OPTION_ARG_NONE,           &options->estimate,
         "only tell what the sweep would take",                                                                           NULL                    },
        {"resume",           0, 0, G_OPTION_ARG_NONE,           &options->resume,
         "go on with the database's newest run, where there is one",                                                      NULL                    },
        {"retry-failed",     0, 0, G_OPTION_ARG_NONE,           &options->retry_failed,
         "with --resume: run those that have failed once more",                                                           NULL                    },
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
        {"format",           0, 0, G_OPTION_ARG_STRING,         &options->format,
         "what to print of the run (default: summary)",                                                                   "summary|csv"           },
        {"output",           0, 0, G_OPTION_ARG_FILENAME,       &options->output,
         "where to (default: standard output)",                                                                           "FILE"                  },
        {"db",               0, 0, G_OPTION_ARG_FILENAME,       &options->db,
         "the database (default: laggard.db); a shard's has its number before the ending",                                "FILE"                  },
        {"detail",           0, 0, G_OPTION_ARG_STRING,         &options->detail,
         "what it keeps (default: all up to 10,000 points, then points)",                                                 "points|ranks|links|all"},
        {"progress",         0, 0, G_OPTION_ARG_STRING,         &options->progress,
         "how to tell how far it is (default: auto)",                                                                     "auto|bar|plain|none"   },
        {"quiet",            0, 0, G_OPTION_ARG_NONE,           &options->quiet,        "no warnings, no progress",       NULL                    },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files,        NULL,                             NULL                    },
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,                   NULL,                             NULL                    },
    };

    return lag_command_parse(command, entries, &argc, &argv, error) &&
           lag_command_count(options->files, 1, 1, "FILE", error) && check_options(options, error);
}

/* All overrides, as a list that ends with NULL; the short options come last and win. */
static GPtrArray *collect_sets(const struct options *options)
{
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);
    const char *const shorts[][2] = {
        {"run.seed",         options->seed        },
        {"run.replications", options->replications},
        {"run.precision",    options->precision   },
        {"run.engine",       options->engine      }
    };

    for (char **set = options->sets; set != NULL && *set != NULL; set++)
        g_ptr_array_add(sets, g_strdup(*set));
    for (size_t i = 0; i < G_N_ELEMENTS(shorts); i++)
        if (shorts[i][1] != NULL)
            g_ptr_array_add(sets, g_strdup_printf("%s=%s", shorts[i][0], shorts[i][1]));
    g_ptr_array_add(sets, NULL);
    return sets;
}

/* -1 where it isn't given. */
static bool read_detail(const struct options *options, int *ret, GError **error)
{
    const char *words[LAG_DETAIL_ALL + 2] = {NULL};

    for (int i = 0; i <= LAG_DETAIL_ALL; i++)
        words[i] = lag_detail_name((enum lag_detail)i);
    *ret = -1;
    if (options->detail == NULL)
        return true;
    *ret = lag_command_choice("--detail", options->detail, words, error);
    return *ret >= 0;
}

static lag_session *open_session(const struct options *options, const char *db, int detail,
                                 GError **error)
{
    struct lag_session_options session = {.db = db, .quiet = options->quiet, .detail = detail};
    int progress = lag_progress_mode(options->progress, error);

    if (progress < 0)
        return NULL;
    session.progress = options->quiet ? LAG_PROGRESS_NONE : (enum lag_progress_mode)progress;
    return lag_session_new(&session, 0, error);
}

static bool write_text(void *data, const GString *text, GError **error)
{
    return lag_output_write(data, text, error);
}

static bool print_csv(const lag_database *database, int64_t run, const char *path, GError **error)
{
    struct lag_output output;

    if (!lag_output_open(&output, path, error))
        return false;
    bool written = lag_store_csv(database, run, write_text, &output, error);
    return lag_output_close(&output, written ? error : NULL) && written;
}

/* Prints what the run holds, the whole of it. The exit status, as far as that decides it. */
static int print_run(const struct options *options, const char *db,
                     const struct lag_sweep_outcome *outcome, GError **error)
{
    struct lag_store_counts counts;
    lag_database *database = lag_database_open(db, PATIENCE, error);
    bool csv = g_strcmp0(options->format, "csv") == 0;

    if (database == NULL)
        return -1;
    bool good = lag_store_count(database, outcome->run, &counts, error) &&
                (!csv || print_csv(database, outcome->run, options->output, error));
    lag_database_free(database);
    if (!good)
        return -1;
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text,
                    "%s: run %" G_GINT64_FORMAT ": %" G_GINT64_FORMAT " points, %" G_GINT64_FORMAT
                    " failed; %u had been there before\n",
                    db, outcome->run, counts.n_points, counts.n_failed, outcome->n_stored);
    if (!csv && !lag_output_text(options->output, text, error))
        return -1;
    if (counts.n_failed > 0)
        fprintf(stderr,
                "laggard: error: %" G_GINT64_FORMAT " points have failed; their message "
                "is in the results; --resume --retry-failed runs them again\n",
                counts.n_failed);
    return counts.n_failed > 0 ? LAG_EXIT_INCOMPLETE : LAG_EXIT_OK;
}

/* On standard output where that is all that is wanted; else a long sweep begins with it. */
static bool tell_estimate(const struct options *options, int detail, const lag_document *document,
                          GError **error)
{
    uint32_t n_points = lag_document_n_points(document);
    struct lag_sweep_estimate estimate;

    if (!options->estimate && (options->quiet || n_points < LONG_SWEEP))
        return true;
    if (!lag_sweep_estimate_of(document, lag_session_detail(detail, n_points), &estimate, error))
        return false;
    g_autofree char *text = lag_sweep_estimate_text(&estimate);
    g_autoptr(GString) line = g_string_new(text);
    g_string_append_c(line, '\n');
    if (options->estimate)
        return lag_output_text(options->output, line, error);
    fprintf(stderr, "laggard: %s", line->str);
    return true;
}

int lag_cmd_sweep(const struct lag_command *command, int argc, char **argv)
{
    g_auto(sweep_options) options = {.jobs = (int)MIN(g_get_num_processors(), MAX_JOBS)};
    g_auto(GStrv) arguments = g_strdupv(argv);
    struct lag_sweep_order order = {0};
    struct lag_sweep_outcome outcome;
    g_autoptr(GError) error = NULL;

    if (!parse(command, argc, argv, &options, &error) ||
        (options.shard != NULL && !lag_shard_parse(options.shard, g_getenv, &order.shard, &error)))
        return lag_command_fail(error);
    g_autoptr(GPtrArray) sets = collect_sets(&options);
    const char *const *overrides = (const char *const *)sets->pdata;
    g_autoptr(lag_document) document = lag_document_load(options.files[0], overrides, &error);
    if (document == NULL)
        return lag_command_fail(error);
    int detail;
    if (!read_detail(&options, &detail, &error) ||
        !tell_estimate(&options, detail, document, &error))
        return lag_command_fail(error);
    if (options.estimate)
        return LAG_EXIT_OK;
    g_autofree char *db = lag_shard_file(order.shard, options.db != NULL ? options.db : DEFAULT_DB);
    g_autoptr(lag_session) session = open_session(&options, db, detail, &error);
    if (session == NULL)
        return lag_command_fail(error);
    g_autoptr(lag_manifest) manifest = lag_manifest_new(options.files[0], overrides, arguments);
    order.document = document;
    order.manifest = manifest;
    order.resume = options.resume;
    order.retry_failed = options.retry_failed;
    order.quiet = options.quiet;
    order.n_jobs = (unsigned)options.jobs;
    if (!lag_sweep_run(session, &order, &outcome, &error))
        return lag_command_fail(error);
    int status = lag_session_end(session);
    if (status > 128)
        fprintf(stderr, "laggard: the same command with --resume goes on from here\n");
    int printed = outcome.run > 0 ? print_run(&options, db, &outcome, &error) : status;
    if (printed < 0)
        return lag_command_fail(error);
    return status != LAG_EXIT_OK ? status : printed;
}
