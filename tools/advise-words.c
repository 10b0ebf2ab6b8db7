/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences that both formats have. */
#include <math.h>

#include "results/format.h"
#include "tools/advise-report.h"

#define FAR      0.2  /* relative */
#define CONSTANT 1e-9 /* width of an interval, relative */

static char *why_not(const lag_advice *advice, const struct lag_advice_row *best,
                     const struct lag_advice_row *second)
{
    const struct lag_paired *d = &second->to_best[LAG_FROM_TRACE];
    g_autofree char *low = lag_format_seconds(d->difference.low);
    g_autofree char *high = lag_format_seconds(d->difference.high);

    if (advice->n_replayed < 2 * advice->block)
        return g_strdup_printf("no difference that this trace can show: %s is ahead of %s, but the "
                               "steps are too few for an interval",
                               best->label, second->label);
    if (d->ties == 1)
        return g_strdup_printf("no difference that this trace can show: %s and %s take the same "
                               "time in each step",
                               best->label, second->label);
    return g_strdup_printf("no difference that this trace can show: %s - %s is %s .. %s (95 %%); "
                           "%s is best in %.1f %% of %d resamples",
                           second->label, best->label, low, high, best->algorithm->name,
                           100 * advice->confidence, LAG_ADVICE_RESAMPLES);
}

char *lag_advice_verdict(const lag_advice *advice)
{
    const struct lag_advice_row *best = &advice->rows[advice->best[LAG_FROM_TRACE]];

    if (advice->second[LAG_FROM_TRACE] == LAGGARD_NONE)
        return g_strdup_printf("only %s was asked about", best->algorithm->name);
    const struct lag_advice_row *second = &advice->rows[advice->second[LAG_FROM_TRACE]];
    if (!advice->shown)
        return why_not(advice, best, second);
    const struct lag_paired *d = &second->to_best[LAG_FROM_TRACE];
    g_autofree char *by = lag_format_seconds(d->difference.value);
    g_autofree char *low = lag_format_seconds(d->difference.low);
    g_autofree char *high = lag_format_seconds(d->difference.high);
    if (d->difference.high - d->difference.low <= CONSTANT * d->difference.value)
        return g_strdup_printf("use %s: %s less exposed time a step than %s, in each step alike: "
                               "that is the network model's word, not the trace's",
                               best->label, by, second->label);
    return g_strdup_printf("use %s: %s less exposed time a step than %s (95 %%: %s .. %s); it is "
                           "best in %.1f %% of %d resamples of the steps",
                           best->label, by, second->label, low, high, 100 * advice->confidence,
                           LAG_ADVICE_RESAMPLES);
}

static void warn_of_laws(GPtrArray *list, const lag_advice *advice)
{
    const struct lag_question *q = &advice->question;
    lag_seconds measured = q->stats->gap.mean, drawn = q->laws->gap;
    uint32_t best = advice->best[LAG_FROM_TRACE], other = advice->best[LAG_FROM_LAWS];

    if (fabs(drawn - measured) > FAR * measured) {
        g_autofree char *by_laws = lag_format_seconds(drawn);
        g_autofree char *by_trace = lag_format_seconds(measured);
        g_ptr_array_add(list,
                        g_strdup_printf("draws from the fitted laws have a mean gap of %s, the "
                                        "trace has %s: more than 20 %% off; trust the measured "
                                        "delays",
                                        by_laws, by_trace));
    }
    if (advice->rows[best].algorithm != advice->rows[other].algorithm)
        g_ptr_array_add(list, g_strdup_printf("under the fitted laws %s is best, not %s",
                                              advice->rows[other].label, advice->rows[best].label));
}

static void warn_of_ranks(GPtrArray *list, const lag_advice *advice)
{
    const struct lag_casting *casting = &advice->casting;

    if (casting->n_ranks == casting->n_trace_ranks)
        return;
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "%u ranks are assumed to behave as the %u measured ones: ",
                           casting->n_ranks, casting->n_trace_ranks);
    for (uint32_t rank = 0; rank < casting->n_ranks; rank++)
        if (casting->source[rank] != LAGGARD_NONE)
            g_string_append_printf(text, "rank %u has the delays of measured rank %u, ", rank,
                                   casting->source[rank]);
    g_string_append_printf(text,
                           "the others are drawn with replacement from the other %u ranks' delays "
                           "of the same step (seed %" G_GUINT64_FORMAT ")",
                           casting->n_others, advice->question.seed);
    g_ptr_array_add(list, g_string_free(g_steal_pointer(&text), FALSE));
}

GPtrArray *lag_advice_warnings(const struct lag_advice_report *report)
{
    const lag_advice *advice = report->advice;
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);

    warn_of_ranks(list, advice);
    warn_of_laws(list, advice);
    if (advice->n_replayed < advice->question.trace->n_steps)
        g_ptr_array_add(list, g_strdup_printf("only the latest %u of %u steps are replayed",
                                              advice->n_replayed, advice->question.trace->n_steps));
    if (advice->delays[LAG_FROM_LAWS]->n_steps < advice->question.n_draws)
        g_ptr_array_add(list,
                        g_strdup_printf("%u draws from the fitted laws instead of %u, to bound the "
                                        "work at this rank count",
                                        advice->delays[LAG_FROM_LAWS]->n_steps,
                                        advice->question.n_draws));
    if (report->step_from == NULL)
        g_ptr_array_add(list, g_strdup("the time of a step can't be known from these columns: "
                                       "GPU-hours a day are left out (say --step-time)"));
    return list;
}
