/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "algorithms/algorithms.h"
#include "scenarios/nearest.h"
#include "sim/lockstep.h"
#include "tools/coded-case.h"
#include "tools/command.h"
#include "tools/explain.h"
#include "tools/output.h"

#define DEFAULT_RANKS    8
#define MOST_CROWD_RANKS 64 /* for more, plans with many transfers at once are no rivals */

typedef struct options {
    char **arguments, **sets;
    char *format, *size, *bandwidth, *latency, *route;
    int ranks;
} explain_options;

static void clear_options(struct options *options)
{
    g_strfreev(options->arguments);
    g_strfreev(options->sets);
    g_free(options->format);
    g_free(options->size);
    g_free(options->bandwidth);
    g_free(options->latency);
    g_free(options->route);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(explain_options, clear_options)

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"ranks",            0, 0, G_OPTION_ARG_INT,            &options->ranks,
         "the same as --set cluster.gpus=N (default for an algorithm: 8)",                                            "N"         },
        {"size",             0, 0, G_OPTION_ARG_STRING,         &options->size,
         "the same as --set workload.size=SIZE (default for an algorithm: 1 GiB)",                                    "SIZE"      },
        {"bandwidth",        0, 0, G_OPTION_ARG_STRING,         &options->bandwidth,
         "the same as --set cluster.network.bandwidth=RATE (450 GiB/s)",                                              "RATE"      },
        {"latency",          0, 0, G_OPTION_ARG_STRING,         &options->latency,
         "the same as --set cluster.network.latency=TIME (3 us)",                                                     "TIME"      },
        {"route",            0, 0, G_OPTION_ARG_STRING,         &options->route,
         "show the ways between two GPUs, gpu0,gpu1",                                                                 "A,B"       },
        {"set",              0, 0, G_OPTION_ARG_STRING_ARRAY,   &options->sets,
         "override a key of the scenario, such as workload.size=64MiB",                                               "PATH=VALUE"},
        {"format",           0, 0, G_OPTION_ARG_STRING,         &options->format,    "how to print (default: table)",
         "table|json"                                                                                                             },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->arguments, NULL,                            NULL        },
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,                NULL,                            NULL        },
    };

    if (!lag_command_parse(command, entries, &argc, &argv, error) ||
        !lag_command_count(options->arguments, 1, 1, "ALGORITHM or FILE", error))
        return false;
    if (options->ranks >= 0 && options->ranks <= 1 << 20)
        return true;
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "--ranks: expected a whole number from 1 to %d, got %d", 1 << 20, options->ranks);
    return false;
}

/* --ranks, --size and so on, and --set, as a list that ends with NULL. */
static GPtrArray *collect_sets(const struct options *options)
{
    const struct {
        const char *key, *value;
    } named[] = {
        {"workload.size",             options->size     },
        {"cluster.network.bandwidth", options->bandwidth},
        {"cluster.network.latency",   options->latency  },
    };
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);

    if (options->ranks > 0)
        g_ptr_array_add(sets, g_strdup_printf("cluster.gpus=%d", options->ranks));
    for (size_t i = 0; i < G_N_ELEMENTS(named); i++)
        if (named[i].value != NULL)
            g_ptr_array_add(sets, g_strdup_printf("%s=%s", named[i].key, named[i].value));
    for (char **set = options->sets; set != NULL && *set != NULL; set++)
        g_ptr_array_add(sets, g_strdup(*set));
    g_ptr_array_add(sets, NULL);
    return sets;
}

static enum laggard_collective first_collective(const struct laggard_algorithm *algorithm)
{
    unsigned collective = 0;

    while (!(algorithm->collectives & LAGGARD_BIT(collective)))
        collective++;
    return (enum laggard_collective)collective;
}

/* The scenario of algorithms that are named without one: n ranks, the last of them late. */
static lag_document *parse_document(const char *algorithms, enum laggard_collective collective,
                                    const struct options *options, GError **error)
{
    unsigned n = options->ranks > 0 ? (unsigned)options->ranks : DEFAULT_RANKS;
    g_autoptr(GPtrArray) sets = collect_sets(options);
    g_autofree char *text =
        g_strdup_printf("laggard: 1\n"
                        "name: explain\n"
                        "cluster:\n"
                        "  gpus: %u\n"
                        "  network: {topology: switch, bandwidth: 450 GiB/s, latency: 3 us}\n"
                        "workload: {collective: %s, size: 1 GiB}\n"
                        "algorithms: [%s]\n"
                        "stragglers: [{ranks: last, delay: 10 ms}]\n",
                        n, laggard_collective_name(collective), algorithms);

    return lag_document_parse(text, strlen(text), "explain", ".", (const char *const *)sets->pdata,
                              error);
}

/* True where the scenario takes the algorithm, and not too many transfers at once make it slow to
 * simulate. */
static bool is_rival(const struct laggard_algorithm *algorithm, enum laggard_collective collective,
                     const struct options *options)
{
    g_autoptr(lag_document) document = parse_document(algorithm->name, collective, options, NULL);
    g_autoptr(lag_scenario) scenario =
        document == NULL ? NULL : lag_document_point(document, 0, NULL);
    g_autoptr(lag_plan) plan = scenario == NULL ? NULL : lag_trial_plan(scenario, 0, NULL);

    return plan != NULL && (scenario->n_ranks <= MOST_CROWD_RANKS ||
                            lag_lockstep_objection(plan, &scenario->network) == NULL);
}

/* The named algorithm, before all others that do the same. */
static lag_document *make_document(const struct laggard_algorithm *algorithm,
                                   const struct options *options, char **ret_preface,
                                   GError **error)
{
    enum laggard_collective collective = first_collective(algorithm);
    g_autoptr(GString) names = g_string_new(algorithm->name);
    g_autoptr(GPtrArray) sets = collect_sets(options);

    for (size_t i = 0; lag_algorithms[i] != NULL; i++)
        if (lag_algorithms[i] != algorithm &&
            lag_algorithms[i]->collectives & LAGGARD_BIT(collective) &&
            is_rival(lag_algorithms[i], collective, options))
            g_string_append_printf(names, ", %s", lag_algorithms[i]->name);
    bool is_crowd = options->ranks > MOST_CROWD_RANKS;
    g_autofree char *changes = g_strjoinv(", ", (char **)sets->pdata);
    *ret_preface = g_strdup_printf(
        "%s of 1 GiB by %d GPUs on one switch, 450 GiB/s and 3 us, the last rank late by 10 "
        "ms%s%s\n"
        "(450 GiB/s and 3 us are the constants of StragglAR's authors; options change all of it)%s",
        laggard_collective_name(collective), DEFAULT_RANKS,
        changes[0] == '\0' ? "" : "; changed: ", changes,
        is_crowd ? "\n(so many ranks: only what has one transfer at a port at once is compared)"
                 : "");
    return parse_document(names->str, collective, options, error);
}

static lag_document *load_document(const struct options *options, char **ret_preface,
                                   GError **error)
{
    const char *path = options->arguments[0];
    g_autoptr(GPtrArray) sets = collect_sets(options);

    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_autoptr(GPtrArray) names = g_ptr_array_new();
        for (size_t i = 0; lag_algorithms[i] != NULL; i++)
            g_ptr_array_add(names, (gpointer)(uintptr_t)lag_algorithms[i]->name);
        g_autofree char *hint =
            lag_nearest_hint(path, (const char *const *)names->pdata, names->len);
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "\"%s\" is neither an algorithm nor a file%s", path, hint);
        return NULL;
    }
    lag_document *document = lag_document_load(path, (const char *const *)sets->pdata, error);
    if (document != NULL && lag_document_n_points(document) > 1)
        *ret_preface =
            g_strdup_printf("%s, the first of %u points", path, lag_document_n_points(document));
    else
        *ret_preface = g_strdup(path);
    return document;
}

/* The exit status where all went well but for the scenario itself. */
static int status_of(const lag_explanation *explanation)
{
    for (uint32_t i = 0; i < explanation->set->n_results; i++)
        if (explanation->set->results[i].status != LAG_OK)
            return LAG_EXIT_FAILED;
    return LAG_EXIT_OK;
}

/* The page of coded aggregation, which no scenario is needed for. */
static bool explain_coded(const struct options *options, bool json, GString *text, GError **error)
{
    g_autoptr(GPtrArray) sets = collect_sets(options);
    g_auto(lag_coded_input) input = {0};

    if (options->route != NULL) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "--route: %s is explained without a network's ways", options->arguments[0]);
        return false;
    }
    if (!lag_coded_input_read(&input, options->arguments[0], (const char *const *)sets->pdata,
                              error))
        return false;
    g_autoptr(lag_coded_answer) answer = lag_coded_answer_new(&input.asked, error);
    if (answer == NULL)
        return false;
    if (json)
        lag_coded_answer_json(answer, text);
    else
        lag_coded_answer_text(answer, text);
    return true;
}

static bool explain(const struct options *options, bool json, GString *text, int *ret_status,
                    GError **error)
{
    const struct laggard_algorithm *algorithm = lag_algorithm_find(options->arguments[0]);
    g_autofree char *preface = NULL;
    g_autoptr(lag_document) document = algorithm != NULL
                                           ? make_document(algorithm, options, &preface, error)
                                           : load_document(options, &preface, error);
    g_autoptr(lag_explanation) explanation =
        document == NULL
            ? NULL
            : lag_explanation_new(document, algorithm != NULL && options->sets == NULL, error);

    if (explanation == NULL || (options->route != NULL &&
                                !lag_route_ends_parse(explanation->scenario->topology,
                                                      options->route, &explanation->route, error)))
        return false;
    if (json)
        lag_explanation_json(explanation, preface, text);
    else
        lag_explanation_text(explanation, preface, text);
    *ret_status = status_of(explanation);
    return true;
}

int lag_cmd_explain(const struct lag_command *command, int argc, char **argv)
{
    static const char *const formats[] = {"table", "json", NULL};
    g_auto(explain_options) options = {0};
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (!parse(command, argc, argv, &options, &error))
        return lag_command_fail(error);
    int format = lag_command_choice("--format", options.format, formats, &error);
    int status = LAG_EXIT_OK;
    if (format < 0 ||
        !(lag_coded_is_known(options.arguments[0])
              ? explain_coded(&options, format == 1, text, &error)
              : explain(&options, format == 1, text, &status, &error)) ||
        !lag_output_text(NULL, text, &error))
        return lag_command_fail(error);
    return status;
}
