/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/fit-report.h"
#include "scenarios/message.h"
#include "sim/laggard.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/trace-input.h"

#define DETECT G_MININT /* of --skip-steps: leave out what is detected */

typedef struct lag_trace_options options_auto;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(options_auto, lag_trace_options_clear)

static const char *const formats[] = {"table", "json", "yaml", NULL};

static bool refuse_skip(int skip, uint32_t n_steps, GError **error)
{
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "--skip-steps %d leaves nothing of %u steps; expected 0 to %u", skip, n_steps,
                n_steps - 1);
    return false;
}

/* "step: step, rank: rank, wait: allreduce_ms, arrival: forward_ms + backward_ms" */
static char *columns_text(const lag_trace_input *input, const char *computed)
{
    g_autoptr(GString) text = g_string_new(NULL);

    g_string_append_printf(text, "step: %s, rank: %s", input->step, input->rank);
    if (input->wait != NULL)
        g_string_append_printf(text, ", wait: %s", input->wait);
    if (computed[0] != '\0')
        g_string_append_printf(text, ", arrival: %s", computed);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void print_report(GString *text, const struct lag_fit_report *report, int format)
{
    if (format == 0)
        lag_fit_table(text, report);
    else if (format == 1)
        lag_fit_json(text, report, LAGGARD_VERSION);
    else
        lag_fit_yaml(text, report);
}

static bool fit(const char *file, const struct lag_trace_options *options, int skip, int format,
                GString *text, GError **error)
{
    g_autoptr(lag_trace_input) input = lag_trace_input_read(file, options, error);

    if (input == NULL) {
        if (error != NULL)
            lag_message_tidy(*error);
        return false;
    }
    if (skip != DETECT && (skip < 0 || (uint32_t)skip >= input->trace.n_steps))
        return refuse_skip(skip, input->trace.n_steps, error);
    uint32_t n_warm_up = lag_trace_warm_up(&input->trace);
    uint32_t n_skipped = skip == DETECT ? n_warm_up : (uint32_t)skip;
    const struct lag_measured trace = lag_measured_after(&input->trace, n_skipped);
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&trace);
    g_autoptr(lag_late_laws) laws = lag_late_laws_new(&trace, stats);
    g_autofree char *computed = g_strjoinv(" + ", input->compute);
    g_autofree char *columns = columns_text(input, computed);
    bool both = input->waited.n_steps > 0 && input->computed.n_steps > 0;
    struct lag_comparison comparison = {0};
    if (both) {
        const struct lag_measured waited = lag_measured_after(&input->waited, n_skipped);
        const struct lag_measured computes = lag_measured_after(&input->computed, n_skipped);
        comparison = lag_trace_compare(&waited, &computes);
    }
    const struct lag_fit_report report = {
        .file = file,
        .columns = columns,
        .guessed = input->guessed,
        .computed = both ? computed : NULL,
        .chosen = skip != DETECT,
        .n_skipped = n_skipped,
        .n_warm_up = n_warm_up,
        .n_missing = lag_trace_missing_steps(&input->trace),
        .trace = &trace,
        .stats = stats,
        .comparison = both ? &comparison : NULL,
        .laws = laws,
    };
    print_report(text, &report, format);
    return true;
}

int lag_cmd_fit(const struct lag_command *command, int argc, char **argv)
{
    g_auto(GStrv) files = NULL;
    g_autofree char *format = NULL;
    g_auto(options_auto) options = {0};
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    int skip = DETECT, choice;
    const GOptionEntry entries[] = {
        {"step",             0, 0, G_OPTION_ARG_STRING,         &options.step,    "the column that numbers the steps",
         "COL"                                                                                                                       },
        {"rank",             0, 0, G_OPTION_ARG_STRING,         &options.rank,    "the column with the rank",          "COL"         },
        {"wait",             0, 0, G_OPTION_ARG_STRING,         &options.wait,
         "the column with the time that a rank spent waiting, or in the collective",                                   "COL"         },
        {"arrival",          0, 0, G_OPTION_ARG_STRING,         &options.arrival,
         "the column, or columns to add, with the time of arrival",                                                    "COL[,COL...]"},
        {"unit",             0, 0, G_OPTION_ARG_STRING,         &options.unit,
         "of columns whose names don't end in _s, _ms or _us",                                                         "U"           },
        {"skip-steps",       0, 0, G_OPTION_ARG_INT,            &skip,
         "leave out the first N steps, not those that are unlike the rest",                                            "N"           },
        {"format",           0, 0, G_OPTION_ARG_STRING,         &format,
         "table, json, or yaml: the stragglers: block alone",                                                          "FORMAT"      },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files,           NULL,                                NULL          },
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,             NULL,                                NULL          },
    };

    if (!lag_command_parse(command, entries, &argc, &argv, &error) ||
        !lag_command_count(files, 1, 1, "FILE", &error) ||
        (choice = lag_command_choice("--format", format, formats, &error)) < 0 ||
        !fit(files[0], &options, skip, choice, text, &error) ||
        !lag_output_text(NULL, text, &error))
        return lag_command_fail(error);
    return LAG_EXIT_OK;
}
