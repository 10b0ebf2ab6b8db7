/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/command.h"
#include "tools/data-folder.h"
#include "tools/output.h"
#include "tools/reproduce.h"

#define MAX_JOBS 1024

typedef struct options {
    char **papers;
    char *format, *output, *data;
    int jobs;
} reproduce_options;

static void clear_options(struct options *options)
{
    g_strfreev(options->papers);
    g_free(options->format);
    g_free(options->output);
    g_free(options->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(reproduce_options, clear_options)

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"format",           0, 0, G_OPTION_ARG_STRING,       &options->format, "how to print (default: table)",
         "table|csv|json"                                                                                                },
        {"output",           0, 0, G_OPTION_ARG_FILENAME,     &options->output,
         "where to print (default: standard output)",                                                            "FILE"  },
        {"data",             0, 0, G_OPTION_ARG_FILENAME,     &options->data,
         "the folder that has results/published and scenarios (default: LAGGARD_DATA, or the "
         "program's own)",                                                                                       "FOLDER"},
        {"jobs",             0, 0, G_OPTION_ARG_INT,          &options->jobs,   "threads (default: all cores)",  "N"     },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->papers, NULL,                            NULL    },
        {NULL,               0, 0, G_OPTION_ARG_NONE,         NULL,             NULL,                            NULL    },
    };

    if (!lag_command_parse(command, entries, &argc, &argv, error))
        return false;
    if (options->jobs >= 1 && options->jobs <= MAX_JOBS)
        return true;
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "--jobs: expected a whole number from 1 to %d, got %d", MAX_JOBS, options->jobs);
    return false;
}

/* Adds each paper's reproduction to `all`; those of the command line, or all there are. */
static bool reproduce(const struct options *options, GPtrArray *all, GError **error)
{
    g_autofree char *folder = lag_data_folder(options->data);
    g_auto(GStrv) papers =
        options->papers != NULL ? g_strdupv(options->papers) : lag_papers(folder, error);

    if (papers == NULL)
        return false;
    for (char **name = papers; *name != NULL; name++) {
        lag_published *paper = lag_paper_load(folder, *name, error);
        lag_reproduction *reproduction =
            paper == NULL ? NULL : lag_reproduce(folder, paper, (unsigned)options->jobs, error);
        if (reproduction == NULL)
            return false;
        g_ptr_array_add(all, reproduction);
    }
    return true;
}

static void print(const GPtrArray *all, int format, GString *text)
{
    lag_reproduction *const *each = (lag_reproduction *const *)(void *)all->pdata;

    if (format == 1)
        lag_reproduction_csv(each, all->len, text);
    else if (format == 2)
        lag_reproduction_json(each, all->len, LAGGARD_VERSION, text);
    for (guint i = 0; format == 0 && i < all->len; i++) {
        g_string_append(text, i > 0 ? "\n" : "");
        lag_reproduction_table(each[i], text);
    }
}

static int status_of(const GPtrArray *all)
{
    for (guint i = 0; i < all->len; i++)
        if (((const lag_reproduction *)g_ptr_array_index(all, i))->n_failed > 0)
            return LAG_EXIT_FAILED;
    return LAG_EXIT_OK;
}

static void free_reproduction(gpointer data)
{
    lag_reproduction_free(data);
}

int lag_cmd_reproduce(const struct lag_command *command, int argc, char **argv)
{
    static const char *const formats[] = {"table", "csv", "json", NULL};
    g_auto(reproduce_options) options = {.jobs = (int)MIN(g_get_num_processors(), MAX_JOBS)};
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_reproduction);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (!parse(command, argc, argv, &options, &error))
        return lag_command_fail(error);
    int format = lag_command_choice("--format", options.format, formats, &error);
    if (format < 0 || !lag_output_check(options.output, &error) ||
        !reproduce(&options, all, &error))
        return lag_command_fail(error);
    print(all, format, text);
    if (!lag_output_text(options.output, text, &error))
        return lag_command_fail(error);
    return status_of(all);
}
