/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a what-if analysis for people. */
#include <math.h>
#include <stdlib.h>

#include "results/format.h"
#include "results/table.h"
#include "results/whatif.h"

#define MOST_ROWS 32 /* of the heat map, and of tables of workers */

static void take_share(lag_table *table, double share)
{
    lag_table_take_cell(table,
                        isfinite(share) ? g_strdup_printf("%.1f %%", 100 * share) : g_strdup("-"));
}

static void take_slowdown(lag_table *table, double slowdown)
{
    lag_table_take_cell(table,
                        isfinite(slowdown) ? g_strdup_printf("%.4f", slowdown) : g_strdup("-"));
}

static void take_seconds(lag_table *table, lag_seconds time)
{
    lag_table_take_cell(table, lag_format_seconds(time));
}

static void print_clocks(GString *text, const lag_job *job)
{
    for (uint32_t i = 0; i < job->n_dp * job->n_stages; i++) {
        if (job->clock[i] == 0)
            continue;
        g_autofree char *who = lag_whatif_worker_text(job, i);
        g_autofree char *offset = lag_format_seconds(fabs(job->clock[i]));
        g_string_append_printf(text, "the clock of %s is %s %s; its times are moved\n", who, offset,
                               job->clock[i] > 0 ? "ahead" : "behind");
    }
}

static void print_head(GString *text, const struct lag_whatif_report *report)
{
    const lag_job *job = report->whatif->job;

    g_string_append_printf(text,
                           "%s: %u workers, %u data-parallel x %u stage%s, %u step%s, %zu "
                           "operations\n",
                           report->file, job->n_dp * job->n_stages, job->n_dp, job->n_stages,
                           job->n_stages == 1 ? "" : "s", job->n_steps,
                           job->n_steps == 1 ? "" : "s", lag_job_size(job));
    if (job->n_left_out > 0)
        g_string_append_printf(text,
                               "left out: %u step%s with other operations than the rest, step %u "
                               "first\n",
                               job->n_left_out, job->n_left_out == 1 ? "" : "s", job->left_out);
    print_clocks(text, job);
}

static void print_steps(GString *text, const lag_whatif *whatif)
{
    g_autoptr(lag_table) table = lag_table_new();
    static const char *const names[] = {"measured", "replayed", "without stragglers"};
    const lag_seconds times[] = {whatif->wall_s, whatif->step_s, whatif->ideal_s};

    lag_table_column(table, "", false);
    lag_table_column(table, "mean step", true);
    lag_table_column(table, "to replayed", true);
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        lag_table_cell(table, names[i]);
        take_seconds(table, times[i]);
        lag_table_take_cell(table,
                            g_strdup_printf("%+.2f %%", 100 * (times[i] / whatif->step_s - 1)));
    }
    g_string_append_c(text, '\n');
    lag_table_print(table, text);
}

static void print_summary(GString *text, const lag_whatif *whatif)
{
    const lag_job *job = whatif->job;
    g_autoptr(GString) slowest = g_string_new(NULL);

    for (uint32_t i = 0; i < whatif->n_slowest && i < 3; i++) {
        g_autofree char *who = lag_whatif_worker_text(job, whatif->slowest[i]);
        g_string_append_printf(slowest, "%s%s", i > 0 ? ", " : "", who);
    }
    g_string_append_printf(text, "\nslowdown S %.4f, waste %.1f %%\n", whatif->slowdown,
                           100 * whatif->waste);
    if (isfinite(whatif->m_w))
        g_string_append_printf(text,
                               "M_W %.4f: share explained by the slowest %u of %u workers, %s%s\n"
                               "M_S %.4f: share explained by the last stage\n",
                               whatif->m_w, whatif->n_slowest, job->n_dp * job->n_stages,
                               slowest->str, whatif->n_slowest > 3 ? ", ..." : "", whatif->m_s);
}

static void take_size(lag_table *table, const struct lag_whatif_cause *cause)
{
    g_autofree char *time = lag_format_seconds(cause->size);

    if (cause->unit[0] == 't')
        lag_table_take_cell(table, g_strdup_printf("%.3f x %s", cause->size, cause->what));
    else if (cause->unit[0] == 's' && cause->unit[1] == '\0')
        lag_table_take_cell(table, g_strdup_printf("%s, %s", time, cause->what));
    else
        lag_table_take_cell(table, g_strdup_printf("%.1f %%, %s", 100 * cause->size, cause->what));
}

static void print_causes(GString *text, const lag_whatif *whatif)
{
    g_autoptr(lag_table) table = lag_table_new();

    lag_table_column(table, "cause", false);
    lag_table_column(table, "step without it", true);
    lag_table_column(table, "gain", true);
    lag_table_column(table, "size", false);
    lag_table_column(table, "where", false);
    for (int i = 0; i < LAG_N_CAUSES; i++) {
        const struct lag_whatif_cause *cause = &whatif->causes[i];
        lag_table_cell(table, cause->name);
        take_seconds(table, cause->step_s);
        take_share(table, 1 - cause->step_s / whatif->step_s);
        take_size(table, cause);
        lag_table_cell(table, cause->where != NULL ? cause->where : "-");
    }
    g_string_append_printf(text, "main cause: %s\n\n",
                           whatif->cause >= 0 ? whatif->causes[whatif->cause].name
                                              : "none that gains 1 %");
    lag_table_print(table, text);
}

static void print_families(GString *text, const lag_whatif *whatif)
{
    g_autoptr(lag_table) table = lag_table_new();

    lag_table_column(table, "operations", false);
    lag_table_column(table, "S, only these late", true);
    lag_table_column(table, "critical path", true);
    for (int i = 0; i < LAG_N_OP_KINDS; i++) {
        if (isnan(whatif->by_family[i]))
            continue;
        lag_table_cell(table, lag_op_types[i].family);
        take_slowdown(table, whatif->by_family[i]);
        take_share(table, whatif->path_family[i]);
    }
    g_string_append_c(text, '\n');
    lag_table_print(table, text);
}

struct row {
    double slowdown;
    uint32_t dp;
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->slowdown != y->slowdown)
        return x->slowdown > y->slowdown ? -1 : 1;
    return (x->dp > y->dp) - (x->dp < y->dp);
}

static int compare_dp(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return (x->dp > y->dp) - (x->dp < y->dp);
}

/* The worst rows where there are too many. */
static struct row *choose_rows(const lag_whatif *whatif, uint32_t *ret_n)
{
    struct row *rows = g_new(struct row, whatif->job->n_dp);

    for (uint32_t dp = 0; dp < whatif->job->n_dp; dp++)
        rows[dp] = (struct row){whatif->by_dp[dp], dp};
    *ret_n = MIN(whatif->job->n_dp, MOST_ROWS);
    qsort(rows, whatif->job->n_dp, sizeof(*rows), compare_rows);
    qsort(rows, *ret_n, sizeof(*rows), compare_dp);
    return rows;
}

static void print_map(GString *text, const lag_whatif *whatif)
{
    const lag_job *job = whatif->job;
    g_autoptr(lag_table) table = lag_table_new();
    uint32_t n;
    g_autofree struct row *rows = choose_rows(whatif, &n);
    double all = 0;

    lag_table_column(table, "S of workers", false);
    for (uint32_t stage = 0; stage < job->n_stages; stage++) {
        g_autofree char *heading = g_strdup_printf("stage %u", stage);
        lag_table_column(table, heading, true);
    }
    lag_table_column(table, "critical path", true);
    for (uint32_t i = 0; i < n; i++) {
        double share = 0;
        lag_table_take_cell(table, g_strdup_printf("dp %u", rows[i].dp));
        for (uint32_t stage = 0; stage < job->n_stages; stage++) {
            size_t worker = (size_t)rows[i].dp * job->n_stages + stage;
            take_slowdown(table, whatif->by_worker[worker]);
            share += whatif->path_worker[worker];
        }
        take_share(table, share);
    }
    lag_table_cell(table, "critical path");
    for (uint32_t stage = 0; stage < job->n_stages; stage++) {
        double share = 0;
        for (uint32_t dp = 0; dp < job->n_dp; dp++)
            share += whatif->path_worker[(size_t)dp * job->n_stages + stage];
        take_share(table, share);
        all += share;
    }
    take_share(table, all);
    g_string_append_c(text, '\n');
    lag_table_print(table, text);
    if (n < job->n_dp)
        g_string_append_printf(text, "the %u slowest of %u data-parallel ranks\n", n, job->n_dp);
}

static void print_worst(GString *text, const lag_whatif *whatif)
{
    uint32_t i = whatif->worst_step;
    g_autofree char *time = lag_format_seconds(whatif->replayed[i]);

    g_string_append_printf(
        text, "\nslowest step: %u, %s, S %.4f; %u operations on its critical path\n",
        whatif->job->step[i], time, whatif->replayed[i] / whatif->without[i], whatif->path->len);
}

static void print_edits(GString *text, const struct lag_whatif_report *report)
{
    g_autoptr(lag_table) table = lag_table_new();

    if (report->n_edits == 0)
        return;
    lag_table_column(table, "edit", false);
    lag_table_column(table, "mean step", true);
    lag_table_column(table, "gain", true);
    lag_table_column(table, "throughput", true);
    lag_table_column(table, "assumes that", false);
    for (uint32_t i = 0; i < report->n_edits; i++) {
        const struct lag_whatif_edit *edit = &report->edits[i];
        lag_table_cell(table, edit->text != NULL ? edit->text : "all of these, in this order");
        take_seconds(table, edit->step_s);
        take_share(table, 1 - edit->step_s / report->whatif->step_s);
        lag_table_take_cell(table, g_strdup_printf("%.3f x", edit->throughput));
        lag_table_cell(table, edit->assumes != NULL ? edit->assumes : "all of that");
    }
    g_string_append_c(text, '\n');
    lag_table_print(table, text);
}

void lag_whatif_table(GString *text, const struct lag_whatif_report *report)
{
    print_head(text, report);
    print_steps(text, report->whatif);
    print_summary(text, report->whatif);
    print_causes(text, report->whatif);
    print_families(text, report->whatif);
    print_map(text, report->whatif);
    print_worst(text, report->whatif);
    print_edits(text, report);
}
