/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "results/job-trace.h"
#include "results/whatif.h"
#include "scenarios/edits.h"
#include "scenarios/message.h"
#include "scenarios/profile.h"
#include "sim/job-replay.h"
#include "sim/laggard.h"
#include "tools/command.h"
#include "tools/output.h"

#define GAP 1e-3 /* between steps in a timeline [s] */

typedef struct options {
    char **files, **edit_texts;
    char *file, *edits_file, *format, *output, *trace, *svg;
    int choice; /* of formats */
    GArray *edits;
} whatif_options;

static void clear_options(struct options *options)
{
    g_strfreev(options->files);
    g_strfreev(options->edit_texts);
    g_free(options->file);
    g_free(options->edits_file);
    g_free(options->format);
    g_free(options->output);
    g_free(options->trace);
    g_free(options->svg);
    g_clear_pointer(&options->edits, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(whatif_options, clear_options)

static const char *const formats[] = {"table", "csv", "json", NULL};
static void (*const printers[])(GString *text, const struct lag_whatif_report *report) = {
    lag_whatif_table, lag_whatif_csv, lag_whatif_json};

/* The command line's trace, or else that of the file with the edits. */
static bool choose_file(struct options *options, GError **error)
{
    if (options->files != NULL) {
        g_free(options->file);
        options->file = g_strdup(options->files[0]);
    }
    if (options->file == NULL)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "%s names no trace; give one, or write trace: FILE there", options->edits_file);
    return options->file != NULL;
}

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"edit",             0, 0, G_OPTION_ARG_STRING_ARRAY,   &options->edit_texts,
         "what if: balance-stages, equalise-sequences, remove-gc, {speed-up: {rank: 5}}, ...",                        "EDIT"  },
        {"edits",            0, 0, G_OPTION_ARG_FILENAME,       &options->edits_file, "the same, a file with a list",
         "FILE"                                                                                                               },
        {"format",           0, 0, G_OPTION_ARG_STRING,         &options->format,     "table, csv or json",           "FORMAT"},
        {"output",           0, 0, G_OPTION_ARG_FILENAME,       &options->output,
         "write there instead of to standard output",                                                                 "FILE"  },
        {"trace",            0, 0, G_OPTION_ARG_FILENAME,       &options->trace,
         "write the timelines before and after, for Perfetto",                                                        "FILE"  },
        {"svg",              0, 0, G_OPTION_ARG_FILENAME,       &options->svg,        "write the heat map as SVG",    "FILE"  },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files,      NULL,                           NULL    },
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,                 NULL,                           NULL    },
    };

    options->edits = g_array_new(FALSE, TRUE, sizeof(struct lag_job_edit));
    if (!lag_command_parse(command, entries, &argc, &argv, error) ||
        !lag_command_count(options->files, options->edits_file == NULL, 1, "TRACE", error) ||
        (options->choice = lag_command_choice("--format", options->format, formats, error)) < 0 ||
        !lag_output_check(options->output, error) || !lag_output_check(options->trace, error) ||
        !lag_output_check(options->svg, error))
        return false;
    if (options->edits_file != NULL &&
        !lag_edits_load(options->edits_file, options->edits, &options->file, error))
        return false;
    for (char **text = options->edit_texts; text != NULL && *text != NULL; text++)
        if (!lag_edits_parse(*text, "--edit", options->edits, error))
            return false;
    return choose_file(options, error);
}

static lag_job *load(const char *path, GError **error)
{
    g_autoptr(GArray) ops = lag_profile_load(path, error);
    lag_job *job = NULL;

    if (ops == NULL)
        return NULL;
    job = lag_job_new((struct lag_op *)(void *)ops->data, ops->len, error);
    if (job == NULL)
        g_prefix_error(error, "%s: ", path);
    return job;
}

static lag_seconds mean_step(const lag_job *job)
{
    g_autofree lag_seconds *end = g_new(lag_seconds, lag_job_size(job));
    g_autofree lag_seconds *steps = g_new(lag_seconds, job->n_steps);

    lag_job_replay(job, job->work, end);
    lag_job_steps(job, end, steps);
    return lag_job_mean(job, steps);
}

/* Micro-batches in a step of all data-parallel ranks. */
static double count_batches(const lag_job *job)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < job->n_nodes; i++)
        n += job->nodes[i].kind == LAG_OP_FORWARD && job->nodes[i].stage == 0;
    return (double)n * job->n_dp;
}

/* What a changed job comes to. */
static void measure(const lag_job *job, const lag_job *changed, struct lag_whatif_edit *row)
{
    row->step_s = mean_step(changed);
    row->throughput = count_batches(changed) / row->step_s / (count_batches(job) / mean_step(job));
}

/* The edits' results, and the job with all of them. */
typedef struct edited {
    struct lag_whatif_edit *rows; /* [n_edits + 1] the last: all together */
    char **texts;
    lag_job *job; /* NULL where there are no edits */
} edited_jobs;

static void clear_edited(struct edited *edited)
{
    g_free(edited->rows);
    g_strfreev(edited->texts);
    lag_job_free(edited->job);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(edited_jobs, clear_edited)

static bool apply(const lag_job *job, const GArray *edits, struct edited *ret, GError **error)
{
    ret->rows = g_new0(struct lag_whatif_edit, edits->len + 1);
    ret->texts = g_new0(char *, edits->len + 1);
    for (guint i = 0; i < edits->len; i++) {
        const struct lag_job_edit *edit = &g_array_index(edits, struct lag_job_edit, i);
        g_autoptr(lag_job) alone = lag_job_edited(job, edit, error);
        if (alone == NULL)
            return false;
        lag_job *all = lag_job_edited(ret->job != NULL ? ret->job : job, edit, error);
        if (all == NULL)
            return false;
        lag_job_free(ret->job);
        ret->job = all;
        ret->texts[i] = lag_job_edit_text(edit);
        ret->rows[i].text = ret->texts[i];
        ret->rows[i].assumes = lag_edit_types[edit->kind].assumes;
        measure(job, alone, &ret->rows[i]);
    }
    if (ret->job != NULL)
        measure(job, ret->job, &ret->rows[edits->len]);
    return true;
}

static bool flush(GString *text, void *data, GError **error)
{
    bool written = lag_output_write(data, text, error);

    g_string_truncate(text, 0);
    return written;
}

/* What was measured, and below it a replay with the edits or, where there are none, without
 * stragglers. Steps begin side by side. */
static bool write_trace(const char *path, const lag_whatif *whatif, const lag_job *after,
                        GError **error)
{
    const lag_job *job = after != NULL ? after : whatif->job;
    g_autofree lag_seconds *end = g_new(lag_seconds, lag_job_size(job));
    g_autofree lag_seconds *steps = g_new(lag_seconds, job->n_steps);
    g_autofree lag_seconds *offset = g_new(lag_seconds, job->n_steps);
    const struct lag_job_timeline timelines[] = {
        {"measured",                                      whatif->job, NULL, offset},
        {after != NULL ? "edited" : "without stragglers", job,         end,  offset}
    };
    g_autoptr(GString) text = g_string_new(NULL);
    struct lag_output output;

    lag_job_replay(job, after != NULL ? after->work : whatif->ideal, end);
    lag_job_steps(job, end, steps);
    offset[0] = 0;
    for (uint32_t i = 1; i < job->n_steps; i++)
        offset[i] = offset[i - 1] + fmax(whatif->job->wall[i - 1], steps[i - 1]) + GAP;
    if (!lag_output_open(&output, path, error))
        return false;
    bool written = lag_job_trace(timelines, 2, text, flush, &output, error);
    return lag_output_close(&output, written ? error : NULL) && written;
}

static void warn(const lag_job *job)
{
    g_autofree char *message = NULL;

    if (job->n_left_out == 0)
        return;
    message = g_strdup_printf("%u of %u steps have other operations than the rest, step %u first; "
                              "they are left out",
                              job->n_left_out, job->n_left_out + job->n_steps, job->left_out);
    lag_command_warn(message);
}

static bool analyse(const struct options *options, GError **error)
{
    const char *file = options->file;
    g_autoptr(GString) text = g_string_new(NULL);
    g_auto(edited_jobs) edited = {0};
    g_autoptr(lag_job) job = load(file, error);

    if (job == NULL || !apply(job, options->edits, &edited, error)) {
        lag_message_tidy(*error);
        return false;
    }
    warn(job);
    g_autoptr(lag_whatif) whatif = lag_whatif_new(job);
    const struct lag_whatif_report report = {
        .file = file,
        .version = LAGGARD_VERSION,
        .whatif = whatif,
        .n_edits = options->edits->len + (options->edits->len > 1),
        .edits = edited.rows,
    };
    if (options->svg != NULL) {
        lag_whatif_svg(text, &report);
        if (!lag_output_text(options->svg, text, error))
            return false;
        g_string_truncate(text, 0);
    }
    if (options->trace != NULL && !write_trace(options->trace, whatif, edited.job, error))
        return false;
    printers[options->choice](text, &report);
    return lag_output_text(options->output, text, error);
}

int lag_cmd_whatif(const struct lag_command *command, int argc, char **argv)
{
    g_auto(whatif_options) options = {0};
    g_autoptr(GError) error = NULL;

    if (!parse(command, argc, argv, &options, &error) || !analyse(&options, &error))
        return lag_command_fail(error);
    return LAG_EXIT_OK;
}
