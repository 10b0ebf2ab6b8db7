/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/command.h"

#include <stdio.h>
#include <string.h>

#include "scenarios/nearest.h"
#include "sim/laggard.h"

bool lag_command_parse(const struct lag_command *command, const GOptionEntry *entries, int *argc,
                       char ***argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new(command->arguments);
    g_autofree char *program = g_strdup_printf("laggard %s", command->name);

    g_set_prgname(program);
    g_option_context_set_summary(context, command->summary);
    g_option_context_add_main_entries(context, entries, NULL);
    if (g_option_context_parse(context, argc, argv, error))
        return true;
    if (error != NULL)
        g_prefix_error(error, "%s: ", command->name);
    return false;
}

bool lag_command_count(char *const *arguments, guint min, guint max, const char *what,
                       GError **error)
{
    guint n = 0;

    while (arguments != NULL && arguments[n] != NULL)
        n++;
    if (n < min)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s is missing; see %s --help", what,
                    g_get_prgname());
    else if (n > max)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "\"%s\" is one %s too many",
                    arguments[max], what);
    return n >= min && n <= max;
}

int lag_command_choice(const char *option, const char *value, const char *const *words,
                       GError **error)
{
    int n = 0;

    for (; words[n] != NULL; n++)
        if (value == NULL || strcmp(value, words[n]) == 0)
            return n;
    g_autofree char *hint = lag_nearest_hint(value, words, (uint32_t)n);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: no \"%s\"%s", option, value, hint);
    return -1;
}

static int exit_status(const GError *error)
{
    if (error->domain == G_OPTION_ERROR)
        return LAG_EXIT_USAGE;
    if (error->domain == LAGGARD_ERROR && error->code == LAGGARD_ERROR_INPUT)
        return LAG_EXIT_USAGE;
    return LAG_EXIT_FAILED;
}

int lag_command_fail(const GError *error)
{
    fprintf(stderr, "laggard: error: %s\n", error->message);
    return exit_status(error);
}

void lag_command_warn(const char *message)
{
    fprintf(stderr, "laggard: warning: %s\n", message);
}
