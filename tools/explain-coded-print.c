/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "results/format.h"
#include "results/json-writer.h"
#include "results/table.h"
#include "tools/explain-coded.h"

#define MOST_CHOICES 6

static void append_time(GString *text, const char *before, lag_seconds time, const char *after)
{
    g_autofree char *number = lag_format_seconds(time);

    g_string_append_printf(text, "%s%s%s", before, number, after);
}

static void append_load(GString *text, const lag_coded_answer *answer)
{
    const struct lag_coded_case *asked = answer->asked;
    g_autofree char *stored = lag_format_bytes(answer->stored);

    g_string_append(text, "  load         ");
    if (answer->has_exact)
        g_string_append_printf(text, "%" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT " = ",
                               answer->exact.load_above, answer->exact.load_below);
    g_string_append_printf(text,
                           "%.6g of the data: %.6g of %.6g points a worker, %s; %.4g times as much "
                           "as without a code\n",
                           answer->load, answer->load * asked->points, asked->points, stored,
                           answer->load * answer->n_workers);
    if (answer->has_exact)
        g_string_append_printf(text,
                               "  divisible    from %" G_GUINT64_FORMAT
                               " points on, and multiples: %" G_GUINT64_FORMAT
                               " each; other sizes are split to within a point or so\n",
                               answer->exact.least_points, answer->exact.points_each);
}

static void append_code(GString *text, const lag_coded_answer *answer)
{
    g_string_append_printf(text, "  code         %s: %s\n", answer->asked->code->name,
                           answer->asked->code->summary);
    g_string_append_printf(
        text,
        "               amplification %.4g, residual %.2g, worst of %s%" G_GUINT64_FORMAT
        " sets of %u late\n",
        answer->amplification, answer->residual, answer->all_sets ? "all " : "", answer->n_sets,
        answer->asked->tree.stragglers);
}

static void append_survival(GString *text, const lag_coded_answer *answer)
{
    const struct lag_tree *tree = &answer->asked->tree;
    g_autoptr(lag_table) table = lag_table_new();
    bool has_star = tree->depth > 1;

    g_string_append_printf(
        text,
        "  survives     any %u of each parent's %u children, and with luck %u of "
        "all %u workers\n               (a late parent hides all below it, and "
        "counts once); %u of one parent are fatal%s\n",
        tree->stragglers, tree->degree, answer->tolerable, answer->n_workers, answer->fatal,
        answer->rule == LAG_TREE_GROUPS ? " where they are one group" : "");
    if (has_star)
        g_string_append_printf(
            text, "               gradient-coding with the same load survives any %u%s\n",
            answer->star_stragglers,
            answer->star_rule == LAG_TREE_GROUPS ? ", in groups as well" : "");
    lag_table_column(table, "a worker is dead with", true);
    lag_table_column(table, answer->asked->name, true);
    if (has_star)
        lag_table_column(table, "gradient-coding, same load", true);
    lag_table_column(table, "no code", true);
    for (int i = 0; i < LAG_CODED_DEATHS; i++) {
        lag_table_take_cell(table, g_strdup_printf("%.4g %%", 100 * lag_coded_deaths[i]));
        lag_table_take_cell(table, g_strdup_printf("%.6f", answer->completion[i]));
        if (has_star)
            lag_table_take_cell(table, g_strdup_printf("%.6f", answer->star_completion[i]));
        lag_table_take_cell(table, g_strdup_printf("%.6f", answer->plain_completion[i]));
    }
    g_string_append(text, "\nprobability that an iteration completes\n");
    lag_table_print(table, text);
}

static char *bounds_text(const struct lag_time_bounds *bounds)
{
    g_autofree char *low = lag_format_seconds(bounds->low);
    g_autofree char *high = lag_format_seconds(bounds->high);

    if (isnan(bounds->low))
        return g_strdup("-");
    if (bounds->high - bounds->low <= 1e-9 * bounds->high)
        return g_strdup(low);
    return g_strdup_printf("%s .. %s", low, high);
}

static char *shape_text(const struct lag_tree *tree)
{
    return tree->degree == 0
               ? g_strdup("-")
               : g_strdup_printf("(%u, %u), %u", tree->degree, tree->depth, tree->stragglers);
}

static const char *rule_text(const struct lag_tree *tree, enum lag_tree_rule rule)
{
    return tree->degree == 0 || tree->stragglers == 0 ? "all"
           : rule == LAG_TREE_GROUPS                  ? "one of each group"
                                                      : "any n - s";
}

static void append_ways(GString *text, const lag_coded_answer *answer)
{
    const struct lag_coded_case *asked = answer->asked;
    g_autoptr(lag_table) table = lag_table_new();
    g_autofree char *message = lag_format_seconds(asked->message);
    g_autofree char *step = lag_format_seconds(asked->step);

    g_string_append_printf(text,
                           "\ntime of an iteration: %s; a message %s, %s port%s; a ring's step %s "
                           "more\n",
                           asked->law, message, asked->parallel ? "parallel" : "serial",
                           asked->fan_in > 0 ? ", slower with more children" : "", step);
    lag_table_column(table, "protocol", false);
    lag_table_column(table, "(n, L), s", false);
    lag_table_column(table, "waits for", false);
    lag_table_column(table, "load", true);
    lag_table_column(table, "most receptions", true);
    lag_table_column(table, "mean", true);
    lag_table_column(table, "standard error", true);
    lag_table_column(table, "bounds for any n - s", false);
    lag_table_column(table, "slower than the first", true);
    for (uint32_t i = 0; i < answer->n_ways; i++) {
        const struct lag_coded_way *way = &answer->ways[i];
        lag_table_cell(table, way->name);
        lag_table_take_cell(table, shape_text(&way->tree));
        lag_table_cell(table, rule_text(&way->tree, way->rule));
        lag_table_take_cell(table, g_strdup_printf("%.6g", way->load));
        lag_table_take_cell(table, way->receptions > 0 ? g_strdup_printf("%u", way->receptions)
                                                       : g_strdup("-"));
        lag_table_take_cell(table, lag_format_seconds(way->time.mean));
        lag_table_take_cell(table, way->time.error > 0 ? lag_format_seconds(way->time.error)
                                                       : g_strdup("exact"));
        lag_table_take_cell(table, bounds_text(&way->bounds));
        lag_table_take_cell(table,
                            g_strdup_printf("%.4g", way->time.mean / answer->ways[0].time.mean));
    }
    lag_table_print(table, text);
}

static void append_overhead(GString *text, const lag_coded_answer *answer)
{
    const char *plain = answer->ways[answer->best_plain].name;
    uint32_t receptions = answer->ways[0].receptions;

    g_string_append_c(text, '\n');
    if (answer->overhead <= 0) {
        append_time(text, "the code doesn't pay here: ", -answer->overhead, "");
        g_string_append_printf(
            text, " slower than %s, before encoding and decoding cost anything\n", plain);
        return;
    }
    append_time(text, "encoding and decoding may take ", answer->overhead, "");
    append_time(text, " an iteration (", answer->overhead / receptions, "");
    g_string_append_printf(text, " a received message) until %s is as fast\n", plain);
}

static void append_choices(GString *text, const lag_coded_answer *answer)
{
    const struct lag_coded_case *asked = answer->asked;
    g_autoptr(lag_table) table = lag_table_new();

    g_string_append_printf(text, "\nfastest of %u shapes for %u workers, by %s\n",
                           answer->choices->len, asked->n_workers,
                           answer->ways[0].time.error > 0 ? "Monte Carlo on the same random numbers"
                                                          : "formula: nothing is random");
    lag_table_column(table, "(n, L), s", false);
    lag_table_column(table, "waits for", false);
    lag_table_column(table, "load", true);
    lag_table_column(table, "mean", true);
    lag_table_column(table, "standard error", true);
    for (guint i = 0; i < MIN(answer->choices->len, MOST_CHOICES); i++) {
        const struct lag_tree_choice *choice =
            &g_array_index(answer->choices, struct lag_tree_choice, i);
        lag_table_take_cell(table, shape_text(&choice->tree));
        lag_table_cell(table, rule_text(&choice->tree, choice->rule));
        lag_table_take_cell(table, g_strdup_printf("%.6g", lag_tree_load(&choice->tree)));
        lag_table_take_cell(table, lag_format_seconds(choice->time.mean));
        lag_table_take_cell(table, choice->time.error > 0 ? lag_format_seconds(choice->time.error)
                                                          : g_strdup("exact"));
    }
    lag_table_print(table, text);
}

static void append_advice(GString *text, const lag_coded_answer *answer)
{
    const struct lag_coded_case *asked = answer->asked;
    double star = answer->n_workers - answer->star_stragglers;

    g_string_append(text, "\nto keep in mind\n");
    if (asked->tree.depth > 1)
        g_string_append_printf(
            text,
            "  With linear serial ports a tree gains at most receptions over receptions: %.4g "
            "times "
            "over gradient-coding\n  of the same load. More takes ports that slow down with many "
            "senders (fan_in).\n",
            star / answer->ways[0].receptions);
    g_string_append(
        text, "  A ring sends less than 2 messages' worth; it loses by its steps' latency and "
              "by slow members.\n"
              "  Where delay grows with a worker's load redundancy costs more than it saves, "
              "but for fewer receptions;\n  it pays where delay does not.\n");
}

void lag_coded_answer_text(const lag_coded_answer *answer, GString *text)
{
    const struct lag_coded_case *asked = answer->asked;

    g_string_append_printf(text, "%s: %s\n", asked->name, asked->summary);
    g_string_append_printf(text, "  source       %s\n", asked->source);
    g_string_append_printf(
        text,
        "  shape        degree n = %u, depth L = %u, stragglers s = %u: %u workers "
        "under a root that holds no data\n",
        asked->tree.degree, asked->tree.depth, asked->tree.stragglers, answer->n_workers);
    g_string_append_printf(text, "  formula      %s\n", asked->formula);
    append_load(text, answer);
    append_code(text, answer);
    append_survival(text, answer);
    append_ways(text, answer);
    append_overhead(text, answer);
    append_choices(text, answer);
    append_advice(text, answer);
}

static void write_tree(struct lag_json *json, const struct lag_tree *tree)
{
    lag_json_count(json, "degree", tree->degree);
    lag_json_count(json, "depth", tree->depth);
    lag_json_count(json, "stragglers", tree->stragglers);
}

static void write_ways(struct lag_json *json, const lag_coded_answer *answer)
{
    lag_json_open_array(json, "ways", LAG_JSON_LINES);
    for (uint32_t i = 0; i < answer->n_ways; i++) {
        const struct lag_coded_way *way = &answer->ways[i];
        lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
        lag_json_string(json, "name", way->name);
        if (way->tree.degree > 0)
            write_tree(json, &way->tree);
        lag_json_number(json, "load", way->load);
        lag_json_number(json, "mean_s", way->time.mean);
        lag_json_number(json, "standard_error_s", way->time.error);
        lag_json_number(json, "bound_low_s", way->bounds.low);
        lag_json_number(json, "bound_high_s", way->bounds.high);
        lag_json_close(json);
    }
    lag_json_close(json);
}

static void write_choices(struct lag_json *json, const lag_coded_answer *answer)
{
    lag_json_open_array(json, "fastest", LAG_JSON_LINES);
    for (guint i = 0; i < answer->choices->len; i++) {
        const struct lag_tree_choice *choice =
            &g_array_index(answer->choices, struct lag_tree_choice, i);
        lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
        write_tree(json, &choice->tree);
        lag_json_string(json, "waits_for", choice->rule == LAG_TREE_GROUPS ? "groups" : "count");
        lag_json_number(json, "mean_s", choice->time.mean);
        lag_json_number(json, "standard_error_s", choice->time.error);
        lag_json_close(json);
    }
    lag_json_close(json);
}

static void write_completion(struct lag_json *json, const lag_coded_answer *answer)
{
    lag_json_open_array(json, "completion", LAG_JSON_LINES);
    for (int i = 0; i < LAG_CODED_DEATHS; i++) {
        lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
        lag_json_number(json, "death", lag_coded_deaths[i]);
        lag_json_number(json, "probability", answer->completion[i]);
        lag_json_number(json, "gradient_coding", answer->star_completion[i]);
        lag_json_number(json, "no_code", answer->plain_completion[i]);
        lag_json_close(json);
    }
    lag_json_close(json);
}

void lag_coded_answer_json(const lag_coded_answer *answer, GString *text)
{
    const struct lag_coded_case *asked = answer->asked;
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_object(&json, NULL, LAG_JSON_LINES);
    lag_json_string(&json, "protocol", asked->name);
    write_tree(&json, &asked->tree);
    lag_json_count(&json, "workers", answer->n_workers);
    lag_json_number(&json, "load", answer->load);
    if (answer->has_exact) {
        lag_json_count(&json, "load_above", answer->exact.load_above);
        lag_json_count(&json, "load_below", answer->exact.load_below);
        lag_json_count(&json, "least_points", answer->exact.least_points);
        lag_json_count(&json, "points_each", answer->exact.points_each);
    }
    lag_json_number(&json, "points", answer->load * asked->points);
    lag_json_number(&json, "stored_bytes", answer->stored);
    lag_json_string(&json, "code", asked->code->name);
    lag_json_string(&json, "waits_for", answer->rule == LAG_TREE_GROUPS ? "groups" : "count");
    lag_json_number(&json, "amplification", answer->amplification);
    lag_json_number(&json, "residual", answer->residual);
    lag_json_count(&json, "smallest_fatal_set", answer->fatal);
    lag_json_count(&json, "largest_tolerable_set", answer->tolerable);
    lag_json_count(&json, "gradient_coding_stragglers", answer->star_stragglers);
    write_completion(&json, answer);
    write_ways(&json, answer);
    lag_json_string(&json, "fastest_without_code", answer->ways[answer->best_plain].name);
    lag_json_number(&json, "overhead_s", answer->overhead);
    write_choices(&json, answer);
    lag_json_close(&json);
    g_string_append_c(text, '\n');
}
