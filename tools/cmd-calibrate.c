/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "scenarios/quantity.h"
#include "sim/laggard.h"
#include "tools/calibrate.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/output.h"

#define DEFAULT_DB   "calibration.db"
#define MOST_THREADS 1024

static const char *const backends[] = {"auto", "cuda", "host", NULL};
static const char *const formats[] = {"table", "json", NULL};

struct options {
    char *backend, *db, *kernels, *most_memory, *format, *progress, *output;
    int threads, device;
    gboolean quick;
};
typedef struct options calibrate_options;

static void options_clear(calibrate_options *options)
{
    g_free(options->backend);
    g_free(options->db);
    g_free(options->kernels);
    g_free(options->most_memory);
    g_free(options->format);
    g_free(options->progress);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(calibrate_options, options_clear)

static bool check_number(const char *option, int number, int most, GError **error)
{
    if (number >= 0 && number <= most)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s %d; expected 0 to %d", option,
                number, most);
    return false;
}

/* The arguments of a program of kernels. */
static char **arguments_of(const calibrate_options *options, GError **error)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    double most;

    if (!check_number("--threads", options->threads, MOST_THREADS, error) ||
        !check_number("--device", options->device, UINT16_MAX, error))
        return NULL;
    if (options->quick)
        g_ptr_array_add(words, g_strdup("--quick"));
    if (options->kernels != NULL)
        g_ptr_array_add(words, g_strconcat("--kernels=", options->kernels, NULL));
    if (options->most_memory != NULL) {
        if (!lag_quantity_parse(options->most_memory, LAG_SIZE, &most, error)) {
            g_prefix_error(error, "--most-memory: \"%s\" ", options->most_memory);
            return NULL;
        }
        if (!(most >= 0x1p20 && most <= 0x1p50)) {
            g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                        "--most-memory \"%s\"; expected 1 MiB to 1 PiB", options->most_memory);
            return NULL;
        }
        g_ptr_array_add(words, g_strdup_printf("--most-bytes=%.0f", most));
    }
    g_ptr_array_add(words, g_strdup_printf("--threads=%d", options->threads));
    g_ptr_array_add(words, g_strdup_printf("--device=%d", options->device));
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&words), FALSE);
}

/* With "auto", a host where there is no CUDA device. */
static bool measure(lag_calibration_report *report, int backend, char *const *arguments,
                    enum lag_progress_mode progress, GError **error)
{
    g_autoptr(GError) cause = NULL;

    if (backend == 2)
        return lag_calibrate(report, "host", arguments, progress, error);
    if (lag_calibrate(report, "cuda", arguments, progress, &cause))
        return true;
    if (g_error_matches(cause, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
        g_prefix_error(&cause, "no CUDA device: ");
    bool falls_back = backend == 0 && !report->has_device && cause->domain == G_SPAWN_ERROR;
    if (!falls_back) {
        g_propagate_error(error, g_steal_pointer(&cause));
        return false;
    }
    fprintf(stderr, "laggard: %s; the host is measured\n", cause->message);
    return lag_calibrate(report, "host", arguments, progress, error);
}

static bool is_measured(const lag_calibration_report *report, const char *name)
{
    for (guint i = 0; i < report->kernels->len; i++) {
        const struct lag_calibrated_kernel *kernel = g_ptr_array_index(report->kernels, i);
        if (strcmp(kernel->kernel, name) == 0)
            return true;
    }
    return false;
}

/* What was asked for by name, and isn't there at all. */
static void warn_of_skipped(const lag_calibration_report *report)
{
    for (guint i = 0; i < report->skipped->len; i++) {
        const struct lag_skipped_kernel *skipped = g_ptr_array_index(report->skipped, i);
        if (is_measured(report, skipped->kernel))
            continue;
        g_autofree char *text =
            g_strdup_printf("%s is not measured: %s", skipped->kernel, skipped->reason);
        lag_command_warn(text);
    }
}

static bool print(const lag_calibration_report *report, const char *path, int format,
                  GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (format == 0)
        lag_calibration_table(text, report);
    else
        lag_calibration_json(text, report, LAGGARD_VERSION);
    return lag_output_text(path, text, error);
}

static int calibrate(const calibrate_options *options, GError **error)
{
    const char *db = options->db != NULL ? options->db : DEFAULT_DB;
    int backend = lag_command_choice("--backend", options->backend, backends, error);
    int format = backend < 0 ? -1 : lag_command_choice("--format", options->format, formats, error);
    int progress = format < 0 ? -1 : lag_progress_mode(options->progress, error);

    if (progress < 0 || !lag_output_check(options->output, error))
        return -1;
    g_auto(GStrv) arguments = arguments_of(options, error);
    if (arguments == NULL)
        return -1;
    g_autoptr(lag_calibration_report) report =
        lag_calibration_report_new(strcmp(db, "none") != 0 ? db : NULL);
    lag_interrupt_watch();
    if (!measure(report, backend, arguments, (enum lag_progress_mode)progress, error))
        return -1;
    if (options->kernels != NULL)
        warn_of_skipped(report);
    if (!report->has_device) /* interrupted before */
        return LAG_EXIT_OK;
    return print(report, options->output, format, error) ? LAG_EXIT_OK : -1;
}

int lag_cmd_calibrate(const struct lag_command *command, int argc, char **argv)
{
    g_auto(calibrate_options) options = {0};
    g_auto(GStrv) rest = NULL;
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = {
        {"backend",          0,   0, G_OPTION_ARG_STRING,         &options.backend,
         "cuda, host, or auto: CUDA where there is a device",                                                                     "WHAT"  },
        {"quick",            0,   0, G_OPTION_ARG_NONE,           &options.quick,       "few sizes and repetitions, up to 4 MiB",
         NULL                                                                                                                             },
        {"kernels",          0,   0, G_OPTION_ARG_STRING,         &options.kernels,     "only these, as in copy,fill",
         "LIST"                                                                                                                           },
        {"threads",          0,   0, G_OPTION_ARG_INT,            &options.threads,
         "of a host (default: as many as it has processors)",                                                                     "N"     },
        {"device",           0,   0, G_OPTION_ARG_INT,            &options.device,      "which CUDA device, from 0",              "N"     },
        {"most-memory",      0,   0, G_OPTION_ARG_STRING,         &options.most_memory,
         "for all vectors (default: an eighth of it, up to 4 GiB)",                                                               "SIZE"  },
        {"db",               0,   0, G_OPTION_ARG_FILENAME,       &options.db,
         "the database (default: " DEFAULT_DB "), or none",                                                                       "FILE"  },
        {"format",           0,   0, G_OPTION_ARG_STRING,         &options.format,      "table or json",                          "FORMAT"},
        {"output",           'o', 0, G_OPTION_ARG_FILENAME,       &options.output,      "instead of standard output",
         "FILE"                                                                                                                           },
        {"progress",         0,   0, G_OPTION_ARG_STRING,         &options.progress,    "auto, bar, plain or none",
         "MODE"                                                                                                                           },
        {G_OPTION_REMAINING, 0,   0, G_OPTION_ARG_FILENAME_ARRAY, &rest,                NULL,                                     NULL    },
        {NULL,               0,   0, G_OPTION_ARG_NONE,           NULL,                 NULL,                                     NULL    },
    };

    if (!lag_command_parse(command, entries, &argc, &argv, &error) ||
        !lag_command_count(rest, 0, 0, "argument", &error))
        return lag_command_fail(error);
    int status = calibrate(&options, &error);
    if (status < 0)
        return lag_command_fail(error);
    return lag_interrupt_signal() != 0 ? 128 + lag_interrupt_signal() : status;
}
