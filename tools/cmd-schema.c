/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/schema.h"
#include "tools/command.h"
#include "tools/output.h"

int lag_cmd_schema(const struct lag_command *command, int argc, char **argv)
{
    g_auto(GStrv) arguments = NULL;
    g_autofree char *output = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = {
        {"output",           0, 0, G_OPTION_ARG_FILENAME,       &output,    "where to (default: standard output)",
         "FILE"                                                                                                        },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &arguments, NULL,                                  NULL},
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,       NULL,                                  NULL},
    };

    if (!lag_command_parse(command, entries, &argc, &argv, &error) ||
        !lag_command_count(arguments, 0, 0, "argument", &error) ||
        !lag_output_check(output, &error))
        return lag_command_fail(error);
    lag_schema_append(text);
    if (!lag_output_text(output, text, &error))
        return lag_command_fail(error);
    return LAG_EXIT_OK;
}
