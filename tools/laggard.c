/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "scenarios/nearest.h"
#include "tools/command.h"

static const struct lag_command commands[] = {
    {"run",       "FILE...",        "simulates scenarios and prints what they took",          lag_cmd_run      },
    {"sweep",     "FILE",           "runs a large sweep into a database: shards, resuming",   lag_cmd_sweep    },
    {"merge",     "DB...",          "joins the databases of a sweep's shards",                lag_cmd_merge    },
    {"sbatch",    "FILE",           "prints a script that runs a sweep as an array of Slurm", lag_cmd_sbatch   },
    {"schedule",  "ALGORITHM",      "prints an algorithm's plan, a transfer a line",          lag_cmd_schedule },
    {"explain",   "ALGORITHM|FILE", "says where the time goes, and which delay breaks even",
     lag_cmd_explain                                                                                           },
    {"fit",       "TRACE",          "finds laws of delay in a measured trace",                lag_cmd_fit      },
    {"advise",    "TRACE",          "says which algorithm suits a measured trace",            lag_cmd_advise   },
    {"whatif",    "TRACE",          "replays a profiled training job without its stragglers", lag_cmd_whatif   },
    {"list",      "WHAT",           "lists algorithms, topologies, laws, papers and more",    lag_cmd_list     },
    {"calibrate", "",               "times kernels on this machine",                          lag_cmd_calibrate},
    {"check",     "FILE...",        "validates scenarios without running them",               lag_cmd_check    },
    {"schema",    "",               "prints what a scenario may say, as JSON Schema",         lag_cmd_schema   },
    {"reproduce", "[PAPER...]",     "runs papers' settings, and compares their numbers",
     lag_cmd_reproduce                                                                                         },
    {"compare",   "FILE A B",       "compares two algorithms under the same arrivals",        lag_cmd_compare  },
};

static void print_help(void)
{
    puts("Usage:\n"
         "  laggard COMMAND [OPTION...] [ARGUMENT...]\n\n"
         "Simulates GPU clusters that train with collectives, and what happens when something is "
         "late.\n\n"
         "Commands:");
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        printf("  %-11s%s\n", commands[i].name, commands[i].summary);
    puts("\n"
         "Options:\n"
         "  -h, --help    this text; laggard COMMAND --help says more of a command\n"
         "  --version     prints the version\n\n"
         "Exit status: 0 complete; 1 the simulation could not finish, its results could not be "
         "written,\nor a paper's number was not met; 2 usage or input; 3 a sweep with failed or "
         "missing points.");
}

static int refuse(const char *word)
{
    const char *names[G_N_ELEMENTS(commands)];

    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        names[i] = commands[i].name;
    g_autofree char *hint = lag_nearest_hint(word, names, G_N_ELEMENTS(commands));
    fprintf(stderr, "laggard: error: no %s \"%s\"%s\n", word[0] == '-' ? "option" : "command", word,
            word[0] == '-' ? "; see laggard --help" : hint);
    return LAG_EXIT_USAGE;
}

/* Exit status of something that was printed, or of a full disk. */
static int finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "laggard: error: cannot write to standard output\n");
    return LAG_EXIT_FAILED;
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    gsl_set_error_handler_off();
    if (argc < 2) {
        fprintf(stderr, "laggard: error: a command is missing; see laggard --help\n");
        return LAG_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help();
        return finish_output(LAG_EXIT_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("laggard (laggard) " LAGGARD_VERSION);
        return finish_output(LAG_EXIT_OK);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(&commands[i], argc - 1, argv + 1);
    return refuse(argv[1]);
}
