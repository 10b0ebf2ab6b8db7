/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "tools/campaign.h"
#include "tools/command.h"
#include "tools/output.h"

static bool check_file(const char *file, char *const *sets, GString *text, GError **error)
{
    g_autoptr(lag_document) document = lag_document_load(file, (const char *const *)sets, error);

    if (document == NULL)
        return false;
    g_autoptr(lag_campaign) campaign =
        lag_campaign_new(document, NULL, lag_document_n_points(document), error);
    if (campaign == NULL)
        return false;
    const GPtrArray *warnings = lag_campaign_warnings(campaign);
    for (guint i = 0; i < warnings->len; i++)
        lag_command_warn(g_ptr_array_index(warnings, i));
    uint32_t points = lag_campaign_n_points(campaign);
    uint32_t algorithms = lag_campaign_n_entrants(campaign);
    g_string_append_printf(text, "%s: ok (%u point%s, %u algorithm%s)\n", file, points,
                           points == 1 ? "" : "s", algorithms, algorithms == 1 ? "" : "s");
    return true;
}

/* Checks all files, also those behind a wrong one. */
static int check_files(char *const *files, char *const *sets, GString *text)
{
    int status = LAG_EXIT_OK;

    for (; *files != NULL; files++) {
        g_autoptr(GError) error = NULL;
        if (!check_file(*files, sets, text, &error))
            status = lag_command_fail(error);
    }
    return status;
}

int lag_cmd_check(const struct lag_command *command, int argc, char **argv)
{
    g_auto(GStrv) files = NULL, sets = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = {
        {"set",              0, 0, G_OPTION_ARG_STRING_ARRAY,   &sets,  "override a key of the scenario",
         "PATH=VALUE"                                                                                         },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files, NULL,                             NULL},
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,   NULL,                             NULL},
    };

    if (!lag_command_parse(command, entries, &argc, &argv, &error) ||
        !lag_command_count(files, 1, G_MAXUINT, "FILE", &error))
        return lag_command_fail(error);
    int status = check_files(files, sets, text);
    if (!lag_output_text(NULL, text, &error))
        return lag_command_fail(error);
    return status;
}
