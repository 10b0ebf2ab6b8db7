/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/message.h"
#include "scenarios/quantity.h"
#include "tools/advise-follow.h"
#include "tools/advise-report.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/trace-input.h"

#define DETECT       G_MININT /* of --skip-steps: leave out what is detected */
#define DRAWS        2000
#define MOST_DRAWS   1000000
#define DEFAULT_SEED 1

typedef struct options {
    char **files;
    struct lag_trace_options trace;
    struct lag_site_options site;
    char *algorithms, *step_time, *format;
    int skip, draws, as_json;
    int64_t seed;
    gboolean follow;
    GStrv names; /* of algorithms, NULL: all */
    lag_seconds given_step_time;
} advise_options;

static void clear_options(struct options *options)
{
    g_strfreev(options->files);
    lag_trace_options_clear(&options->trace);
    lag_site_options_clear(&options->site);
    g_free(options->algorithms);
    g_free(options->step_time);
    g_free(options->format);
    g_strfreev(options->names);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(advise_options, clear_options)

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    struct lag_trace_options *trace = &options->trace;
    struct lag_site_options *site = &options->site;
    const GOptionEntry entries[] = {
        {"cluster",          0, 0, G_OPTION_ARG_FILENAME,       &site->cluster,       "take the network from a scenario",
         "FILE"                                                                                                                                  },
        {"gpus",             0, 0, G_OPTION_ARG_INT,            &site->gpus,          "ranks (default: as many as the trace has)",
         "N"                                                                                                                                     },
        {"bandwidth",        0, 0, G_OPTION_ARG_STRING,         &site->bandwidth,
         "of a port, per direction (default: 300 GB/s)",                                                                           "B"           },
        {"latency",          0, 0, G_OPTION_ARG_STRING,         &site->latency,       "of a transfer (default: 3 us)",
         "T"                                                                                                                                     },
        {"size",             0, 0, G_OPTION_ARG_STRING,         &site->size,          "of the buffer (default: 1 GiB)",            "S"           },
        {"dtype",            0, 0, G_OPTION_ARG_STRING,         &site->dtype,         "of its elements (default: fp32)",
         "TYPE"                                                                                                                                  },
        {"algorithms",       0, 0, G_OPTION_ARG_STRING,         &options->algorithms,
         "which (default: all that do it)",                                                                                        "A[,A...]"    },
        {"step-time",        0, 0, G_OPTION_ARG_STRING,         &options->step_time,
         "of a training step, for GPU-hours a day",                                                                                "T"           },
        {"skip-steps",       0, 0, G_OPTION_ARG_INT,            &options->skip,
         "leave out the first N steps, not those that are unlike the rest",                                                        "N"           },
        {"draws",            0, 0, G_OPTION_ARG_INT,            &options->draws,      "from the fitted laws (default: 2000)",
         "N"                                                                                                                                     },
        {"seed",             0, 0, G_OPTION_ARG_INT64,          &options->seed,       "of all that is drawn (default: 1)",
         "N"                                                                                                                                     },
        {"step",             0, 0, G_OPTION_ARG_STRING,         &trace->step,         "the column that numbers the steps",
         "COL"                                                                                                                                   },
        {"rank",             0, 0, G_OPTION_ARG_STRING,         &trace->rank,         "the column with the rank",                  "COL"         },
        {"wait",             0, 0, G_OPTION_ARG_STRING,         &trace->wait,
         "the column with the time that a rank spent waiting, or in the collective",                                               "COL"         },
        {"arrival",          0, 0, G_OPTION_ARG_STRING,         &trace->arrival,
         "the column, or columns to add, with the time of arrival",                                                                "COL[,COL...]"},
        {"unit",             0, 0, G_OPTION_ARG_STRING,         &trace->unit,
         "of columns whose names don't end in _s, _ms or _us",                                                                     "U"           },
        {"follow",           0, 0, G_OPTION_ARG_NONE,           &options->follow,
         "advise again when the file has more steps",                                                                              NULL          },
        {"format",           0, 0, G_OPTION_ARG_STRING,         &options->format,     "how to print (default: table)",
         "table|json"                                                                                                                            },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files,      NULL,                                        NULL          },
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,                 NULL,                                        NULL          },
    };

    return lag_command_parse(command, entries, &argc, &argv, error) &&
           lag_command_count(options->files, 1, 1, "TRACE", error);
}

static bool refuse(GError **error, const char *format, int value)
{
    g_autofree char *message = g_strdup_printf("%s, got %d", format, value);

    g_set_error_literal(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, message);
    return false;
}

static bool check(struct options *options, GError **error)
{
    static const char *const formats[] = {"table", "json", NULL};

    options->as_json = lag_command_choice("--format", options->format, formats, error);
    if (options->as_json < 0)
        return false;
    if (options->draws < 1 || options->draws > MOST_DRAWS)
        return refuse(error, "--draws: expected a whole number from 1 to 1000000", options->draws);
    if (options->algorithms != NULL)
        options->names = g_strsplit(options->algorithms, ",", -1);
    for (char **name = options->names; name != NULL && *name != NULL; name++)
        g_strstrip(*name);
    if (options->names != NULL && options->names[0] == NULL) {
        g_set_error_literal(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                            "--algorithms: expected names, for example ring,stragglar");
        return false;
    }
    options->given_step_time = NAN;
    if (options->step_time == NULL)
        return true;
    if (!lag_quantity_parse(options->step_time, LAG_TIME, &options->given_step_time, error)) {
        g_prefix_error(error, "--step-time: ");
        return false;
    }
    if (options->given_step_time > 0)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "--step-time: expected more than 0, got %s", options->step_time);
    return false;
}

/* Mean over steps of the longest rank's computing and time in the collective. */
static lag_seconds measured_step_time(const lag_trace_input *input, uint32_t n_skipped)
{
    const struct lag_measured computed = lag_measured_after(&input->computed, n_skipped);
    const struct lag_measured waited = lag_measured_after(&input->waited, n_skipped);
    lag_seconds sum = 0;

    for (size_t step = 0; step < computed.n_steps; step++) {
        lag_seconds longest = 0;
        for (size_t i = step * computed.n_ranks; i < (step + 1) * computed.n_ranks; i++)
            longest = fmax(longest, computed.arrival[i] + waited.duration[i]);
        sum += longest;
    }
    return sum / computed.n_steps;
}

static const char *find_step_time(const struct options *options, const lag_trace_input *input,
                                  uint32_t n_skipped, lag_seconds *ret)
{
    *ret = options->given_step_time;
    if (isfinite(*ret))
        return "as given";
    if (input->waited.n_steps == 0 || input->computed.n_steps == 0)
        return NULL;
    *ret = measured_step_time(input, n_skipped);
    if (*ret > 0)
        return "measured: computing and collective of the slowest rank; what the columns leave out "
               "isn't in it";
    *ret = NAN;
    return NULL;
}

static char *columns_text(const lag_trace_input *input)
{
    g_autofree char *computed = g_strjoinv(" + ", input->compute);

    return g_strdup_printf(
        "step: %s, rank: %s%s%s%s%s", input->step, input->rank,
        input->wait == NULL ? "" : ", wait: ", input->wait == NULL ? "" : input->wait,
        computed[0] == '\0' ? "" : ", arrival: ", computed);
}

/* The advice on a trace that was read, of which n_skipped steps are left out. */
static bool advise(const struct options *options, const lag_trace_input *input,
                   struct lag_fit_report *fit, GString *text, GError **error)
{
    const struct lag_measured trace = lag_measured_after(&input->trace, fit->n_skipped);
    g_autoptr(lag_site) site = lag_site_new(&options->site, trace.n_ranks, error);
    if (site == NULL)
        return false;
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&trace);
    g_autoptr(lag_late_laws) laws = lag_late_laws_new(&trace, stats);
    struct lag_question question = {
        .trace = &trace,
        .stats = stats,
        .laws = laws,
        .site = site,
        .algorithms = options->names,
        .seed = (uint64_t)options->seed,
        .n_draws = (uint32_t)options->draws,
    };
    struct lag_advice_report report = {.fit = fit};

    report.step_from = find_step_time(options, input, fit->n_skipped, &question.step_time);
    g_autoptr(lag_advice) advice = lag_advice_new(&question, error);
    if (advice == NULL)
        return false;
    report.advice = advice;
    fit->trace = &trace;
    if (options->as_json)
        lag_advice_json(text, &report, LAGGARD_VERSION);
    else
        lag_advice_table(text, &report);
    return true;
}

/* Reads a file and advises; `data` is the options. */
static bool advise_file(const char *path, const struct options *options, GString *text,
                        GError **error)
{
    g_autoptr(lag_trace_input) input = lag_trace_input_read(path, &options->trace, error);

    if (input == NULL) {
        if (error != NULL)
            lag_message_tidy(*error);
        return false;
    }
    uint32_t n_steps = input->trace.n_steps, n_warm_up = lag_trace_warm_up(&input->trace);
    bool chosen = options->skip != DETECT;
    if (chosen && (options->skip < 0 || (uint32_t)options->skip >= n_steps))
        return refuse(error, "--skip-steps: expected 0 or more, and less than the trace has steps",
                      options->skip);
    g_autofree char *columns = columns_text(input);
    struct lag_fit_report fit = {
        .file = options->files[0],
        .columns = columns,
        .guessed = input->guessed,
        .chosen = chosen,
        .n_skipped = chosen ? (uint32_t)options->skip : n_warm_up,
        .n_warm_up = n_warm_up,
        .n_missing = lag_trace_missing_steps(&input->trace),
    };
    return advise(options, input, &fit, text, error);
}

static bool advise_again(const char *path, void *data, GError **error)
{
    const struct options *options = data;
    g_autoptr(GString) text = g_string_new(NULL);

    if (!advise_file(path, options, text, error))
        return false;
    if (!options->as_json)
        g_string_append_c(text, '\n');
    return lag_output_text(NULL, text, error);
}

int lag_cmd_advise(const struct lag_command *command, int argc, char **argv)
{
    g_auto(advise_options) options = {.skip = DETECT, .draws = DRAWS, .seed = DEFAULT_SEED};
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (!parse(command, argc, argv, &options, &error) || !check(&options, &error))
        return lag_command_fail(error);
    if (options.follow) {
        int signal = lag_follow(options.files[0], &options.trace, advise_again, &options, &error);
        return signal > 0 ? 128 + signal : lag_command_fail(error);
    }
    if (!advise_file(options.files[0], &options, text, &error) ||
        !lag_output_text(NULL, text, &error))
        return lag_command_fail(error);
    return LAG_EXIT_OK;
}
