/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands share: their table's entry, option parsing, messages, exit statuses. */
#ifndef LAGGARD_TOOLS_COMMAND_H
#define LAGGARD_TOOLS_COMMAND_H

#include <stdbool.h>

#include <glib.h>

enum lag_exit {
    LAG_EXIT_OK = 0,
    LAG_EXIT_FAILED = 1, /* the simulation could not finish, a proof failed, no room for output */
    LAG_EXIT_USAGE = 2,  /* command line or input */
    LAG_EXIT_INCOMPLETE = 3, /* a sweep with failed or missing points */
};

/* `run` gets argv[0] = the command's name and returns an exit status. */
struct lag_command {
    const char *name;
    const char *arguments; /* "FILE..." */
    const char *summary;   /* one line, for the list of commands */
    int (*run)(const struct lag_command *command, int argc, char **argv);
};

int lag_cmd_advise(const struct lag_command *command, int argc, char **argv);
int lag_cmd_calibrate(const struct lag_command *command, int argc, char **argv);
int lag_cmd_check(const struct lag_command *command, int argc, char **argv);
int lag_cmd_compare(const struct lag_command *command, int argc, char **argv);
int lag_cmd_explain(const struct lag_command *command, int argc, char **argv);
int lag_cmd_fit(const struct lag_command *command, int argc, char **argv);
int lag_cmd_list(const struct lag_command *command, int argc, char **argv);
int lag_cmd_merge(const struct lag_command *command, int argc, char **argv);
int lag_cmd_reproduce(const struct lag_command *command, int argc, char **argv);
int lag_cmd_run(const struct lag_command *command, int argc, char **argv);
int lag_cmd_sbatch(const struct lag_command *command, int argc, char **argv);
int lag_cmd_schema(const struct lag_command *command, int argc, char **argv);
int lag_cmd_schedule(const struct lag_command *command, int argc, char **argv);
int lag_cmd_sweep(const struct lag_command *command, int argc, char **argv);
int lag_cmd_whatif(const struct lag_command *command, int argc, char **argv);

/* Parses a command's options; prints the help and exits where it is asked for. */
bool lag_command_parse(const struct lag_command *command, const GOptionEntry *entries, int *argc,
                       char ***argv, GError **error);

/* Checks the arguments that an entry of G_OPTION_REMAINING has collected (NULL: none):
 * LAGGARD_ERROR_INPUT where there are fewer than min or more than max; `what` names them. */
bool lag_command_count(char *const *arguments, guint min, guint max, const char *what,
                       GError **error);

/* The index of `value` (NULL: 0) in a list of words that ends with NULL, or -1 with
 * LAGGARD_ERROR_INPUT, which names `option` and the nearest word. */
int lag_command_choice(const char *option, const char *value, const char *const *words,
                       GError **error);

/* Prints "laggard: error: ..." and returns the exit status of such an error. */
int lag_command_fail(const GError *error);
void lag_command_warn(const char *message);

#endif
