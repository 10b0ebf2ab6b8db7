/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "results/format.h"
#include "results/table.h"
#include "tools/advise-report.h"

#define CONSTANT 1e-9 /* width of an interval, relative */

static char *interval(struct lag_estimate e)
{
    g_autofree char *low = lag_format_seconds(e.low);
    g_autofree char *high = lag_format_seconds(e.high);

    if (!isfinite(e.low) || !isfinite(e.high))
        return g_strdup("-");
    return e.high - e.low <= CONSTANT * fabs(e.value) ? g_strdup("constant")
                                                      : g_strdup_printf("%s .. %s", low, high);
}

static void print_head(GString *text, const struct lag_advice_report *report)
{
    const struct lag_fit_report *fit = report->fit;
    const lag_site *site = report->advice->question.site;
    const struct lag_measured *trace = fit->trace;
    g_autofree char *warm_up = lag_fit_warm_up(fit);
    g_autofree char *size = lag_format_bytes((double)site->scenario->size);

    g_string_append_printf(
        text, "measured: %s, %u ranks, %u steps (%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ")\n",
        fit->file, trace->n_ranks, trace->n_steps, trace->step[0], trace->step[trace->n_steps - 1]);
    g_string_append_printf(
        text, "columns: %s%s%s\n", fit->columns,
        fit->guessed == NULL ? "" : "; guessed: ", fit->guessed == NULL ? "" : fit->guessed);
    if (warm_up != NULL)
        g_string_append_printf(text, "warm-up: %s\n", warm_up);
    if (fit->n_missing > 0)
        g_string_append_printf(
            text, "missing: %" G_GUINT64_FORMAT " steps; those around a gap count as neighbours\n",
            fit->n_missing);
    g_string_append_printf(text, "cluster: %u GPUs, %s; allreduce of %s\n", site->scenario->n_ranks,
                           site->network, size);
    for (guint i = 0; i < site->assumed->len; i++)
        g_string_append_printf(text, "assumed: %s\n",
                               (const char *)g_ptr_array_index(site->assumed, i));
    g_string_append_c(text, '\n');
}

static void print_straggler(GString *text, const lag_advice *advice)
{
    const lag_trace_stats *stats = advice->question.stats;
    uint32_t source = advice->casting.predicted_source;
    const struct lag_rank_stats *rank = &stats->ranks[source];
    g_autofree char *mean = lag_format_seconds(stats->gap.mean);
    g_autofree char *p10 = lag_format_seconds(stats->gap.p10);
    g_autofree char *p50 = lag_format_seconds(stats->gap.p50);
    g_autofree char *p90 = lag_format_seconds(stats->gap.p90);

    g_string_append_printf(text,
                           "%s straggler: rank %u is last%s in %u of %u steps, %.1f %% (95 %%: "
                           "%.1f .. %.1f %%)\n",
                           rank->persistent ? "a persistent" : "no persistent", source,
                           rank->persistent ? "" : " most often, alone", rank->n_last,
                           stats->n_steps, 100 * rank->share, 100 * rank->share_low,
                           100 * rank->share_high);
    g_string_append_printf(text,
                           "measured gap, last - last but one: mean %s, p10 %s, p50 %s, p90 %s\n",
                           mean, p10, p50, p90);
}

static void add_times(lag_table *table, const struct lag_advice_row *row, int from,
                      const struct lag_paired *to)
{
    bool same = to->n == 0;

    lag_table_take_cell(table, lag_format_seconds(row->mean[from].value));
    lag_table_take_cell(table, interval(row->mean[from]));
    lag_table_take_cell(table, same ? g_strdup("-") : lag_format_seconds(to->difference.value));
    lag_table_take_cell(table, same ? g_strdup("-") : interval(to->difference));
}

static void add_row(lag_table *table, const lag_advice *advice, const struct lag_advice_row *row,
                    int from)
{
    const struct lag_paired *ring = &row->to_ring[from];

    lag_table_cell(table, row->label);
    add_times(table, row, from, &row->to_best[from]);
    lag_table_take_cell(table,
                        ring->n == 0 ? g_strdup("-") : lag_format_seconds(ring->difference.value));
    lag_table_take_cell(table, ring->n == 0 ? g_strdup("-") : interval(ring->difference));
    if (from == LAG_FROM_LAWS)
        return;
    lag_table_take_cell(table, g_strdup_printf("%.1f %%", 100 * row->best_in));
    if (isfinite(advice->question.step_time))
        lag_table_take_cell(
            table, g_strdup_printf("%.3f", lag_advice_hours(advice, row->mean[from].value *
                                                                        advice->casting.n_ranks)));
}

static void print_rows(GString *text, const lag_advice *advice, int from)
{
    static const char *const headings[] = {"exposed", "95 %", "- best", "95 %", "- ring", "95 %"};
    g_autoptr(lag_table) table = lag_table_new();

    lag_table_column(table, "algorithm", false);
    for (size_t i = 0; i < G_N_ELEMENTS(headings); i++)
        lag_table_column(table, headings[i], true);
    if (from == LAG_FROM_TRACE) {
        lag_table_column(table, "best in", true);
        if (isfinite(advice->question.step_time))
            lag_table_column(table, "GPU-h/day", true);
    }
    for (uint32_t i = 0; i < advice->n_rows; i++)
        add_row(table, advice, &advice->rows[i], from);
    if (from == LAG_FROM_TRACE)
        g_string_append_printf(text,
                               "\nexposed time under the measured delays, %u steps replayed\n\n",
                               advice->n_replayed);
    else
        g_string_append_printf(text,
                               "\nexposed time under delays drawn from the fitted laws, %u draws, "
                               "seed %" G_GUINT64_FORMAT "\n\n",
                               advice->delays[from]->n_steps, advice->question.seed);
    lag_table_print(table, text);
}

static char *rate_text(double rate)
{
    if (!isfinite(rate))
        return g_strdup("-");
    if (rate > 1)
        return g_strdup("never");
    return rate <= 0 ? g_strdup("any") : g_strdup_printf("%.1f %%", 100 * rate);
}

static char *even_text(const struct lag_break_even *even)
{
    g_autofree char *delay = lag_format_seconds(even->delay);

    switch (even->verdict) {
    case LAG_A_FROM:
        return g_strdup_printf("from %s on", delay);
    case LAG_B_FROM:
        return g_strdup_printf("up to %s", delay);
    case LAG_A_ALWAYS:
        return g_strdup("always");
    case LAG_B_ALWAYS:
        return g_strdup("never");
    case LAG_EQUAL:
        break;
    }
    return g_strdup("equal");
}

static void print_rivals(GString *text, const lag_advice *advice)
{
    g_autoptr(lag_table) table = lag_table_new();
    const struct lag_delays *delays = advice->delays[LAG_FROM_TRACE];

    if (advice->n_rivals == 0)
        return;
    lag_table_column(table, "against", false);
    lag_table_column(table, "faster", true);
    lag_table_column(table, "hit rate, large delay", true);
    lag_table_column(table, "hit rate, these delays", true);
    for (uint32_t i = 0; i < advice->n_rivals; i++) {
        const struct lag_rival *rival = &advice->rivals[i];
        lag_table_cell(table, advice->rows[rival->row].label);
        lag_table_take_cell(table, even_text(&rival->even));
        lag_table_take_cell(table, rate_text(rival->hidden.rate));
        lag_table_take_cell(table, rate_text(rival->measured.rate));
    }
    g_string_append_printf(text,
                           "\n%s: rank %u is last in %.1f %% of the replayed steps; break-even "
                           "delay and hit rate\n\n",
                           advice->rows[advice->predicted].label, advice->casting.predicted,
                           100.0 * delays->n_predicted / delays->n_steps);
    lag_table_print(table, text);
}

static void print_policy(GString *text, const lag_advice *advice)
{
    const struct lag_policy *policy = &advice->policy;
    g_autofree char *from = lag_format_seconds(policy->from);
    g_autofree char *perfect = lag_format_seconds(policy->perfect);
    g_autofree char *previous = lag_format_seconds(policy->previous);
    g_autofree char *cost = lag_format_seconds(policy->cost_of_wrong);

    if (!policy->known)
        return;
    if (!isfinite(policy->from)) {
        g_string_append(text, "\npolicy: no gap is long enough for stragglar to beat ring\n");
        return;
    }
    g_string_append_printf(text,
                           "\npolicy: stragglar where the gap is above %s (%u of %u steps), else "
                           "ring\n"
                           "  exposed %s if the gap is known; %s if that of the step before is "
                           "taken for it: wrong in %u steps, which cost %s each\n",
                           from, policy->n_switched, advice->n_replayed, perfect, previous,
                           policy->n_wrong, cost);
}

static void print_hours(GString *text, const struct lag_advice_report *report)
{
    const lag_advice *advice = report->advice;
    lag_seconds wait = advice->delays[LAG_FROM_TRACE]->mean_wait;
    g_autofree char *step_time = lag_format_seconds(advice->question.step_time);

    if (report->step_from == NULL)
        return;
    g_string_append_printf(text,
                           "\nGPU-hours a day: 24 h x GPU-seconds a step / time of a step, %s "
                           "(%s), the same with each algorithm\n"
                           "  waiting for the last rank: %.3f; in the collective after that: the "
                           "table's last column\n",
                           step_time, report->step_from, lag_advice_hours(advice, wait));
}

void lag_advice_table(GString *text, const struct lag_advice_report *report)
{
    const lag_advice *advice = report->advice;
    g_autoptr(GPtrArray) warnings = lag_advice_warnings(report);
    g_autofree char *verdict = lag_advice_verdict(advice);

    print_head(text, report);
    print_straggler(text, advice);
    print_rows(text, advice, LAG_FROM_TRACE);
    print_rows(text, advice, LAG_FROM_LAWS);
    print_rivals(text, advice);
    print_policy(text, advice);
    print_hours(text, report);
    g_string_append_printf(text, "\nadvice: %s\n", verdict);
    if (advice->block > 1)
        g_string_append_printf(
            text,
            "  steps depend on each other, autocorrelation %.2f: taken in blocks "
            "of %u\n",
            advice->correlation, advice->block);
    else
        g_string_append_printf(text, "  steps are taken one by one, autocorrelation %.2f\n",
                               advice->correlation);
    for (guint i = 0; i < warnings->len; i++)
        g_string_append_printf(text, "warning: %s\n", (const char *)g_ptr_array_index(warnings, i));
}
