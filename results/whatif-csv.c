/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a what-if analysis as CSV: one value a line. */
#include <math.h>

#include "results/csv.h"
#include "results/whatif.h"

static void add(GString *text, const char *quantity, const char *where, double value,
                const char *unit)
{
    g_string_append_printf(text, "%s,", quantity);
    lag_csv_text(text, where);
    g_string_append_c(text, ',');
    lag_csv_number(text, value);
    g_string_append_printf(text, ",%s\r\n", unit);
}

static void add_numbered(GString *text, const char *quantity, const char *what, uint32_t number,
                         double value, const char *unit)
{
    g_autofree char *where = g_strdup_printf("%s %u", what, number);

    add(text, quantity, where, value, unit);
}

static void add_details(GString *text, const lag_whatif *whatif)
{
    const lag_job *job = whatif->job;

    for (int i = 0; i < LAG_N_OP_KINDS; i++) {
        if (isnan(whatif->by_family[i]))
            continue;
        add(text, "slowdown", lag_op_types[i].family, whatif->by_family[i], "times");
        add(text, "critical_path", lag_op_types[i].family, whatif->path_family[i], "share");
    }
    for (uint32_t i = 0; i < job->n_dp; i++)
        add_numbered(text, "slowdown", "dp", i, whatif->by_dp[i], "times");
    for (uint32_t i = 0; i < job->n_stages; i++)
        add_numbered(text, "slowdown", "stage", i, whatif->by_stage[i], "times");
    for (uint32_t i = 0; i < job->n_dp * job->n_stages; i++) {
        add_numbered(text, "slowdown", "rank", job->rank[i], whatif->by_worker[i], "times");
        add_numbered(text, "critical_path", "rank", job->rank[i], whatif->path_worker[i], "share");
        add_numbered(text, "clock_offset", "rank", job->rank[i], job->clock[i], "s");
    }
    for (uint32_t i = 0; i < job->n_steps; i++) {
        add_numbered(text, "measured", "step", job->step[i], job->wall[i], "s");
        add_numbered(text, "replayed", "step", job->step[i], whatif->replayed[i], "s");
        add_numbered(text, "ideal", "step", job->step[i], whatif->without[i], "s");
        add_numbered(text, "slowdown", "step", job->step[i],
                     whatif->replayed[i] / whatif->without[i], "times");
    }
}

void lag_whatif_csv(GString *text, const struct lag_whatif_report *report)
{
    const lag_whatif *whatif = report->whatif;

    g_string_append(text, "quantity,where,value,unit\r\n");
    add(text, "measured", "mean", whatif->wall_s, "s");
    add(text, "replayed", "mean", whatif->step_s, "s");
    add(text, "ideal", "mean", whatif->ideal_s, "s");
    add(text, "slowdown", "job", whatif->slowdown, "times");
    add(text, "waste", "job", whatif->waste, "share");
    add(text, "m_w", "job", whatif->m_w, "share");
    add(text, "m_s", "job", whatif->m_s, "share");
    for (int i = 0; i < LAG_N_CAUSES; i++) {
        const struct lag_whatif_cause *cause = &whatif->causes[i];
        add(text, "cause_gain", cause->name, whatif->step_s - cause->step_s, "s");
        add(text, "cause_size", cause->name, cause->size, cause->unit);
    }
    for (uint32_t i = 0; i < report->n_edits; i++)
        add(text, "edited", report->edits[i].text != NULL ? report->edits[i].text : "all",
            report->edits[i].step_s, "s");
    add_details(text, whatif);
}
