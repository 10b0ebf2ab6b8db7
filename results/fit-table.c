/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "results/fit-report.h"
#include "results/format.h"
#include "results/table.h"

#define FAR 0.2 /* relative */

char *lag_fit_warm_up(const struct lag_fit_report *report)
{
    uint32_t n = report->n_warm_up, left = report->n_skipped;

    if (n == 0 && left == 0)
        return NULL;
    if (!report->chosen)
        return g_strdup_printf("%u step%s at the start unlike the rest (above median + 8 median "
                               "deviations), left out; --skip-steps 0 keeps %s",
                               n, n == 1 ? "" : "s", n == 1 ? "it" : "them");
    return g_strdup_printf("%u step%s at the start unlike the rest; %u left out, as asked for", n,
                           n == 1 ? "" : "s", left);
}

static char *share(double value)
{
    return isfinite(value) ? g_strdup_printf("%.1f %%", 100 * value) : g_strdup("-");
}

static char *number(double value)
{
    return isfinite(value) ? g_strdup_printf("%.2f", value) : g_strdup("-");
}

static void print_heading(GString *text, const struct lag_fit_report *report)
{
    const struct lag_measured *trace = report->trace;
    g_autofree char *warm_up = lag_fit_warm_up(report);

    g_string_append_printf(text, "%s: %u ranks, %u steps (%" PRIu64 " to %" PRIu64 ")\n",
                           report->file, trace->n_ranks, trace->n_steps, trace->step[0],
                           trace->step[trace->n_steps - 1]);
    g_string_append_printf(text, "columns: %s", report->columns);
    if (report->guessed != NULL)
        g_string_append_printf(text, " (guessed from the header: %s)", report->guessed);
    g_string_append_c(text, '\n');
    if (warm_up != NULL)
        g_string_append_printf(text, "warm-up: %s\n", warm_up);
    if (report->n_missing > 0)
        g_string_append_printf(text,
                               "missing: %" PRIu64 " steps; those around a gap count as "
                               "neighbours\n",
                               report->n_missing);
    if (report->stats->n_ties > 0)
        g_string_append_printf(text,
                               "ties: in %u steps several ranks were last together; these "
                               "are nobody's\n",
                               report->stats->n_ties);
    g_string_append_c(text, '\n');
}

static void add_times(lag_table *table, const lag_seconds *times, size_t n)
{
    for (size_t i = 0; i < n; i++)
        lag_table_take_cell(table, lag_format_seconds(times[i]));
}

static char *slope_text(struct lag_slope slope)
{
    g_autofree char *value = lag_format_seconds(slope.slope);
    g_autofree char *error = lag_format_seconds(slope.error);

    return isfinite(slope.slope) ? g_strdup_printf("%s +- %s", value, error) : g_strdup("-");
}

static void print_quantiles(GString *text, const lag_trace_stats *stats)
{
    static const char *const headings[] = {"mean", "sd",  "p10", "p25", "p50",
                                           "p75",  "p90", "max", NULL};
    g_autoptr(lag_table) table = lag_table_new();
    const struct {
        const char *name;
        const struct lag_quantiles *q;
        struct lag_slope drift;
    } rows[] = {
        {"gap: last - last but one", &stats->gap,    stats->gap_drift   },
        {"spread: last - first",     &stats->spread, stats->spread_drift}
    };

    lag_table_column(table, "", false);
    for (size_t i = 0; headings[i] != NULL; i++)
        lag_table_column(table, headings[i], true);
    lag_table_column(table, "drift a step", true);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct lag_quantiles *q = rows[i].q;
        const lag_seconds times[] = {q->mean, q->sd,  q->p10, q->p25,
                                     q->p50,  q->p75, q->p90, q->max};
        lag_table_cell(table, rows[i].name);
        add_times(table, times, G_N_ELEMENTS(times));
        lag_table_take_cell(table, slope_text(rows[i].drift));
    }
    lag_table_print(table, text);
    g_string_append_c(text, '\n');
}

static void add_rank(lag_table *table, uint32_t i, const struct lag_rank_stats *rank)
{
    lag_table_take_cell(table, g_strdup_printf("%u", i));
    lag_table_take_cell(table, g_strdup_printf("%u", rank->n_last));
    lag_table_take_cell(table, share(rank->share));
    lag_table_take_cell(
        table, g_strdup_printf("%.1f - %.1f %%", 100 * rank->share_low, 100 * rank->share_high));
    lag_table_take_cell(table, lag_format_seconds(rank->lateness));
    lag_table_take_cell(table, lag_format_seconds(rank->lateness_sd));
    lag_table_take_cell(table, lag_format_seconds(rank->wait));
    lag_table_take_cell(table, share(rank->idle));
    lag_table_take_cell(table, lag_format_seconds(rank->gap.p50));
    lag_table_take_cell(table, number(rank->lateness_correlation));
    lag_table_take_cell(table, slope_text(rank->drift));
}

static void print_ranks(GString *text, const lag_trace_stats *stats)
{
    static const char *const headings[] = {
        "rank", "last", "share",       "95 % interval",   "lateness",     "sd",
        "wait", "idle", "gap, median", "autocorrelation", "drift a step", NULL};
    g_autoptr(lag_table) table = lag_table_new();

    for (size_t i = 0; headings[i] != NULL; i++)
        lag_table_column(table, headings[i], true);
    for (uint32_t i = 0; i < stats->n_ranks; i++)
        add_rank(table, i, &stats->ranks[i]);
    lag_table_print(table, text);
    g_string_append(text, "lateness is behind the first arrival, wait is for the last; gap is of "
                          "the steps in which the rank was last;\ndrift is a least-squares slope "
                          "with its standard error; autocorrelation is of lateness, one step "
                          "apart\n\n");
}

static void print_persistence(GString *text, const lag_trace_stats *stats)
{
    g_autofree char *correlation = number(stats->last_correlation);
    g_autofree char *mean = number(stats->mean_run), *expected = number(stats->expected_run);
    g_autofree char *halves = number(stats->halves), *idle = share(stats->idle);

    for (uint32_t i = 0; i < stats->n_ranks; i++) {
        g_autofree char *slope = slope_text(stats->ranks[i].drift);
        if (stats->ranks[i].drift.marked)
            g_string_append_printf(text, "drift: rank %u's lateness moves by %s a step\n", i,
                                   slope);
    }
    for (uint32_t i = 0; i < stats->n_ranks; i++)
        if (stats->ranks[i].persistent)
            g_string_append_printf(text, "persistent: rank %u, last in %u of %u steps\n", i,
                                   stats->ranks[i].n_last, stats->n_steps);
    g_string_append_printf(text,
                           "who is last: %u run%s of %s steps (longest %u; by chance %s), "
                           "autocorrelation %s; halves of the trace: rank correlation %s\n",
                           stats->n_runs, stats->n_runs == 1 ? "" : "s", mean, stats->longest_run,
                           expected, correlation, halves);
    if (isfinite(stats->idle))
        g_string_append_printf(text,
                               "idle: %s of the collective's time is waiting, for ranks that "
                               "aren't last (%.0f - %.0f %% in a step)\n",
                               idle, 100 * stats->idle_low, 100 * stats->idle_high);
}

static void print_cause(GString *text, const struct lag_fit_report *report)
{
    static const char *const verdicts[] = {
        [LAG_CAUSE_COMPUTE] = "compute",
        [LAG_CAUSE_NETWORK] = "not compute: network or waiting itself",
        [LAG_CAUSE_MIXED] = "compute in part",
        [LAG_CAUSE_NONE] = "nothing is late",
    };
    const struct lag_comparison *c = report->comparison;

    if (c == NULL) {
        g_string_append(text,
                        "cause: not known; it takes a column of waits and one of computing\n");
        return;
    }
    g_autofree char *gap = lag_format_seconds(c->mean_gap);
    g_autofree char *correlation = number(c->correlation), *within = number(c->within_correlation);
    g_autofree char *explained = share(fmax(0, c->explained));
    g_string_append_printf(text,
                           "cause: %s; %s explains %s of the lateness (correlation %s, from step "
                           "to step %s),\n  has the same rank last in %u of %u steps, and a mean "
                           "gap of %s\n",
                           verdicts[c->cause], report->computed, explained, correlation, within,
                           c->n_agree, c->n_steps, gap);
}

static char *parameters_text(const struct lag_fit *fit)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const struct lag_law_type *type = fit->law.type;

    for (uint32_t i = 0; type->parameters[i].name != NULL; i++) {
        bool is_time = type->parameters[i].unit == LAG_LAW_OWN_UNIT;
        g_autofree char *value =
            is_time ? lag_format_seconds(fit->law.p[i]) : g_strdup_printf("%.4g", fit->law.p[i]);
        g_autofree char *error =
            is_time ? lag_format_seconds(fit->error[i]) : g_strdup_printf("%.2g", fit->error[i]);
        g_string_append_printf(text, "%s%s %s", i > 0 ? ", " : "", type->parameters[i].name, value);
        if (isfinite(fit->error[i]))
            g_string_append_printf(text, " +- %s", error);
        else if (fit->family->role[i] == LAG_FIT_EDGE)
            g_string_append(text, " (edge)");
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void add_fits(lag_table *table, const struct lag_late *late, const char *who, uint32_t most)
{
    for (uint32_t i = 0; i < MIN(late->n_fits, most); i++) {
        const struct lag_fit *fit = &late->fits[i];
        lag_table_cell(table, i == 0 ? who : "");
        lag_table_take_cell(table, i == 0 ? g_strdup_printf("%zu", late->n_late) : g_strdup(""));
        lag_table_cell(table, fit->law.type->name);
        lag_table_take_cell(table, g_strdup_printf("%.2f", fit->log_likelihood));
        lag_table_take_cell(table, g_strdup_printf("%.2f", fit->bic));
        lag_table_take_cell(table, g_strdup_printf("%.3f", fit->distance));
        lag_table_take_cell(table, parameters_text(fit));
    }
    if (late->n_fits == 0) {
        lag_table_cell(table, who);
        lag_table_take_cell(table, g_strdup_printf("%zu", late->n_late));
        lag_table_cell(table, late->n_late == 0 ? "never late" : "too few, or all equal");
        for (int i = 0; i < 4; i++)
            lag_table_cell(table, "");
    }
}

static void print_fits(GString *text, const lag_late_laws *laws)
{
    g_autoptr(lag_table) table = lag_table_new();

    lag_table_column(table, "ranks", false);
    lag_table_column(table, "values", true);
    lag_table_column(table, "law", false);
    lag_table_column(table, "log-likelihood", true);
    lag_table_column(table, "BIC", true);
    lag_table_column(table, "KS", true);
    lag_table_column(table, "parameters +- standard errors", false);
    for (uint32_t i = 0; i < laws->n_singles; i++) {
        g_autofree char *who = g_strdup_printf("%u", laws->singles[i].ranks[0]);
        add_fits(table, &laws->singles[i], who, laws->singles[i].persistent ? LAG_FAMILIES : 1);
    }
    if (laws->others.n_ranks > 0)
        add_fits(table, &laws->others, "others", LAG_FAMILIES);
    lag_table_print(table, text);
    g_string_append(text, "laws are of lateness behind the first arrival where it is above 0, the "
                          "best BIC first (of single ranks that\naren't persistent: the best "
                          "only); others: ranks that aren't persistent, pooled");
    g_string_append(text, laws->alike ? "\n\n" : ", though they differ\n\n");
}

void lag_fit_drawn(GString *text, const struct lag_fit_report *report)
{
    const lag_late_laws *laws = report->laws;
    const lag_trace_stats *stats = report->stats;
    g_autofree char *gap = lag_format_seconds(laws->gap);
    g_autofree char *spread = lag_format_seconds(laws->spread);
    g_autofree char *real_gap = lag_format_seconds(stats->gap.mean);
    g_autofree char *real_spread = lag_format_seconds(stats->spread.mean);

    g_string_append_printf(text,
                           "# draws from this: mean gap %s (measured: %s), mean spread %s "
                           "(measured: %s)\n",
                           gap, real_gap, spread, real_spread);
    if (fabs(laws->gap - stats->gap.mean) > FAR * stats->gap.mean)
        g_string_append(text,
                        "# they differ: ranks or steps depend on each other; `trace:` replays "
                        "them as measured\n");
}

void lag_fit_table(GString *text, const struct lag_fit_report *report)
{
    const lag_late_laws *laws = report->laws;

    print_heading(text, report);
    print_quantiles(text, report->stats);
    print_ranks(text, report->stats);
    print_persistence(text, report->stats);
    print_cause(text, report);
    g_string_append_c(text, '\n');
    print_fits(text, laws);
    lag_fit_drawn(text, report);
    lag_late_laws_print(laws, text);
}
