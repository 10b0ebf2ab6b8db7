/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "results/format.h"
#include "results/json.h"
#include "results/paired.h"
#include "results/table.h"
#include "scenarios/nearest.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/trial.h"

typedef struct options {
    char **arguments, **sets;
    char *format, *job;
    int replications;
} compare_options;

static void clear_options(struct options *options)
{
    g_strfreev(options->arguments);
    g_strfreev(options->sets);
    g_free(options->format);
    g_free(options->job);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(compare_options, clear_options)

static bool parse(const struct lag_command *command, int argc, char **argv, struct options *options,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"set",              0, 0, G_OPTION_ARG_STRING_ARRAY,   &options->sets,
         "override a key of the scenario, such as workload.size=64MiB",                                                  "PATH=VALUE"},
        {"replications",     0, 0, G_OPTION_ARG_INT,            &options->replications,
         "the same as --set run.replications=N",                                                                         "N"         },
        {"job",              0, 0, G_OPTION_ARG_STRING,         &options->job,
         "whose times, where the scenario has several jobs",                                                             "NAME"      },
        {"format",           0, 0, G_OPTION_ARG_STRING,         &options->format,       "how to print (default: table)",
         "table|json"                                                                                                                },
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->arguments,    NULL,                            NULL        },
        {NULL,               0, 0, G_OPTION_ARG_NONE,           NULL,                   NULL,                            NULL        },
    };

    return lag_command_parse(command, entries, &argc, &argv, error) &&
           lag_command_count(options->arguments, 3, 3, "FILE, A and B", error);
}

static lag_document *load(const struct options *options, GError **error)
{
    g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(g_free);

    for (char **set = options->sets; set != NULL && *set != NULL; set++)
        g_ptr_array_add(sets, g_strdup(*set));
    if (options->replications > 0)
        g_ptr_array_add(sets, g_strdup_printf("run.replications=%d", options->replications));
    g_ptr_array_add(sets, NULL);
    return lag_document_load(options->arguments[0], (const char *const *)sets->pdata, error);
}

/* The scenario's algorithm of that label, or the only one of that name; -1 with an error. */
static int find_entrant(const lag_scenario *scenario, const char *name, GError **error)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    int found = -1, n_found = 0;

    for (uint32_t i = 0; i < scenario->n_entrants; i++) {
        const struct lag_entrant *entrant = &scenario->entrants[i];
        g_ptr_array_add(labels, entrant->label);
        if (strcmp(entrant->label, name) == 0)
            return (int)i;
        if (strcmp(lag_entrant_name(entrant), name) == 0) {
            found = (int)i;
            n_found++;
        }
    }
    if (n_found == 1)
        return found;
    g_autofree char *hint = lag_nearest_hint(name, (const char *const *)labels->pdata, labels->len);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                n_found > 1 ? "the scenario has several %s; give the whole label%s"
                            : "the scenario has no algorithm \"%s\"%s",
                name, hint);
    return -1;
}

/* The part whose times are compared: the job of that name, or all that there is; -1 with an error. */
static int find_part(const lag_scenario *scenario, const char *job, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    if (scenario->n_jobs == 0 && job == NULL)
        return 0;
    for (uint32_t i = 0; i < scenario->n_jobs; i++) {
        g_ptr_array_add(names, scenario->jobs[i]->job);
        if (g_strcmp0(scenario->jobs[i]->job, job) == 0)
            return (int)i;
    }
    if (scenario->n_jobs == 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "--job: the scenario has no jobs");
        return -1;
    }
    g_autofree char *hint =
        lag_nearest_hint(job != NULL ? job : "", (const char *const *)names->pdata, names->len);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                job != NULL ? "--job: the scenario has no job \"%s\"%s"
                            : "the scenario has several jobs; name one with --job%s%s",
                job != NULL ? job : "", hint);
    return -1;
}

/* All runs of one combination of algorithms at a point, in order, into the parts' tallies. */
static bool run_all(lag_trial *trial, const lag_scenario *scenario, int entrant,
                    struct lag_tally *tallies, GError **error)
{
    uint32_t n = lag_scenario_n_parts(scenario);
    g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func((GDestroyNotify)lag_plan_free);

    for (uint32_t i = 0; i < n; i++) {
        const lag_scenario *part = lag_scenario_part(scenario, i);
        lag_plan *plan = lag_trial_plan(part, lag_scenario_entrant(part, (uint32_t)entrant), error);
        if (plan == NULL)
            return false;
        g_ptr_array_add(plans, plan);
    }
    return lag_trial_run_parts(trial, scenario, (lag_plan *const *)plans->pdata, 0,
                               scenario->n_replications, tallies, error);
}

static struct lag_tally *tallies_new(const lag_scenario *scenario)
{
    uint32_t n = lag_scenario_n_parts(scenario);
    struct lag_tally *tallies = g_new(struct lag_tally, n);

    for (uint32_t i = 0; i < n; i++)
        lag_tally_init(&tallies[i], lag_scenario_part(scenario, i)->n_ranks,
                       scenario->topology->n_links);
    return tallies;
}

static void tallies_free(const lag_scenario *scenario, struct lag_tally *tallies)
{
    for (uint32_t i = 0; i < lag_scenario_n_parts(scenario); i++)
        lag_tally_clear(&tallies[i]);
    g_free(tallies);
}

/* Runs both and pairs their times; a and b are combinations. */
static bool pair_up(lag_trial *trial, const lag_scenario *scenario, int part, const int ab[2],
                    struct lag_paired *ret, GError **error)
{
    struct lag_tally *a = tallies_new(scenario), *b = tallies_new(scenario);
    bool done =
        run_all(trial, scenario, ab[0], a, error) && run_all(trial, scenario, ab[1], b, error);

    if (done && a[part].exposed == NULL) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "run.replications: a comparison takes up to %u runs of a point, not %u",
                    LAG_TALLY_KEEP, scenario->n_replications * scenario->n_steps);
        done = false;
    }
    if (done)
        *ret = lag_paired_of((const double *)(void *)a[part].exposed->data,
                             (const double *)(void *)b[part].exposed->data, a[part].exposed->len,
                             scenario->n_steps);
    tallies_free(scenario, a);
    tallies_free(scenario, b);
    return done;
}

static bool compare_point(lag_trial *trial, const lag_scenario *scenario,
                          const struct options *options, struct lag_paired *ret, GError **error)
{
    int part = find_part(scenario, options->job, error), ab[2];

    for (int i = 0; i < 2; i++) {
        if (part < 0)
            return false;
        ab[i] = find_entrant(lag_scenario_part(scenario, (uint32_t)part), options->arguments[i + 1],
                             error);
        if (ab[i] < 0)
            return false;
    }
    if (scenario->precision > 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "run.precision: a comparison needs the same runs of both; give "
                    "run.replications instead");
        return false;
    }
    return pair_up(trial, scenario, part, ab, ret, error);
}

static void take_cell(lag_table *table, char *text)
{
    lag_table_take_cell(table, text);
}

/* Takes both texts over; "-" where there is no interval. */
static void add_interval(lag_table *table, struct lag_estimate estimate, char *low, char *high)
{
    bool known = isfinite(estimate.low) && isfinite(estimate.high);

    take_cell(table, known ? g_strdup_printf("%s .. %s", low, high) : g_strdup("-"));
    g_free(low);
    g_free(high);
}

static void add_row(lag_table *table, const lag_document *document, uint32_t point,
                    const struct lag_paired *p)
{
    for (uint32_t axis = 0; axis < lag_document_n_axes(document); axis++)
        lag_table_cell(table, lag_document_coordinate(document, point, axis).text);
    take_cell(table, g_strdup_printf("%zu", p->n));
    take_cell(table, lag_format_seconds(p->mean_a));
    take_cell(table, lag_format_seconds(p->mean_b));
    take_cell(table, lag_format_seconds(p->difference.value));
    add_interval(table, p->difference, lag_format_seconds(p->difference.low),
                 lag_format_seconds(p->difference.high));
    take_cell(table, g_strdup_printf("%.4f", p->ratio.value));
    add_interval(table, p->ratio, g_strdup_printf("%.4f", p->ratio.low),
                 g_strdup_printf("%.4f", p->ratio.high));
    bool one_run = p->n < 2;
    take_cell(table, g_strdup_printf("%.1f %%", 100 * p->wins.value));
    add_interval(table, one_run ? (struct lag_estimate){NAN, NAN, NAN} : p->wins,
                 g_strdup_printf("%.1f", 100 * p->wins.low),
                 g_strdup_printf("%.1f %%", 100 * p->wins.high));
}

static const char *verdict(const struct lag_paired *p)
{
    bool one_run = p->n_independent < 2;

    if (p->ties == 1)
        return "they take the same time";
    if (p->difference.high < 0)
        return "A is faster";
    if (p->difference.low > 0)
        return "B is faster";
    if (one_run)
        return p->difference.value < 0 ? "A is faster in the only run"
                                       : "B is faster in the only run";
    return "no difference that these runs can show";
}

static void print_table(const lag_document *document, const struct options *options,
                        const struct lag_paired *pairs, uint32_t n_points, GString *text)
{
    static const char *const headings[] = {"runs",  "A",    "B",      "A - B", "95 %",
                                           "A / B", "95 %", "A wins", "95 %"};
    g_autoptr(lag_table) table = lag_table_new();

    for (uint32_t axis = 0; axis < lag_document_n_axes(document); axis++)
        lag_table_column(table, lag_document_axis(document, axis), true);
    for (size_t i = 0; i < G_N_ELEMENTS(headings); i++)
        lag_table_column(table, headings[i], true);
    for (uint32_t point = 0; point < n_points; point++)
        add_row(table, document, point, &pairs[point]);
    g_string_append_printf(text, "A = %s, B = %s: exposed times under the same arrivals\n\n",
                           options->arguments[1], options->arguments[2]);
    lag_table_print(table, text);
    if (n_points == 1)
        g_string_append_printf(text, "\n%s\n", verdict(&pairs[0]));
    g_string_append_printf(text,
                           "\nintervals: of the mean over %s; A / B by Fieller, A wins by Wilson\n",
                           pairs[0].n_independent < pairs[0].n ? "replications" : "runs");
}

static void write_estimate(struct lag_json *json, const char *key, struct lag_estimate e)
{
    lag_json_open_object(json, key, LAG_JSON_ONE_LINE);
    lag_json_number(json, "value", e.value);
    lag_json_number(json, "ci95_low", e.low);
    lag_json_number(json, "ci95_high", e.high);
    lag_json_close(json);
}

static void write_point(struct lag_json *json, const lag_document *document, uint32_t point,
                        const struct lag_paired *p)
{
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    lag_json_open_object(json, "point", LAG_JSON_ONE_LINE);
    for (uint32_t axis = 0; axis < lag_document_n_axes(document); axis++) {
        struct lag_coordinate at = lag_document_coordinate(document, point, axis);
        if (at.is_number)
            lag_json_number(json, lag_document_axis(document, axis), at.number);
        else
            lag_json_string(json, lag_document_axis(document, axis), at.text);
    }
    lag_json_close(json);
    lag_json_count(json, "runs", p->n);
    lag_json_count(json, "independent", p->n_independent);
    lag_json_number(json, "a_exposed_s", p->mean_a);
    lag_json_number(json, "b_exposed_s", p->mean_b);
    write_estimate(json, "difference_s", p->difference);
    write_estimate(json, "ratio", p->ratio);
    write_estimate(json, "a_wins", p->wins);
    lag_json_number(json, "ties", p->ties);
    lag_json_string(json, "verdict", verdict(p));
    lag_json_close(json);
}

static void print_json(const lag_document *document, const struct options *options,
                       const struct lag_paired *pairs, uint32_t n_points, GString *text)
{
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_object(&json, NULL, LAG_JSON_LINES);
    lag_json_string(&json, "a", options->arguments[1]);
    lag_json_string(&json, "b", options->arguments[2]);
    lag_json_string(&json, "fingerprint", lag_document_fingerprint(document));
    lag_json_open_array(&json, "results", LAG_JSON_LINES);
    for (uint32_t point = 0; point < n_points; point++)
        write_point(&json, document, point, &pairs[point]);
    lag_json_close(&json);
    lag_json_close(&json);
}

/* Compares at each point; all points are validated first. */
static struct lag_paired *compare_all(const lag_document *document, const struct options *options,
                                      GError **error)
{
    uint32_t n_points = lag_document_n_points(document);
    g_autoptr(lag_trial) trial = lag_trial_new();
    g_autofree struct lag_paired *pairs = g_new(struct lag_paired, n_points);

    for (uint32_t point = 0; point < n_points; point++) {
        g_autoptr(lag_scenario) scenario = lag_document_point(document, point, error);
        if (scenario == NULL)
            return NULL;
    }
    for (uint32_t point = 0; point < n_points; point++) {
        g_autoptr(lag_scenario) scenario = lag_document_point(document, point, error);
        if (scenario == NULL || !compare_point(trial, scenario, options, &pairs[point], error))
            return NULL;
    }
    return g_steal_pointer(&pairs);
}

int lag_cmd_compare(const struct lag_command *command, int argc, char **argv)
{
    static const char *const formats[] = {"table", "json", NULL};
    g_auto(compare_options) options = {0};
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (!parse(command, argc, argv, &options, &error))
        return lag_command_fail(error);
    int format = lag_command_choice("--format", options.format, formats, &error);
    g_autoptr(lag_document) document = format < 0 ? NULL : load(&options, &error);
    g_autofree struct lag_paired *pairs =
        document == NULL ? NULL : compare_all(document, &options, &error);
    if (pairs == NULL)
        return lag_command_fail(error);
    (format == 1 ? print_json : print_table)(document, &options, pairs,
                                             lag_document_n_points(document), text);
    return lag_output_text(NULL, text, &error) ? LAG_EXIT_OK : lag_command_fail(error);
}
