/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "scenarios/nearest.h"
#include "sim/verify.h"
#include "tools/command.h"
#include "tools/schedule.h"

#define MAX_RANKS (1 << 20)

typedef struct options {
    char **arguments, **sets;
    char *collective, *straggler, *format;
    int ranks, root;
    gboolean verify;
} schedule_options;

static void clear_options(struct options *options)
{
    g_strfreev(options->arguments);
    g_strfreev(options->sets);
    g_free(options->collective);
    g_free(options->straggler);
    g_free(options->format);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(schedule_options, clear_options)

static bool refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool refuse(GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (error != NULL)
        *error = g_error_new_valist(LAGGARD_ERROR, LAGGARD_ERROR_INPUT, format, arguments);
    va_end(arguments);
    return false;
}

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"ranks",            0, 0, G_OPTION_ARG_INT,          &options->ranks,      "how many",                              "N"         },
        {"straggler",        0, 0, G_OPTION_ARG_STRING,       &options->straggler,
         "the rank that is late, of an algorithm that knows one (default: the last)",                                        "RANK"      },
        {"collective",       0, 0, G_OPTION_ARG_STRING,       &options->collective,
         "which, of an algorithm that does several (default: the first)",                                                    "NAME"      },
        {"root",             0, 0, G_OPTION_ARG_INT,          &options->root,       "of a broadcast or reduce (default: 0)",
         "RANK"                                                                                                                          },
        {"set",              0, 0, G_OPTION_ARG_STRING_ARRAY, &options->sets,
         "a parameter of the algorithm; laggard list algorithms --format json has them",                                     "NAME=VALUE"},
        {"verify",           0, 0, G_OPTION_ARG_NONE,         &options->verify,
         "prove that every rank ends with each contribution exactly once",                                                   NULL        },
        {"format",           0, 0, G_OPTION_ARG_STRING,       &options->format,     "how to print (default: text)",
         "text|json"                                                                                                                     },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->arguments,  NULL,                                    NULL        },
        {NULL,               0, 0, G_OPTION_ARG_NONE,         NULL,                 NULL,                                    NULL        },
    };

    if (!lag_command_parse(command, entries, &argc, &argv, error) ||
        !lag_command_count(options->arguments, 1, 1, "ALGORITHM", error))
        return false;
    if (options->ranks == 0)
        return refuse(error, "--ranks is missing; see laggard schedule --help");
    if (options->ranks < 1 || options->ranks > MAX_RANKS)
        return refuse(error, "--ranks: expected a whole number from 1 to %d, got %d", MAX_RANKS,
                      options->ranks);
    if (options->root < 0 || options->root >= options->ranks)
        return refuse(error, "--root: expected a rank from 0 to %d, got %d", options->ranks - 1,
                      options->root);
    return true;
}

static const struct laggard_algorithm *find_algorithm(const char *name, GError **error)
{
    const struct laggard_algorithm *algorithm = lag_algorithm_find(name);
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    if (algorithm != NULL)
        return algorithm;
    for (size_t i = 0; lag_algorithms[i] != NULL; i++)
        g_ptr_array_add(names, (gpointer)(uintptr_t)lag_algorithms[i]->name);
    g_autofree char *hint = lag_nearest_hint(name, (const char *const *)names->pdata, names->len);
    refuse(error, "no algorithm \"%s\"%s", name, hint);
    return NULL;
}

/* The collective of --collective, else the first that the algorithm does. */
static int find_collective(const struct laggard_algorithm *algorithm, const char *name,
                           GError **error)
{
    const char *words[LAGGARD_N_COLLECTIVES + 1] = {NULL};
    int collective = 0;

    for (int c = 0; c < LAGGARD_N_COLLECTIVES; c++)
        words[c] = laggard_collective_name((enum laggard_collective)c);
    if (name != NULL)
        return lag_command_choice("--collective", name, words, error);
    while (!(algorithm->collectives & LAGGARD_BIT(collective)))
        collective++;
    return collective;
}

static bool set_parameter(const struct laggard_algorithm *algorithm, const char *name,
                          const char *value, uint32_t n_ranks, double *values, GError **error)
{
    int index = lag_algorithm_parameter(algorithm, name);

    if (index < 0)
        return refuse(error, "%s has no parameter \"%s\"", algorithm->name, name);
    if (lag_parameter_parse(&algorithm->parameters[index], value, n_ranks, &values[index], error))
        return true;
    g_prefix_error(error, "%s: ", name);
    return false;
}

static bool set_parameters(const struct laggard_algorithm *algorithm, const struct options *options,
                           double *values, GError **error)
{
    uint32_t n = (uint32_t)options->ranks;

    lag_algorithm_defaults(algorithm, values);
    for (char **set = options->sets; set != NULL && *set != NULL; set++) {
        g_auto(GStrv) parts = g_strsplit(*set, "=", 2);
        if (parts[0] == NULL || parts[1] == NULL)
            return refuse(error, "--set: expected NAME=VALUE, got \"%s\"", *set);
        if (!set_parameter(algorithm, parts[0], parts[1], n, values, error))
            return false;
    }
    return options->straggler == NULL ||
           set_parameter(algorithm, "straggler", options->straggler, n, values, error);
}

static lag_plan *make_plan(const struct laggard_algorithm *algorithm, const struct options *options,
                           GError **error)
{
    g_autofree double *values = g_new0(double, lag_algorithm_n_parameters(algorithm));
    uint32_t n = (uint32_t)options->ranks;
    int collective = find_collective(algorithm, options->collective, error);

    if (collective < 0 || !set_parameters(algorithm, options, values, error) ||
        !lag_algorithm_accepts(algorithm, (enum laggard_collective)collective, n, error))
        return NULL;
    if (options->root != 0 && !laggard_collective_has_root((enum laggard_collective)collective)) {
        refuse(error, "--root: %s has no root",
               laggard_collective_name((enum laggard_collective)collective));
        return NULL;
    }
    const struct laggard_request request = {.collective = (enum laggard_collective)collective,
                                            .n_ranks = n,
                                            .root = (uint32_t)options->root,
                                            .values = values};
    return lag_plan_new(algorithm, &request, error);
}

static bool verify(const struct lag_schedule *schedule, GError **error)
{
    const lag_plan *plan = schedule->plan;
    struct lag_proof proof = {0};

    if (!lag_verify(plan, schedule->names, &proof, error))
        return false;
    fprintf(stderr,
            "laggard: verified: %" G_GUINT64_FORMAT " transfers in %u rounds, each contribution "
            "exactly once; most sends and receives of a rank in a round: %u and %u\n",
            proof.n_transfers, plan->n_rounds, proof.max_sends, proof.max_recvs);
    return true;
}

static bool print(const struct lag_schedule *schedule, bool json, GError **error)
{
    struct lag_output output;

    if (!lag_output_open(&output, NULL, error))
        return false;
    bool written = json ? lag_schedule_json(schedule, &output, error)
                        : lag_schedule_text(schedule, &output, error);
    return lag_output_close(&output, written ? error : NULL) && written;
}

int lag_cmd_schedule(const struct lag_command *command, int argc, char **argv)
{
    static const char *const formats[] = {"text", "json", NULL};
    g_auto(schedule_options) options = {0};
    g_autoptr(GError) error = NULL, fault = NULL;

    if (!parse(command, argc, argv, &options, &error))
        return lag_command_fail(error);
    int format = lag_command_choice("--format", options.format, formats, &error);
    const struct laggard_algorithm *algorithm =
        format < 0 ? NULL : find_algorithm(options.arguments[0], &error);
    g_autoptr(lag_plan) plan = algorithm == NULL ? NULL : make_plan(algorithm, &options, &error);
    if (plan == NULL)
        return lag_command_fail(error);
    struct lag_schedule schedule = {algorithm->name, plan, lag_plan_bind(plan, plan->n_ranks - 1),
                                    NULL};
    bool verified = options.verify && verify(&schedule, &fault);
    if (options.verify)
        schedule.verified = &verified;
    if (!print(&schedule, format == 1, &error))
        return lag_command_fail(error);
    return fault == NULL ? LAG_EXIT_OK : lag_command_fail(fault);
}
