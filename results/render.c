/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/render.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "results/format.h"
#include "results/table.h"

static char *format_ranks(const struct lag_result *result)
{
    return g_strdup_printf("%u", result->n_ranks);
}

static char *format_size(const struct lag_result *result)
{
    return lag_format_bytes((double)result->size);
}

static char *format_collective(const struct lag_result *result)
{
    return g_strdup(laggard_collective_name(result->collective));
}

static char *format_runs(const struct lag_result *result)
{
    uint32_t n = result->n_replications, steps = result->n_steps;

    if (n == 1)
        return g_strdup_printf("%u step%s", steps, steps == 1 ? "" : "s");
    return steps == 1 ? g_strdup_printf("%u replications", n)
                      : g_strdup_printf("%u replications of %u steps", n, steps);
}

static char *format_engine(const struct lag_result *result)
{
    return g_strdup(result->engine);
}

static char *format_transfers(const struct lag_result *result)
{
    return g_strdup(result->transfers);
}

/* Of compute times; what the user gave needs no word. */
static char *format_source(const struct lag_result *result)
{
    const char *source = result->source_of_times;

    if (source == NULL || strcmp(source, "given") == 0)
        return g_strdup("");
    return g_strdup_printf("compute times by %s", source);
}

/* What stands in the heading where it is the same in all rows, and in a column where it isn't and
 * no axis shows it. */
static const struct setting {
    const char *heading;
    const char *axis;   /* whose coordinates say the same; NULL for none */
    const char *phrase; /* behind the value in the heading line */
    char *(*format)(const struct lag_result *result);
} settings[] = {
    {"collective", "workload.collective",       "",           format_collective},
    {"ranks",      "cluster.gpus",              " ranks",     format_ranks     },
    {"size",       "workload.size",             "",           format_size      },
    {"runs",       NULL,                        "",           format_runs      },
    {"transfers",  "cluster.network.transfers", " transfers", format_transfers },
    {"engine",     "run.engine",                " engine",    format_engine    },
    {"computing",  NULL,                        "",           format_source    },
};

static bool varies(const lag_result_set *set, const struct setting *setting)
{
    g_autofree char *first = setting->format(&set->results[0]);

    for (uint32_t i = 1; i < set->n_results; i++) {
        g_autofree char *other = setting->format(&set->results[i]);
        if (strcmp(first, other) != 0)
            return true;
    }
    return false;
}

static bool is_axis(const struct lag_result *row, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < row->n_coordinates; i++)
        if (strcmp(row->point[i].name, name) == 0)
            return true;
    return false;
}

static void append_heading(GString *text, const lag_result_set *set)
{
    g_string_append_printf(text, "%s, seed %" G_GUINT64_FORMAT, set->scenario, set->seed);
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        if (varies(set, &settings[i]))
            continue;
        g_autofree char *value = settings[i].format(&set->results[0]);
        if (*value == '\0')
            continue;
        g_string_append_printf(text, "%s%s%s", i == 0 ? ": " : ", ", value, settings[i].phrase);
    }
    g_string_append(text, "\n\n");
}

/* "size" for "workload.size", unless another axis ends like it. */
static const char *axis_heading(const struct lag_result *row, uint32_t axis)
{
    const char *name = row->point[axis].name;
    const char *dot = strrchr(name, '.');

    if (dot == NULL)
        return name;
    for (uint32_t i = 0; i < row->n_coordinates; i++)
        if (i != axis && g_str_has_suffix(row->point[i].name, dot))
            return name;
    return dot + 1;
}

static bool has_samples(const lag_result_set *set)
{
    for (uint32_t i = 0; i < set->n_results; i++)
        if ((uint64_t)set->results[i].n_steps * set->results[i].n_replications > 1)
            return true;
    return false;
}

static bool has_throughput(const lag_result_set *set)
{
    for (uint32_t i = 0; i < set->n_results; i++)
        if (set->results[i].throughput > 0)
            return true;
    return false;
}

static bool same_point(const struct lag_result *a, const struct lag_result *b)
{
    for (uint32_t i = 0; i < a->n_coordinates; i++)
        if (g_strcmp0(a->point[i].text, b->point[i].text) != 0)
            return false;
    return true;
}

static char *format_half_interval(const struct lag_statistics *s)
{
    return lag_format_seconds((s->ci95_high - s->ci95_low) / 2);
}

/* "1.3629"; "-" where it means nothing. */
static char *format_ratio(double ratio)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    if (!isfinite(ratio))
        return g_strdup("-");
    const char *format = fabs(ratio) < 1000 ? "%.4f" : "%.5g";
    return g_strdup(g_ascii_formatd(buffer, sizeof buffer, format, ratio));
}

static char *format_pace(double throughput)
{
    return throughput > 0 ? g_strdup_printf("%.6g", throughput) : g_strdup("-");
}

/* The bottleneck; for a row without numbers what went wrong, without the list of details that the
 * row's message has behind its first semicolon. */
static char *format_verdict(const struct lag_result *row)
{
    const char *status = lag_status_name(row->status);

    if (row->status == LAG_OK)
        return g_strdup(row->bottleneck);
    g_autofree char *fault = g_strndup(row->message, strcspn(row->message, ";"));
    return strstr(fault, status) != NULL ? g_steal_pointer(&fault)
                                         : g_strdup_printf("%s: %s", status, fault);
}

/* Which columns a set's table has. */
struct layout {
    bool setting[G_N_ELEMENTS(settings)];
    bool jobs, samples, throughput;
};

static struct layout make_columns(lag_table *table, const lag_result_set *set)
{
    const struct lag_result *first = &set->results[0];
    struct layout layout = {
        .jobs = first->job != NULL,
        .samples = has_samples(set),
        .throughput = has_throughput(set),
    };

    for (uint32_t i = 0; i < first->n_coordinates; i++)
        lag_table_column(table, axis_heading(first, i), true);
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        layout.setting[i] = varies(set, &settings[i]) && !is_axis(first, settings[i].axis);
        if (layout.setting[i])
            lag_table_column(table, settings[i].heading, true);
    }
    if (layout.jobs)
        lag_table_column(table, "job", false);
    lag_table_column(table, "algorithm", false);
    lag_table_column(table, "time", true);
    lag_table_column(table, "exposed", true);
    if (layout.samples) {
        lag_table_column(table, "+/- 95 %", true);
        lag_table_column(table, "p99", true);
    }
    lag_table_column(table, "algbw", true);
    lag_table_column(table, "busbw", true);
    lag_table_column(table, "speed-up", true);
    if (layout.throughput)
        lag_table_column(table, "samples/s", true);
    lag_table_column(table, "bottleneck", false);
    return layout;
}

static void add_row(lag_table *table, const struct layout *layout, const struct lag_result *row,
                    const struct lag_result *above)
{
    bool repeated = above != NULL && same_point(row, above);

    for (uint32_t i = 0; i < row->n_coordinates; i++)
        lag_table_cell(table, repeated ? "" : row->point[i].text);
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
        if (layout->setting[i])
            lag_table_take_cell(table, settings[i].format(row));
    if (layout->jobs)
        lag_table_cell(table, row->job);
    lag_table_cell(table, row->label);
    lag_table_take_cell(table, lag_format_seconds(row->time.mean));
    lag_table_take_cell(table, lag_format_seconds(row->exposed.mean));
    if (layout->samples) {
        lag_table_take_cell(table, format_half_interval(&row->exposed));
        lag_table_take_cell(table, lag_format_seconds(row->exposed.p99));
    }
    lag_table_take_cell(table, lag_format_rate(row->algbw));
    lag_table_take_cell(table, lag_format_rate(row->busbw));
    lag_table_take_cell(table, format_ratio(row->speedup));
    if (layout->throughput)
        lag_table_take_cell(table, format_pace(row->throughput));
    lag_table_take_cell(table, format_verdict(row));
}

static void append_footer(GString *text, bool samples)
{
    g_string_append(text, "\n"
                          "time: from the start of the step to the last rank's end\n"
                          "exposed: from the last rank's arrival to the last rank's end\n");
    if (samples)
        g_string_append(text, "+/- 95 %, p99: confidence interval of the mean, and 99th "
                              "percentile, of exposed over all runs\n");
    g_string_append(text, "algbw: size / exposed; busbw: algbw x 2(n-1)/n for allreduce, (n-1)/n "
                          "for reduce-scatter and all-gather, 1 for broadcast and reduce\n"
                          "speed-up: exposed of the first algorithm / own\n"
                          "bottleneck: the largest share of the critical path\n");
}

static void append_set(GString *text, const lag_result_set *set)
{
    g_autoptr(lag_table) table = lag_table_new();

    assert(set->n_results > 0);
    append_heading(text, set);
    struct layout layout = make_columns(table, set);
    for (uint32_t i = 0; i < set->n_results; i++)
        add_row(table, &layout, &set->results[i], i > 0 ? &set->results[i - 1] : NULL);
    lag_table_print(table, text);
}

void lag_render_tables(GString *text, lag_result_set *const *sets, uint32_t n_sets,
                       const char *version)
{
    bool samples = false;

    (void)version;
    for (uint32_t i = 0; i < n_sets; i++) {
        if (i > 0)
            g_string_append_c(text, '\n');
        append_set(text, sets[i]);
        samples = samples || has_samples(sets[i]);
    }
    append_footer(text, samples);
}
